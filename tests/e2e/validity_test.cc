// A generator that was the limit gives no verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

// About five seconds of measurement that passes its SLA by far.
const Flags kFiveSeconds = {"--concurrency", "4", "--request-count", "80", "--isl", "16", "--osl",
                            "8", "--e2e-sla-ms", "60000"};
const Flags kSimulator = {"--delay-ms", "100", "--itl-ms", "20"};

// Stopped for 100 ms of every second of its life.
SweepRun RunStopped(const SimulatorProcess& simulator) {
  SweepRun run;
  run.folder = run.home->File("result");
  Process sweep(SweepOptions(
      Join(kFiveSeconds, {"--url", simulator.url(), "--output-dir", run.folder})));
  const int64_t deadline = NowMs() + 60'000;
  while (!sweep.Wait(900) && NowMs() < deadline) {
    sweep.Signal(SIGSTOP);
    PauseMs(100);
    sweep.Signal(SIGCONT);
  }
  run.end.code = sweep.Wait(0).value_or(-1);
  run.end.out = sweep.out();
  run.end.err = sweep.err();
  run.result = ReadResult(run.folder);
  return run;
}

class StoppedTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const SimulatorProcess simulator(kSimulator);
    run_ = new SweepRun(RunStopped(simulator));
  }
  static void TearDownTestSuite() { delete run_; }
  static v1::LevelResult Level() { return LevelOf(run_->result, 4); }

  static inline SweepRun* run_ = nullptr;
};

TEST_F(StoppedTest, LevelIsInvalidAndNeitherPassesNorFails) {
  EXPECT_EQ(Level().verdict(), v1::INVALID) << run_->all_output();
  EXPECT_EQ(Level().validity(), v1::VALIDITY_INVALID);
}

TEST_F(StoppedTest, ExitCodeIs4) { EXPECT_EQ(run_->end.code, 4) << run_->all_output(); }

TEST_F(StoppedTest, ReasonIsTheLagOfTheLoop) {
  bool lag = false;
  const v1::LevelResult level = Level();
  for (const v1::ValidityCheck& check : level.validity_checks()) {
    lag = lag || (check.measure() == "loop_lag_p99_ms" && check.state() == v1::VALIDITY_INVALID);
  }
  EXPECT_TRUE(lag);
}

TEST_F(StoppedTest, AnswerSaysInvalid) { EXPECT_THAT(run_->end.out, HasSubstr("INVALID")); }

TEST(Unstopped, SameSweepPasses) {
  const SimulatorProcess simulator(kSimulator);
  const SweepRun run = RunUndisturbed([&simulator] { return RunSweep(simulator.url(), kFiveSeconds); });
  EXPECT_EQ(LevelOf(run.result, 4).verdict(), v1::PASS) << run.all_output();
  EXPECT_EQ(run.end.code, 0);
}

}  // namespace
}  // namespace tidemark::testing
