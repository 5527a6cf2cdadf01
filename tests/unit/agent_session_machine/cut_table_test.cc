// What an agent does when its stream breaks, its lease lapses, or its coordinator is another one, in each phase of a
// level: ARCHITECTURE.md's table, one row a case.
#include <gmock/gmock.h>

#include <functional>
#include <ostream>
#include <string>

#include "tests/unit/agent_session_machine/agent_scenario.h"

namespace tidemark {
namespace {

// The level is brought here, and then it happens.
enum Phase { kIdle, kPreparing, kReady, kRamp, kWarm, kMeasuring, kDone, kStopping, kStopped };

void BringTo(Phase phase, AgentScenario& s) {
  s.Connect();
  const std::function<void()> steps[] = {
      [&s] { s.Prepare(0, 1); },
      [&s] { s.Say(EngineReady{s.key(), absl::OkStatus(), {}}); },
      [&s] {
        s.Arm(0, 1);
        s.Say(EngineStarted{s.key(), 0});
      },
      [&s] { s.Say(EngineWarm{s.key(), false, 10}); },
      [&s] {
        s.Measure(0, 1);
        s.Facts(5);
      },
      [&s] { s.Say(EngineShareDone{s.key()}); },
      [&s] { s.Stop(0, 1); },
      [&s] { s.EngineStops(); },
  };
  for (int step = 0; step < phase; ++step) steps[step]();
}

bool EngineRuns(Phase phase) { return phase >= kRamp && phase < kStopped; }

struct Case {
  const char* name;
  Phase phase;
  Lines said_again;   // on the new stream after a short cut
  Lines at_the_end;   // when the lease lapses
  Lines said_anew;    // on the stream after that
  Lines for_another;  // to the Welcome of a new coordinator
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class CutTable : public testing::TestWithParam<Case> {};

TEST_P(CutTable, AStreamThatBreaksForLessThanTheLeaseStopsNothing) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  s.WaitUntil(102);
  s.Lost();
  EXPECT_EQ(s.WaitUntil(103), Lines{"open"});
  EXPECT_EQ(s.Reconnect(), GetParam().said_again);
  EXPECT_EQ(s.WaitUntil(120), Lines{});
  EXPECT_FALSE(s.Happened("engine cancel 0/1"));
}

TEST_P(CutTable, ALeaseThatLapsesGivesTheLevelUpAndHelloIsSaidWhenAllIsClosed) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  s.KeepLease(false);
  EXPECT_EQ(s.WaitUntil(105.1), GetParam().at_the_end);
  if (EngineRuns(GetParam().phase)) {
    EXPECT_EQ(s.WaitUntil(110), Lines{});  // not before
    EXPECT_EQ(s.EngineStops(), Lines{"open"});
  } else {
    EXPECT_EQ(s.WaitUntil(106), Lines{"open"});
  }
  EXPECT_EQ(s.Reconnect(), GetParam().said_anew);
}

TEST_P(CutTable, NothingIsSentOnceTheLeaseHasLapsed) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  s.KeepLease(false);
  s.WaitUntil(105.1);
  EXPECT_TRUE(s.Happened("deadline 105"));  // the engine's own, from Welcome on
  EXPECT_FALSE(s.Happened("deadline 106"));
  s.Facts(3);
  EXPECT_EQ(s.Say(EngineWarm{s.key(), false, 10}), Lines{});
}

TEST_P(CutTable, AnotherCoordinatorFindsAnIdleAgent) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  s.Lost();
  s.WaitUntil(100.3);
  EXPECT_EQ(s.Reconnect(/*epoch=*/2), GetParam().for_another);
  if (EngineRuns(GetParam().phase)) {
    EXPECT_EQ(s.WaitUntil(104), Lines{});
    EXPECT_EQ(s.EngineStops(), Lines{"open"});
    EXPECT_EQ(s.Reconnect(2), Lines{});
  }
  EXPECT_EQ(s.machine().epoch().counter, 2u);
  EXPECT_FALSE(s.machine().busy());
  EXPECT_EQ(s.Prepare(0, 1), Lines{"engine prepare 0/1"});  // keys of another epoch are others
}

const Lines kClosing = {"engine cancel 0/1", "close: still closing what an earlier coordinator started"};
const Lines kLapsed = {"engine cancel 0/1", "close: the lease lapsed"};
constexpr char kGivenUp[] = "Stopped 0/1 deltas 0: its lease lapsed";
constexpr char kGivenUpAfterOne[] = "Stopped 0/1 deltas 1: its lease lapsed";

