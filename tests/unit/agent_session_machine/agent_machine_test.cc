#include "agent/core/session_machine/agent_machine.h"

#include <gmock/gmock.h>

#include "tests/unit/agent_session_machine/agent_scenario.h"

namespace tidemark {
namespace {

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
                                    "Leaving: SIGTERM", "close: SIGTERM", "exits: SIGTERM"}));
}

TEST(AgentMachine, LeavingWhenIdleExitsAtOnce) {
  AgentScenario s;
  s.Connect();
  EXPECT_EQ(s.Say(AgentLeaves{"SIGTERM"}), (Lines{"Leaving: SIGTERM", "close: SIGTERM", "exits: SIGTERM"}));
}

TEST(AgentMachine, LeavingWithoutAStreamIsSaidToNobody) {
  AgentScenario s;
  s.Connect();
  s.Say(StreamLost{"cut"});
  EXPECT_EQ(s.Say(AgentLeaves{"SIGTERM"}), Lines{"exits: SIGTERM"});
}

}  // namespace
}  // namespace tidemark
