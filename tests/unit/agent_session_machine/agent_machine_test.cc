#include "agent/core/session_machine/agent_machine.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::string At(const LevelKey& key) { return absl::StrCat(" ", key.level, "/", key.attempt); }
std::string At(const v1::LevelKey& key) {
  return absl::StrCat(" ", key.level(), "/", key.attempt());
}

std::string Describe(const v1::AgentMessage& m) {
  if (m.has_hello()) return "Hello";
  if (m.has_heartbeat()) return "Heartbeat";
  if (m.has_pong()) return "Pong";
  if (m.has_probed()) return absl::StrCat("Probed ", m.probed().model());
  if (m.has_ready()) {
    return absl::StrCat("Ready", At(m.ready().key()), m.ready().error().empty() ? "" : " error");
  }
  if (m.has_started()) return absl::StrCat("Started", At(m.started().key()));
  if (m.has_warm()) return absl::StrCat("Warm", At(m.warm().key()));
  if (m.has_share_done()) return absl::StrCat("ShareDone", At(m.share_done().key()));
  if (m.has_report()) {
    return absl::StrCat("Report", At(m.report().key()), " #", m.report().delta().sequence());
  }
  return absl::StrCat("Stopped", At(m.stopped().key()), " deltas ", m.stopped().snapshot().deltas(),
                      m.stopped().error().empty() ? "" : ": ", m.stopped().error());
}

struct Describer {
  std::string operator()(const OpenStream&) const { return "open"; }
  std::string operator()(const CloseStream& e) const { return "close: " + e.reason; }
  std::string operator()(const SendToCoordinator& e) const { return Describe(e.message); }
  std::string operator()(const WakeAt&) const { return ""; }
  std::string operator()(const RunProbe&) const { return "probe"; }
  std::string operator()(const EnginePrepare& e) const { return "engine prepare" + At(e.task.key); }
  std::string operator()(const EngineArm& e) const {
    return absl::StrCat("engine arm", At(e.key), " at ", e.start, " origin ", e.slice_origin);
  }
  std::string operator()(const EngineMeasure& e) const {
    return absl::StrCat("engine measure", At(e.key), " at ", e.start);
  }
  std::string operator()(const EngineStop& e) const {
    return absl::StrCat("engine stop", At(e.key), " drain ", e.drain_ns);
  }
  std::string operator()(const EngineCancel& e) const { return "engine cancel" + At(e.key); }
  std::string operator()(const EngineSetSendDeadline& e) const {
    return absl::StrCat("deadline ", e.until / kSecond);
  }
  std::string operator()(const UploadRecords& e) const { return "upload" + At(e.key); }
  std::string operator()(const AgentLog& e) const { return "log: " + e.text; }
  std::string operator()(const ExitAgent& e) const {
    return absl::StrCat(e.failed ? "fails: " : "exits: ", e.reason);
  }
};

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
      const std::string line = std::visit(Describer(), effect);
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

using Lines = std::vector<std::string>;

TEST(AgentMachine, SaysHelloOnANewStream) {
  AgentScenario s;
  EXPECT_EQ(s.Say(AgentBegin{}), Lines{"open"});
  EXPECT_EQ(s.Say(StreamOpened{}), Lines{"Hello"});
  EXPECT_FALSE(s.machine().welcomed());
  s.Welcome();
  EXPECT_TRUE(s.machine().welcomed());
}

TEST(AgentMachine, PassesTheBarriersOfALevel) {
  AgentScenario s;
  s.Connect();
  EXPECT_EQ(s.Prepare(0, 1), Lines{"engine prepare 0/1"});
  EXPECT_EQ(s.Say(EngineReady{s.key(), absl::OkStatus(), {}}), Lines{"Ready 0/1"});
  EXPECT_EQ(s.Arm(0, 1), Lines{"engine arm 0/1 at 100000000020 origin 100000000010"});
  EXPECT_EQ(s.Say(EngineStarted{s.key(), 0}), Lines{"Started 0/1"});
  EXPECT_EQ(s.Say(EngineWarm{s.key(), false, 10}), Lines{"Warm 0/1"});
  EXPECT_EQ(s.Measure(0, 1), Lines{"engine measure 0/1 at 100000000000"});
  EXPECT_EQ(s.Facts(5), Lines{"Report 0/1 #1"});
  EXPECT_EQ(s.Say(EngineShareDone{s.key()}), Lines{"ShareDone 0/1"});
  EXPECT_EQ(s.Stop(0, 1), Lines{"engine stop 0/1 drain 7000000"});
  EXPECT_EQ(s.EngineStops(), Lines{"Stopped 0/1 deltas 1"});
  EXPECT_FALSE(s.machine().busy());
}

