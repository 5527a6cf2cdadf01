// A thousand concurrent streams from one process, with a verdict that holds.
#include <gtest/gtest.h>

#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

// 2.5 s a request, 4,400 tokens/s in all: a third of a core on either side.
class ThousandStreamsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new SweepRun(RunUndisturbed(Run)); }
  static SweepRun Run() {
    delete simulator_;
    simulator_ = new SimulatorProcess({"--delay-ms", "500", "--itl-ms", "200"});
    return RunSweep(simulator_->url(), {"--concurrency", "1000", "--request-count", "1500", "--isl", "16", "--osl",
                                        "11", "--e2e-sla-ms", "3000"});
  }
  static void TearDownTestSuite() {
    delete run_;
    delete simulator_;
  }
  static v1::LevelResult Level() { return LevelOf(run_->result, 1000); }

  static inline SimulatorProcess* simulator_ = nullptr;
  static inline SweepRun* run_ = nullptr;
};

TEST_F(ThousandStreamsTest, VerdictIsValidAndPasses) {
  EXPECT_EQ(Level().verdict(), v1::PASS) << run_->all_output();
  EXPECT_NE(Level().validity(), v1::VALIDITY_INVALID);
  EXPECT_EQ(run_->end.code, 0);
}

TEST_F(ThousandStreamsTest, ServerHoldsAThousandAtOnceAndNoMore) {
  EXPECT_EQ(simulator_->Stat("in_flight_max"), 1000);
  EXPECT_GE(Level().effective_concurrency(), 980);
}

TEST_F(ThousandStreamsTest, EveryRequestSucceeds) { EXPECT_EQ(Level().measured().ok(), 1500u); }

}  // namespace
}  // namespace tidemark::testing
