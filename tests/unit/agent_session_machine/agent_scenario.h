#ifndef TIDEMARK_TESTS_UNIT_AGENT_SESSION_MACHINE_AGENT_SCENARIO_H_
#define TIDEMARK_TESTS_UNIT_AGENT_SESSION_MACHINE_AGENT_SCENARIO_H_

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agent/core/session_machine/agent_machine.h"

namespace tidemark {

inline constexpr int64_t kSecond = 1'000'000'000;
using Lines = std::vector<std::string>;

// What an effect says, in one line; "" for a timer.
std::string Describe(const AgentEffect& effect);

// An agent whose clock reads seconds from 100 on.
class AgentScenario {
 public:
  AgentScenario() : machine_(Hello()) {}

  static v1::Hello Hello() {
    v1::Hello hello;
    hello.set_agent_id("a");
    return hello;
  }

  // Each returns what the event alone led to; logs and deadlines left out.
  std::vector<std::string> Say(const AgentEvent& event) {
    std::vector<std::string> said;
    for (const AgentEffect& effect : machine_.Handle(event, now_)) {
      if (const auto* wake = std::get_if<WakeAt>(&effect)) wake_ = wake->at;
      if (const auto* send = std::get_if<SendToCoordinator>(&effect))
        sent_.push_back(send->message);
      const std::string line = Describe(effect);
      all_.push_back(line);
      if (line.empty() || absl::StartsWith(line, "log:") || absl::StartsWith(line, "deadline"))
        continue;
      said.push_back(line);
    }
    return said;
  }
  std::vector<std::string> Told(const v1::CoordinatorMessage& message) {
    return Say(CoordinatorSaid{message});
  }

  // Lets timers fire until then; heartbeats are left out.
  std::vector<std::string> WaitUntil(double second) {
    const auto end = static_cast<int64_t>(second * kSecond);
    std::vector<std::string> said;
    for (int turns = 0; turns < 1000 && wake_ && *wake_ <= end; ++turns) {
      now_ = std::max(now_, *wake_);
      wake_.reset();
      for (const std::string& line : Say(AgentTimer{{3}})) {
        if (line != "Heartbeat") said.push_back(line);
      }
      if (acknowledge_) AcknowledgeHeartbeats();
    }
    now_ = std::max(now_, end);
    return said;
  }

  AgentScenario& Connect(uint64_t epoch = 1) {
    Say(AgentBegin{});
    Say(StreamOpened{});
    Welcome(epoch);
    return *this;
  }

  std::vector<std::string> Welcome(uint64_t epoch = 1) {
    v1::CoordinatorMessage m;
    m.mutable_welcome()->mutable_epoch()->set_store_uuid("s");
    m.mutable_welcome()->mutable_epoch()->set_counter(epoch);
    m.mutable_welcome()->set_lease_ms(5000);
    m.mutable_welcome()->set_heartbeat_ms(1000);
    return Told(m);
  }

  std::vector<std::string> Prepare(uint32_t level, uint32_t attempt, uint32_t slots = 2) {
    LevelTask task;
    task.key = {"job", level, attempt};
    task.endpoint.urls = {"http://h/"};
    task.plan.concurrency = 4;
    task.plan.request_count = 10;
    task.share = {slots, 0, slots > 0 ? 5u : 0u, 0};
    v1::CoordinatorMessage m;
    *m.mutable_prepare() = EncodeTask(task);
    return Told(m);
  }
  std::vector<std::string> Arm(uint32_t level, uint32_t attempt) {
    v1::CoordinatorMessage m;
    *m.mutable_arm()->mutable_key() = EncodeKey({"job", level, attempt});
    m.mutable_arm()->set_start_at_ns(static_cast<uint64_t>(now_ + 320));
    m.mutable_arm()->set_slice_origin_ns(static_cast<uint64_t>(now_ + 310));
    m.mutable_arm()->set_clock_offset_ns(-300);
    return Told(m);
  }
  std::vector<std::string> Measure(uint32_t level, uint32_t attempt) {
    v1::CoordinatorMessage m;
    *m.mutable_measure()->mutable_key() = EncodeKey({"job", level, attempt});
    m.mutable_measure()->set_start_at_ns(static_cast<uint64_t>(now_ + 5'000));
    m.mutable_measure()->set_clock_offset_ns(-5'000);
    return Told(m);
  }
  std::vector<std::string> Stop(uint32_t level, uint32_t attempt) {
    v1::CoordinatorMessage m;
    *m.mutable_stop()->mutable_key() = EncodeKey({"job", level, attempt});
    m.mutable_stop()->set_drain_ms(7);
    return Told(m);
  }
  std::vector<std::string> Cancel(uint32_t level, uint32_t attempt) {
    v1::CoordinatorMessage m;
    *m.mutable_cancel()->mutable_key() = EncodeKey({"job", level, attempt});
    return Told(m);
  }
  std::vector<std::string> Acknowledge(uint64_t sequence) {
    v1::CoordinatorMessage m;
    *m.mutable_delta_ack()->mutable_key() = EncodeKey({"job", 0, 1});
    m.mutable_delta_ack()->set_sequence(sequence);
    return Told(m);
  }
  std::vector<std::string> Facts(uint64_t n) {
    EngineFacts facts{{"job", 0, 1}, {}};
    facts.facts.measured.sent = facts.facts.measured.ok = n;
    return Say(facts);
  }

  // Up to the middle of MEASURE of level 0, attempt 1.
  AgentScenario& Running() {
    Connect();
    Prepare(0, 1);
    Say(EngineReady{key_, absl::OkStatus(), {}});
    Arm(0, 1);
    Say(EngineStarted{key_, 0});
    Say(EngineWarm{key_, false, 10});
    Measure(0, 1);
    return *this;
  }

  std::vector<std::string> EngineStops() { return Say(EngineStopped{key_, {}}); }
  std::vector<std::string> Lost() { return Say(StreamLost{"cut"}); }
  std::vector<std::string> Reconnect(uint64_t epoch = 1) {
    Say(StreamOpened{});
    return Welcome(epoch);
  }

  void KeepLease(bool keep) { acknowledge_ = keep; }
  double seconds() const { return static_cast<double>(now_) / kSecond; }
  const v1::AgentMessage& last_sent() const { return sent_.back(); }
  bool Happened(const std::string& line) const {
    return std::find(all_.begin(), all_.end(), line) != all_.end();
  }
  const AgentMachine& machine() const { return machine_; }
  const LevelKey& key() const { return key_; }

 private:
  void AcknowledgeHeartbeats() {
    if (sent_.empty() || !sent_.back().has_heartbeat()) return;
    v1::CoordinatorMessage m;
    m.mutable_heartbeat_ack()->set_number(sent_.back().heartbeat().number());
    Told(m);
  }

  AgentMachine machine_;
  int64_t now_ = 100 * kSecond;
  std::optional<int64_t> wake_;
  bool acknowledge_ = true;
  LevelKey key_{"job", 0, 1};
  std::vector<v1::AgentMessage> sent_;
  std::vector<std::string> all_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_AGENT_SESSION_MACHINE_AGENT_SCENARIO_H_
