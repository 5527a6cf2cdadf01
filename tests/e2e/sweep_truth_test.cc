// A sweep against the law: what is measured is what is true.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"
#include "tests/unit/simulator/closed_form.h"

namespace tidemark::testing {
namespace {

constexpr int kInput = 64, kOutput = 32;

LawCase Law() {
  LawCase law;
  law.b_ms = 2;
  law.c_ms = 0.1;
  law.max_batch = 16;
  law.prompt = kInput;
  law.output = kOutput;
  return law;
}

// One sweep for all; each test looks at one fact of it.
class SweepTruthTest : public ::testing::Test {
 protected:
  static SweepRun Run() {
    const LawCase law = Law();
    delete simulator_;
    simulator_ = new SimulatorProcess({"--step-ms", absl::StrCat(law.b_ms), "--sequence-ms",
                                       absl::StrCat(law.c_ms), "--max-batch", "16"});
    return RunSweep(simulator_->url(),
                    {"--concurrency", "4,8,16,32,64", "--request-count", "256", "--prompt-input-tokens-mean",
                     absl::StrCat(kInput), "--output-tokens-mean", absl::StrCat(kOutput)});
  }
  static void SetUpTestSuite() {
    run_ = new SweepRun(RunUndisturbed(Run));
    ASSERT_TRUE(Ran(run_->end.code)) << run_->all_output();
    ASSERT_EQ(run_->result.levels_size(), 5);
  }
  static void TearDownTestSuite() {
    delete run_;
    delete simulator_;
  }

  static void ExpectWithin(double measured, double truth, double share) {
    EXPECT_GT(measured, truth * (1 - share));
    EXPECT_LT(measured, truth * (1 + share));
  }

  static inline SimulatorProcess* simulator_ = nullptr;
  static inline SweepRun* run_ = nullptr;
};

TEST_F(SweepTruthTest, TokenThroughputIsTheLawsWithin2PercentBelowAndAboveTheKnee) {
  for (const int concurrency : {16, 64}) {
    SCOPED_TRACE(concurrency);
    ExpectWithin(LevelOf(run_->result, concurrency).output_token_throughput(),
                 ClosedFormTokensPerSecond(Law(), concurrency), 0.02);
  }
}

TEST_F(SweepTruthTest, MeanLatencyIsTheLaws) {
  for (const v1::LevelResult& level : run_->result.levels()) {
    SCOPED_TRACE(level.concurrency());
    for (const v1::MetricStatistics& metric : level.metrics()) {
      if (metric.tag() != "request_latency") continue;
      ExpectWithin(metric.avg(), ClosedFormLatencyMs(Law(), level.concurrency()), 0.04);
    }
  }
}

TEST_F(SweepTruthTest, KneeIsTheLargestBatch) {
  ASSERT_TRUE(run_->result.has_knee());
  EXPECT_TRUE(run_->result.knee().found());
  EXPECT_EQ(run_->result.knee().concurrency(), 16u) << run_->result.knee().statement();
}

TEST_F(SweepTruthTest, ConcurrencyIsHeldInTheWindowAndNeverExceeded) {
  for (const v1::LevelResult& level : run_->result.levels()) {
    EXPECT_GE(level.effective_concurrency(), 0.98 * level.concurrency());
    EXPECT_LE(level.effective_concurrency(), level.concurrency() * (1 + 1e-9));
  }
  EXPECT_EQ(simulator_->Stat("in_flight_max"), 64);
}

TEST_F(SweepTruthTest, BooksBalanceByLittlesLaw) {
  for (const v1::LevelResult& level : run_->result.levels()) {
    EXPECT_LE(level.little_residual(), 0.005) << level.concurrency();
  }
}

TEST_F(SweepTruthTest, EveryRequestSentEndsInExactlyOneWay) {
  for (const v1::LevelResult& level : run_->result.levels()) {
    for (const v1::OutcomeCounts* counts : {&level.measured(), &level.unmeasured()}) {
      EXPECT_EQ(counts->sent(), counts->ok() + counts->failed() + counts->cancelled());
      EXPECT_EQ(counts->unfinished(), 0u);
      EXPECT_EQ(counts->failed(), 0u);
    }
    EXPECT_EQ(level.measured().ok(), 256u);
  }
}

TEST_F(SweepTruthTest, EveryRequestTheServerSawIsAccountedFor) {
  EXPECT_EQ(static_cast<int64_t>(run_->result.requests_sent()), simulator_->Posts());
}

TEST_F(SweepTruthTest, NoPromptIsSentTwice) {
  EXPECT_EQ(simulator_->Stat("distinct_prompts"), simulator_->Posts());
}

TEST_F(SweepTruthTest, PromptsHaveTheLengthAskedFor) {
  const double mean = static_cast<double>(simulator_->Stat("prompt_tokens")) /
                      static_cast<double>(simulator_->Posts());
  ExpectWithin(mean, kInput, 0.02);
}

TEST_F(SweepTruthTest, ConnectionsAreKept) {
  // The slots of the largest level, the probe's few, and those closed by a cancelled filler.
  uint64_t cancelled = 0;
  for (const v1::LevelResult& level : run_->result.levels()) {
    cancelled += level.unmeasured().cancelled();
  }
  EXPECT_LE(simulator_->Stat("connections"), static_cast<int64_t>(64 + cancelled + 40));
}

}  // namespace
}  // namespace tidemark::testing