TEST(AgentMachine, AShareWithoutSlotsPassesEveryBarrierWithoutTheEngine) {
  AgentScenario s;
  s.Connect();
  EXPECT_EQ(s.Prepare(0, 1, /*slots=*/0), Lines{"Ready 0/1"});
  EXPECT_EQ(s.Arm(0, 1), (Lines{"Started 0/1", "Warm 0/1"}));
  EXPECT_EQ(s.Measure(0, 1), Lines{"ShareDone 0/1"});
  EXPECT_EQ(s.Stop(0, 1), Lines{"Stopped 0/1 deltas 0"});
}

v1::CoordinatorMessage MeasureAt(uint64_t at, int64_t offset) {
  v1::CoordinatorMessage m;
  *m.mutable_measure()->mutable_key() = EncodeKey({"job", 0, 1});
  m.mutable_measure()->set_start_at_ns(at);
  m.mutable_measure()->set_clock_offset_ns(offset);
  return m;
}

// An agent whose level 0/1 is warm, at 100 s of its clock.
AgentScenario& Warm(AgentScenario& s) {
  s.Connect();
  s.Prepare(0, 1);
  s.Say(EngineReady{s.key(), absl::OkStatus(), {}});
  s.Arm(0, 1);
  return s;
}

TEST(AgentMachine, PlacesAStartByTheCoordinatorsClockNotByTheReceipt) {
  AgentScenario s;  // the coordinator's clock reads 40 s
  EXPECT_EQ(Warm(s).Told(MeasureAt(40'000'000'007, 60 * kSecond)),
            Lines{"engine measure 0/1 at 100000000007"});
}

TEST(AgentMachine, AStartThatIsJustPastKeepsItsTime) {
  AgentScenario s;
  EXPECT_EQ(Warm(s).Told(MeasureAt(39'900'000'000, 60 * kSecond)),
            Lines{"engine measure 0/1 at 99900000000"});
}

TEST(AgentMachine, AStartThatIsFarFromNowBeginsNow) {
  for (const uint64_t at : {uint64_t{5}, UINT64_MAX / 4, UINT64_MAX, uint64_t{111} * kSecond}) {
    AgentScenario s;
    EXPECT_EQ(Warm(s).Told(MeasureAt(at, 0)), Lines{"engine measure 0/1 at 100000000000"}) << at;
  }
}

TEST(AgentMachine, SlicesStayWhereTheyAreFromTheStartThatWasBroughtNear) {
  AgentScenario s;
  s.Connect();
  s.Prepare(0, 1);
  s.Say(EngineReady{s.key(), absl::OkStatus(), {}});
  v1::CoordinatorMessage m;
  *m.mutable_arm()->mutable_key() = EncodeKey(s.key());
  m.mutable_arm()->set_start_at_ns(2'000);
  m.mutable_arm()->set_slice_origin_ns(1'500);
  EXPECT_EQ(s.Told(m), Lines{"engine arm 0/1 at 100000000000 origin 99999999500"});
}

TEST(AgentMachine, ADrainMayBeAsLongAsTheLimitsOfAJob) {
  AgentScenario s;
  s.Running();
  v1::CoordinatorMessage m;
  *m.mutable_stop()->mutable_key() = EncodeKey({"job", 0, 1});
  m.mutable_stop()->set_drain_ms(7'200'000);
  EXPECT_EQ(s.Told(m), Lines{"engine stop 0/1 drain 7200000000000"});
}

TEST(AgentMachine, RepeatedCommandsReachTheEngineOnce) {
  AgentScenario s;
  s.Running();
  EXPECT_EQ(s.Prepare(0, 1), Lines{});
  EXPECT_EQ(s.Arm(0, 1), Lines{});
  EXPECT_EQ(s.Measure(0, 1), Lines{});
  EXPECT_EQ(s.Stop(0, 1), Lines{"engine stop 0/1 drain 7000000"});
  EXPECT_EQ(s.Stop(0, 1), Lines{});
  EXPECT_EQ(s.Cancel(0, 1), Lines{"engine cancel 0/1"});
  EXPECT_EQ(s.Cancel(0, 1), Lines{});
  s.EngineStops();
  EXPECT_EQ(s.Stop(0, 1), Lines{"Stopped 0/1 deltas 0"});  // asked again: answered again
}

TEST(AgentMachine, CommandsOfOtherLevelsAreCountedAndDropped) {
  AgentScenario s;
  s.Running();
  EXPECT_EQ(s.Stop(0, 2), Lines{});
  EXPECT_EQ(s.Measure(1, 1), Lines{});
  EXPECT_EQ(s.machine().stale_messages(), 2u);
}

TEST(AgentMachine, EngineEventsOfAnEarlierAttemptAreDropped) {
  AgentScenario s;
  s.Connect();
  s.Prepare(0, 1);
  EXPECT_EQ(s.Cancel(0, 1), (Lines{"engine cancel 0/1", "Stopped 0/1 deltas 0"}));
  EXPECT_EQ(s.Prepare(0, 2), Lines{"engine prepare 0/2"});
  EXPECT_EQ(s.Say(EngineReady{{"job", 0, 1}, absl::OkStatus(), {}}), Lines{});
  EXPECT_EQ(s.Say(EngineReady{{"job", 0, 2}, absl::OkStatus(), {}}), Lines{"Ready 0/2"});
}

TEST(AgentMachine, NeverCarriesTwoLevelsAtOnce) {
  AgentScenario s;
  s.Running();
  EXPECT_EQ(s.Prepare(0, 2), Lines{"engine cancel 0/1"});
  EXPECT_EQ(s.EngineStops(), (Lines{"Stopped 0/1 deltas 0", "engine prepare 0/2"}));
}

TEST(AgentMachine, ACancelledLevelThatWasWaitingIsAnsweredAndNeverBegins) {
  AgentScenario s;
  s.Running();
  s.Prepare(0, 2);
  EXPECT_EQ(s.Cancel(0, 2), Lines{});
  EXPECT_EQ(s.EngineStops(), (Lines{"Stopped 0/1 deltas 0", "Stopped 0/2 deltas 0"}));
}

TEST(AgentMachine, AnEngineThatDoesNotStopEndsTheProcess) {
  AgentScenario s;
  s.Running();
  s.Prepare(0, 2);
  const Lines said = s.WaitUntil(131);
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said.back(), testing::StartsWith("fails: the engine did not stop in time"));
}

TEST(AgentMachine, AnEngineThatCannotPrepareSaysWhy) {
  AgentScenario s;
  s.Connect();
  s.Prepare(0, 1);
  EXPECT_EQ(s.Say(EngineReady{s.key(), absl::UnavailableError("no address"), {}}),
            Lines{"Ready 0/1 error"});
  EXPECT_EQ(s.last_sent().ready().error(), "no address");
}

TEST(AgentMachine, ABadPrepareIsRefusedWithItsReason) {
  AgentScenario s;
  s.Connect();
  v1::CoordinatorMessage m;
  *m.mutable_prepare()->mutable_key() = EncodeKey({"job", 0, 1});
  EXPECT_EQ(s.Told(m), Lines{"Ready 0/1 error"});
  EXPECT_EQ(s.last_sent().ready().error(), "endpoint.urls is empty: name at least one URL");
}

TEST(AgentMachine, AnswersAPingWithItsClock) {
  AgentScenario s;
  s.Connect();
  v1::CoordinatorMessage m;
  m.mutable_ping()->set_number(4);
  EXPECT_EQ(s.Told(m), Lines{"Pong"});
  EXPECT_EQ(s.last_sent().pong().agent_ns(), 100u * kSecond);
}

TEST(AgentMachine, AnswersAPingBeforeItIsWelcome) {
  AgentScenario s;
  v1::CoordinatorMessage m;
  m.mutable_ping()->set_number(4);
  s.Say(AgentBegin{});
  EXPECT_EQ(s.Told(m), Lines{});  // no stream yet
  s.Say(StreamOpened{});
  EXPECT_EQ(s.Told(m), Lines{"Pong"});
}

TEST(AgentMachine, ARepeatedProbeRunsOnce) {
  AgentScenario s;
  s.Connect();
  v1::CoordinatorMessage m;
  m.mutable_probe()->set_job_id("job");
  m.mutable_probe()->mutable_endpoint()->add_urls("http://h/");
  m.mutable_probe()->mutable_workload()->mutable_input()->set_mean(5);
  m.mutable_probe()->mutable_workload()->mutable_output()->set_mean(5);
  m.mutable_probe()->mutable_limits()->set_total_ms(5);
  m.mutable_probe()->mutable_limits()->set_connect_ms(5);
  EXPECT_EQ(s.Told(m), Lines{"probe"});
  EXPECT_EQ(s.Told(m), Lines{});
  v1::Probed report;
  report.set_model("m");
  EXPECT_EQ(s.Say(ProbeDone{"job", report}), Lines{"Probed m"});
  EXPECT_EQ(s.Told(m), Lines{"Probed m"});
}

// ---- reports ----

TEST(AgentMachine, StoppedComesAfterTheLastDelta) {
  AgentScenario s;
  s.Running();
  EXPECT_EQ(s.Facts(1), Lines{"Report 0/1 #1"});
  EXPECT_EQ(s.Facts(1), Lines{"Report 0/1 #2"});
  EXPECT_EQ(s.Facts(1), Lines{});
  s.Stop(0, 1);
  EXPECT_EQ(s.EngineStops(), Lines{});
  EXPECT_EQ(s.Acknowledge(1), (Lines{"Report 0/1 #3", "Stopped 0/1 deltas 3"}));
}

TEST(AgentMachine, RecordsAreUploadedWhenAskedFor) {
  AgentScenario s;
  s.Running();
  s.Stop(0, 1);
  s.EngineStops();
  v1::CoordinatorMessage m;
  *m.mutable_pull_records()->mutable_key() = EncodeKey(s.key());
  EXPECT_EQ(s.Told(m), Lines{"upload 0/1"});
}

// ---- streams and leases ----

TEST(AgentMachine, ABrokenStreamStopsNothingAndWhatWasSaidIsSaidAgain) {
  AgentScenario s;
  s.Running();
  s.Facts(2);
  EXPECT_EQ(s.Lost(), Lines{});
  EXPECT_EQ(s.Facts(3), Lines{});
  EXPECT_EQ(s.WaitUntil(100.3), Lines{"open"});
  EXPECT_EQ(s.Reconnect(),
            (Lines{"Ready 0/1", "Started 0/1", "Warm 0/1", "Report 0/1 #1", "Report 0/1 #2"}));
  EXPECT_FALSE(s.Happened("engine cancel 0/1"));
}

TEST(AgentMachine, RetriesWithGrowingPauses) {
  AgentScenario s;
  s.Say(AgentBegin{});
  s.Lost();
  EXPECT_EQ(s.WaitUntil(100.21), Lines{"open"});
  s.Lost();
  EXPECT_EQ(s.WaitUntil(100.5), Lines{});
  EXPECT_EQ(s.WaitUntil(100.7), Lines{"open"});
}

TEST(AgentMachine, AStreamWithoutWelcomeIsGivenUp) {
  AgentScenario s;
  s.Say(AgentBegin{});
  s.Say(StreamOpened{});
  EXPECT_EQ(s.WaitUntil(110.5), (Lines{"close: no Welcome in time", "open"}));
}

TEST(AgentMachine, HeartbeatsKeepTheLeaseAndExtendTheSendDeadline) {
  AgentScenario s;
  s.Running();
  s.WaitUntil(120);
  EXPECT_TRUE(s.machine().welcomed());
  EXPECT_TRUE(s.Happened("deadline 125"));
  EXPECT_EQ(s.last_sent().heartbeat().loops(0).silent_ms(), 3u);
}

TEST(AgentMachine, ALapsedLeaseStopsTheLevelBeforeHelloIsSaidAnew) {
  AgentScenario s;
  s.Running();
  s.KeepLease(false);
  EXPECT_EQ(s.WaitUntil(104.9), Lines{});
  EXPECT_EQ(s.WaitUntil(107), (Lines{"engine cancel 0/1", "close: the lease lapsed"}));
  EXPECT_EQ(s.Say(AgentTimer{}), Lines{});  // a timer too many opens nothing
  EXPECT_EQ(s.EngineStops(), Lines{"open"});
  EXPECT_EQ(s.Reconnect(), (Lines{"Ready 0/1", "Started 0/1", "Warm 0/1",
                                  "Stopped 0/1 deltas 0: its lease lapsed"}));
}

TEST(AgentMachine, ACutOfTwoSecondsVoidsNothing) {
  AgentScenario s;
  s.Running();
  s.WaitUntil(102);
  s.Lost();
  EXPECT_EQ(s.WaitUntil(104), Lines{"open"});
  s.Reconnect();
  s.WaitUntil(120);
  EXPECT_FALSE(s.Happened("engine cancel 0/1"));
}

TEST(AgentMachine, ALeaseThatLapsesBeforeArmIsTheAgentsOwnWord) {
  AgentScenario s;
  s.Connect();
  s.Prepare(0, 1);
  s.KeepLease(false);
  EXPECT_EQ(s.WaitUntil(105.5), (Lines{"engine cancel 0/1", "close: the lease lapsed", "open"}));
  EXPECT_EQ(s.Reconnect(), Lines{"Stopped 0/1 deltas 0: its lease lapsed"});
}

TEST(AgentMachine, ANewEpochIsAdoptedOnlyWhenAllIsClosed) {
  AgentScenario s;
  s.Running();
  s.Lost();
  s.WaitUntil(100.3);
  EXPECT_EQ(
      s.Reconnect(/*epoch=*/2),
      (Lines{"engine cancel 0/1", "close: still closing what an earlier coordinator started"}));
  EXPECT_EQ(s.machine().epoch().counter, 1u);
  EXPECT_EQ(s.WaitUntil(104), Lines{});
  EXPECT_EQ(s.EngineStops(), Lines{"open"});
  EXPECT_EQ(s.Reconnect(2), Lines{});
  EXPECT_EQ(s.machine().epoch().counter, 2u);
  EXPECT_FALSE(s.machine().busy());
}

TEST(AgentMachine, ARefusalForGoodEndsTheProcess) {
  AgentScenario s;
  s.Say(AgentBegin{});
  s.Say(StreamOpened{});
  v1::CoordinatorMessage m;
  m.mutable_refused()->set_reason("another version");
  m.mutable_refused()->set_permanent(true);
  EXPECT_EQ(s.Told(m), (Lines{"close: another version", "fails: another version"}));
  EXPECT_EQ(s.Say(AgentTimer{}), Lines{});
}

TEST(AgentMachine, ARefusalForNowIsTriedAgain) {
  AgentScenario s;
  s.Say(AgentBegin{});
  s.Say(StreamOpened{});
  v1::CoordinatorMessage m;
  m.mutable_refused()->set_reason("the id is taken");
  EXPECT_EQ(s.Told(m), Lines{"close: the id is taken"});
  EXPECT_EQ(s.WaitUntil(101), Lines{"open"});
}

TEST(AgentMachine, LeavingGivesTheLevelUpAndSaysSo) {
  AgentScenario s;
  s.Running();
  EXPECT_EQ(s.Say(AgentLeaves{"SIGTERM"}), Lines{"engine cancel 0/1"});
  EXPECT_EQ(s.EngineStops(), (Lines{"Stopped 0/1 deltas 0: the agent was told to end: SIGTERM",
                                    "close: SIGTERM", "exits: SIGTERM"}));
}

TEST(AgentMachine, LeavingWhenIdleExitsAtOnce) {
  AgentScenario s;
  s.Connect();
  EXPECT_EQ(s.Say(AgentLeaves{"SIGTERM"}), (Lines{"close: SIGTERM", "exits: SIGTERM"}));
}

}  // namespace
}  // namespace tidemark