INSTANTIATE_TEST_SUITE_P(
    Cut, CutTable,
    testing::Values(
        Case{"idle", kIdle, {}, {"close: the lease lapsed"}, {}, {}},
        Case{"preparing", kPreparing, {}, kLapsed, {kGivenUp}, {"engine cancel 0/1"}},
        Case{"ready", kReady, {"Ready 0/1"}, kLapsed, {"Ready 0/1", kGivenUp}, {"engine cancel 0/1"}},
        Case{"ramp", kRamp, {"Ready 0/1", "Started 0/1"}, kLapsed, {"Ready 0/1", "Started 0/1", kGivenUp}, kClosing},
        Case{"warm", kWarm, {"Ready 0/1", "Started 0/1", "Warm 0/1"}, kLapsed,
             {"Ready 0/1", "Started 0/1", "Warm 0/1", kGivenUp}, kClosing},
        Case{"measuring", kMeasuring, {"Ready 0/1", "Started 0/1", "Warm 0/1", "Report 0/1 #1"}, kLapsed,
             {"Ready 0/1", "Started 0/1", "Warm 0/1", "Report 0/1 #1", kGivenUpAfterOne}, kClosing},
        Case{"done", kDone, {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1"}, kLapsed,
             {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1", kGivenUpAfterOne}, kClosing},
        Case{"stopping", kStopping, {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1"}, kLapsed,
             {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1", kGivenUpAfterOne}, kClosing},
        // All is measured: it is kept, whatever becomes of the lease.
        Case{"stopped", kStopped,
             {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1", "Stopped 0/1 deltas 1"},
             {"close: the lease lapsed"},
             {"Ready 0/1", "Started 0/1", "Warm 0/1", "ShareDone 0/1", "Report 0/1 #1", "Stopped 0/1 deltas 1"},
             {}}));

// ---- what is told twice, or too early ----

struct TwiceCase {
  const char* name;
  Phase phase;
  Lines cancel, again;  // CANCEL, and CANCEL once more
  Lines prepare;        // PREPARE of the next attempt instead
};
void PrintTo(const TwiceCase& c, std::ostream* out) { *out << c.name; }

class TwiceTable : public testing::TestWithParam<TwiceCase> {};

TEST_P(TwiceTable, ACancelIsCarriedOutOnceAndAnsweredEachTime) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  EXPECT_EQ(s.Cancel(0, 1), GetParam().cancel);
  EXPECT_EQ(s.Cancel(0, 1), GetParam().again);
}

TEST_P(TwiceTable, TheNextAttemptWaitsUntilTheOldOneIsClosed) {
  AgentScenario s;
  BringTo(GetParam().phase, s);
  EXPECT_EQ(s.Prepare(0, 2), GetParam().prepare);
  if (EngineRuns(GetParam().phase)) s.EngineStops();
  EXPECT_TRUE(s.Happened("engine prepare 0/2"));
}

const Lines kCancels = {"engine cancel 0/1", "Stopped 0/1 deltas 0"};
const Lines kCancelsAndPrepares = {"engine cancel 0/1", "Stopped 0/1 deltas 0", "engine prepare 0/2"};

INSTANTIATE_TEST_SUITE_P(
    Cut, TwiceTable,
    testing::Values(
        TwiceCase{"preparing", kPreparing, kCancels, {"Stopped 0/1 deltas 0"}, kCancelsAndPrepares},
        TwiceCase{"ready", kReady, kCancels, {"Stopped 0/1 deltas 0"}, kCancelsAndPrepares},
        TwiceCase{"ramp", kRamp, {"engine cancel 0/1"}, {}, {"engine cancel 0/1"}},
        TwiceCase{"warm", kWarm, {"engine cancel 0/1"}, {}, {"engine cancel 0/1"}},
        TwiceCase{"measuring", kMeasuring, {"engine cancel 0/1"}, {}, {"engine cancel 0/1"}},
        TwiceCase{"done", kDone, {"engine cancel 0/1"}, {}, {"engine cancel 0/1"}},
        TwiceCase{"stopping", kStopping, {"engine cancel 0/1"}, {}, {"engine cancel 0/1"}},
        TwiceCase{"stopped", kStopped, {"Stopped 0/1 deltas 1"}, {"Stopped 0/1 deltas 1"}, {"engine prepare 0/2"}}));

}  // namespace
}  // namespace tidemark
