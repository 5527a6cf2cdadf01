#include "tests/unit/coordinator_agents/hub_scenario.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {
namespace {

AgentHubOptions Options() {
  AgentHubOptions options;
  options.epoch = {"s", 1};
  options.max_agents = 3;
  return options;
}

std::string Describe(const v1::CoordinatorMessage& m) {
  if (m.has_welcome()) return absl::StrCat("Welcome, lease ", m.welcome().lease_ms(), " ms");
  if (m.has_refused()) {
    return absl::StrCat(m.refused().permanent() ? "Refused for good: " : "Refused: ", m.refused().reason());
  }
  if (m.has_heartbeat_ack()) return absl::StrCat("HeartbeatAck ", m.heartbeat_ack().number());
  if (m.has_ping()) return absl::StrCat("Ping ", m.ping().number());
  if (m.has_delta_ack()) return absl::StrCat("DeltaAck ", m.delta_ack().sequence());
  if (m.has_stop()) return "Stop";
  if (m.has_cancel()) {
    return absl::StrCat("Cancel ", m.cancel().key().level(), "/", m.cancel().key().attempt(), ": ", m.cancel().reason());
  }
  return "another";
}

struct EventDescriber {
  std::string operator()(const AgentJoined& e) const { return absl::StrCat("joined ", e.agent.id); }
  std::string operator()(const AgentReturned& e) const { return absl::StrCat("returned ", e.agent); }
  std::string operator()(const AgentLost& e) const { return absl::StrCat("lost ", e.agent, ": ", e.reason); }
  std::string operator()(const AgentProbed& e) const {
    return absl::StrCat("probed ", e.agent, " ", e.findings.report.model());
  }
  std::string operator()(const AgentReady& e) const { return absl::StrCat("ready ", e.agent, " ", e.error); }
  std::string operator()(const AgentStarted& e) const { return absl::StrCat("started ", e.agent, " ", e.skew_ns); }
  std::string operator()(const AgentWarm& e) const { return absl::StrCat("warm ", e.agent, " ", e.mean_latency_us); }
  std::string operator()(const AgentFacts& e) const {
    return absl::StrCat("facts ", e.agent, " sent ", e.facts.measured.sent);
  }
  std::string operator()(const AgentShareDone& e) const { return absl::StrCat("done ", e.agent); }
  std::string operator()(const AgentStopped& e) const {
    return absl::StrCat("stopped ", e.agent, " deltas ", e.snapshot.deltas);
  }
  std::string operator()(const AgentLoopSilent& e) const {
    return absl::StrCat("silent ", e.agent, " ", e.silent_ms);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "no event of an agent";
  }
};

struct EffectDescriber {
  std::string operator()(const SendToAgent& e) const { return absl::StrCat(e.stream, " <- ", Describe(e.message)); }
  std::string operator()(const CloseAgentStream& e) const { return absl::StrCat("close ", e.stream, ": ", e.reason); }
  std::string operator()(const RaiseJobEvent& e) const { return std::visit(EventDescriber(), e.event); }
  std::string operator()(const HubLog& e) const { return absl::StrCat("log: ", e.text); }
};

}  // namespace

std::string Describe(const HubEffect& effect) { return std::visit(EffectDescriber(), effect); }

HubScenario::HubScenario() : hub_(Options()) {}

v1::Hello HubScenario::HelloOf(const std::string& id, const std::string& incarnation) {
  v1::Hello hello;
  hello.set_protocol_major(kProtocolMajor);
  hello.set_agent_id(id);
  hello.set_incarnation(incarnation);
  hello.mutable_capacity()->set_streams(10);
  hello.set_weight(1);
  return hello;
}

HubScenario::Lines HubScenario::Take() {
  Lines lines;
  for (const HubEffect& effect : hub_.TakeEffects()) {
    if (std::holds_alternative<HubLog>(effect)) continue;
    if (const auto* send = std::get_if<SendToAgent>(&effect)) {
      if (send->message.has_ping()) continue;
      last_sent_ = send->message;
    }
    lines.push_back(Describe(effect));
  }
  return lines;
}

HubScenario::Lines HubScenario::Open(StreamId stream, const std::string& bound_id) {
  hub_.StreamOpened(stream, bound_id, now_);
  return Take();
}

HubScenario::Lines HubScenario::Say(StreamId stream, const v1::AgentMessage& message) {
  hub_.Received(stream, message, now_);
  return Take();
}

HubScenario::Lines HubScenario::SayHello(StreamId stream, const v1::Hello& hello) {
  v1::AgentMessage message;
  *message.mutable_hello() = hello;
  return Say(stream, message);
}

HubScenario::Lines HubScenario::Join(StreamId stream, const std::string& id, const std::string& incarnation) {
  Lines lines = Open(stream);
  for (std::string& line : SayHello(stream, HelloOf(id, incarnation))) lines.push_back(std::move(line));
  return lines;
}

HubScenario::Lines HubScenario::Close(StreamId stream) {
  hub_.StreamClosed(stream, now_);
  return Take();
}

HubScenario::Lines HubScenario::Beat(StreamId stream, uint64_t number, uint64_t epoch,
                                     std::vector<uint64_t> silent_ms) {
  v1::AgentMessage message;
  v1::Heartbeat& heartbeat = *message.mutable_heartbeat();
  heartbeat.set_number(number);
  *heartbeat.mutable_epoch() = EncodeEpoch({"s", epoch});
  for (const uint64_t silent : silent_ms) heartbeat.add_loops()->set_silent_ms(silent);
  return Say(stream, message);
}

HubScenario::Lines HubScenario::Pong(StreamId stream, uint64_t number, uint64_t agent_ns) {
  v1::AgentMessage message;
  message.mutable_pong()->set_number(number);
  message.mutable_pong()->set_agent_ns(agent_ns);
  return Say(stream, message);
}

HubScenario::Lines HubScenario::Report(StreamId stream, uint64_t sequence, uint64_t sent) {
  MeasuredFacts facts;
  facts.measured.sent = facts.measured.ok = sent;
  v1::AgentMessage message;
  v1::Report& report = *message.mutable_report();
  *report.mutable_key() = key();
  *report.mutable_epoch() = EncodeEpoch({"s", 1});
  *report.mutable_delta() = EncodeDelta(facts);
  report.mutable_delta()->set_sequence(sequence);
  return Say(stream, message);
}

HubScenario::Lines HubScenario::Stopped(StreamId stream, uint64_t deltas) {
  FinalSnapshot snapshot;
  snapshot.deltas = deltas;
  v1::AgentMessage message;
  *message.mutable_stopped()->mutable_key() = key();
  *message.mutable_stopped()->mutable_snapshot() = EncodeSnapshot(snapshot);
  return Say(stream, message);
}

HubScenario::Lines HubScenario::Lose(const std::string& agent, const std::string& reason) {
  hub_.Lose(agent, reason);
  return Take();
}

HubScenario::Lines HubScenario::Wait(double seconds) {
  const int64_t end = now_ + static_cast<int64_t>(seconds * kSecond);
  for (int turns = 0; turns < 1'000 && hub_.NextWake() && *hub_.NextWake() <= end; ++turns) {
    now_ = std::max(now_, *hub_.NextWake());
    hub_.OnTime(now_);
  }
  now_ = end;
  return Take();
}

void HubScenario::EnterLevel(uint32_t attempt, const std::vector<std::string>& agents) {
  key_.attempt = attempt;
  hub_.EnterLevel(key_, /*sla_count=*/0);
  for (const std::string& agent : agents) hub_.AddToLevel(agent);
}

}  // namespace tidemark
