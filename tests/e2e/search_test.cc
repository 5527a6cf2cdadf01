// The search against the law's own limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/json/json.h"
#include "tests/e2e/sweep_run.h"
#include "tests/unit/simulator/closed_form.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kInput = 64, kOutput = 32, kLimit = 40;

LawCase Law() {
  LawCase law;
  law.b_ms = 2;
  law.c_ms = 0.1;
  law.max_batch = 16;
  law.prompt = kInput;
  law.output = kOutput;
  return law;
}

Flags SearchFlags(double latency_ms) {
  return {"--search-recipe", "max-concurrency-under-sla", "--e2e-sla-ms", absl::StrCat(latency_ms),
          "--search-start", "8", "--request-count", "200", "--random-seed", "11",
          "--prompt-input-tokens-mean", absl::StrCat(kInput), "--output-tokens-mean",
          absl::StrCat(kOutput)};
}

class SearchTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Between the law's latencies of the limit and of one more.
    const double threshold =
        (ClosedFormLatencyMs(Law(), kLimit) + ClosedFormLatencyMs(Law(), kLimit + 1)) / 2;
    ASSERT_EQ(ClosedFormLimit(Law(), threshold), kLimit);
    const SimulatorProcess simulator({"--step-ms", "2", "--sequence-ms", "0.1"});
    run_ = new SweepRun(RunUndisturbed(
        [&] { return RunSweep(simulator.url(), Join(SearchFlags(threshold), {"--search-stat", "avg"})); }));
  }
  static void TearDownTestSuite() { delete run_; }

  static inline SweepRun* run_ = nullptr;
};

TEST_F(SearchTest, AnswerIsTheLawsLimitWithin5Percent) {
  ASSERT_TRUE(run_->result.search().has_feasible_max()) << run_->all_output();
  const double answer = run_->result.search().feasible_max().concurrency();
  EXPECT_GE(answer, kLimit * 0.95);
  EXPECT_LE(answer, kLimit * 1.05);
}

TEST_F(SearchTest, EndsWithExitCode0) { EXPECT_EQ(run_->end.code, 0) << run_->all_output(); }

TEST_F(SearchTest, AnswerNamesTheLevelOnStandardOutput) {
  const uint32_t answer = run_->result.search().feasible_max().concurrency();
  EXPECT_THAT(run_->end.out, HasSubstr("PASS"));
  EXPECT_THAT(run_->end.out, HasSubstr(absl::StrCat(answer, " concurrent")));
}

TEST_F(SearchTest, HistoryFileHasEveryLevelMeasured) {
  const absl::StatusOr<Json> history =
      ParseJson(ReadFile(run_->folder + "/search_history.json"), "search_history.json");
  ASSERT_TRUE(history.ok()) << history.status();
  const Json* iterations = history->Find("iterations");
  ASSERT_NE(iterations, nullptr);
  EXPECT_EQ(static_cast<int>(iterations->Items().size()), run_->result.levels_size());
  EXPECT_GE(iterations->Items().size(), 4u);
}

TEST_F(SearchTest, BothEndsOfTheBracketWereMeasured) {
  const v1::SearchResult& search = run_->result.search();
  ASSERT_TRUE(search.has_infeasible_min());
  EXPECT_GT(search.infeasible_min().concurrency(), search.feasible_max().concurrency());
  EXPECT_EQ(LevelOf(run_->result, search.infeasible_min().concurrency()).verdict(), v1::FAIL);
  EXPECT_EQ(LevelOf(run_->result, search.feasible_max().concurrency()).verdict(), v1::PASS);
}

// Where M divides N every request takes N / M turns of the batch, so that the p99 is the law's too: 3 at 48. No
// request of fewer clients takes more; of 50 already the mean is 3.125.
TEST(SearchByP99, AnswerIsTheLawsLimitWithin5Percent) {
  constexpr double kTruth = 48;
  const SimulatorProcess simulator({"--step-ms", "2", "--sequence-ms", "0.1"});
  const double turn_ms = ClosedFormLatencyMs(Law(), 3 * Law().max_batch) / 3;
  const SweepRun run = RunUndisturbed(
      [&] { return RunSweep(simulator.url(), Join(SearchFlags(3.06 * turn_ms), {"--search-stat", "p99"})); });
  ASSERT_TRUE(run.result.search().has_feasible_max()) << run.all_output();
  const double answer = run.result.search().feasible_max().concurrency();
  EXPECT_GE(answer, kTruth * 0.95);
  EXPECT_LE(answer, kTruth * 1.05);
}

TEST(SearchNone, SlaMetNowhereIsExitCode3AndNamesNoLevel) {
  const SimulatorProcess simulator;
  const Flags flags = {"--search-recipe", "max-concurrency-under-sla", "--ttft-sla-ms", "0.001",
                       "--request-count", "20", "--isl", "32", "--osl", "8"};
  const SweepRun run = RunUndisturbed([&] { return RunSweep(simulator.url(), flags); });
  EXPECT_EQ(run.end.code, 3) << run.all_output();
  EXPECT_FALSE(run.result.search().has_feasible_max());
  EXPECT_EQ(run.result.answer().concurrency(), 0u);
  EXPECT_THAT(run.end.out, HasSubstr("FAIL"));
}

TEST(SearchAll, NoFailureInRangeAnswersTheLargest) {
  const SimulatorProcess simulator;
  const Flags flags = {"--search-recipe", "max-concurrency-under-sla", "--e2e-sla-ms", "60000",
                       "--concurrency-max", "6", "--request-count", "30", "--isl", "32", "--osl", "8"};
  const SweepRun run = RunUndisturbed([&] { return RunSweep(simulator.url(), flags); });
  EXPECT_EQ(run.end.code, 0) << run.all_output();
  EXPECT_EQ(run.result.search().feasible_max().concurrency(), 6u);
  EXPECT_FALSE(run.result.search().has_infeasible_min());
}

}  // namespace
}  // namespace tidemark::testing
