// Exactly request_count measured requests a level, whatever the concurrency.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

const Flags kSmall = {"--prompt-input-tokens-mean", "32", "--output-tokens-mean", "8"};

struct Count {
  int concurrency;
  int requests;
};

class SweepCountsTest : public ::testing::TestWithParam<Count> {};

TEST_P(SweepCountsTest, MeasuresExactlyTheRequestsAskedFor) {
  const SimulatorProcess simulator;
  const SweepRun run =
      RunSweep(simulator.url(), Join(kSmall, {"--concurrency", absl::StrCat(GetParam().concurrency),
                                              "--request-count", absl::StrCat(GetParam().requests)}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  const v1::LevelResult level = LevelOf(run.result, GetParam().concurrency);
  EXPECT_EQ(level.measured().sent(), static_cast<uint64_t>(GetParam().requests));
  EXPECT_EQ(level.measured().ok() + level.measured().failed(),
            static_cast<uint64_t>(GetParam().requests));
  EXPECT_EQ(static_cast<int64_t>(run.result.requests_sent()), simulator.Posts());
  EXPECT_EQ(simulator.Stat("in_flight_max"), GetParam().concurrency);
}

INSTANTIATE_TEST_SUITE_P(Counts, SweepCountsTest,
                         ::testing::Values(Count{1, 1}, Count{1, 25}, Count{8, 3}, Count{8, 1},
                                           Count{8, 8}, Count{8, 101}),
                         [](const auto& info) {
                           return absl::StrCat(info.param.requests, "RequestsAtConcurrency",
                                               info.param.concurrency);
                         });

TEST(SweepCounts, DefaultCountIsAHundredAtLeast) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--concurrency", "4"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(LevelOf(run.result, 4).measured().ok(), 100u);
}

TEST(SweepCounts, CapOfTheDefaultEndsALevelInTime) {
  const SimulatorProcess simulator({"--delay-ms", "20", "--itl-ms", "10"});
  const SweepRun run = RunSweep(
      simulator.url(), Join(kSmall, {"--concurrency", "2", "--level-cap-seconds", "1"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  const v1::LevelResult level = LevelOf(run.result, 2);
  EXPECT_TRUE(level.ended_by_cap());
  EXPECT_GT(level.measured().ok(), 10u);
  EXPECT_LT(level.measured().ok(), 40u);
}

TEST(SweepCounts, SecondRunWithTheSameSeedSendsOtherText) {
  const SimulatorProcess simulator;
  const Flags flags =
      Join(kSmall, {"--concurrency", "4", "--request-count", "20", "--random-seed", "7"});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Ran(RunSweep(simulator.url(), flags).end.code));
  EXPECT_GT(simulator.Posts(), 40);
  EXPECT_EQ(simulator.Stat("distinct_prompts"), simulator.Posts());
}

TEST(SweepCounts, WithoutFillTheTokensReportedAreTheTokensServed) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(
      simulator.url(),
      Join(kSmall, {"--concurrency", "1,4", "--request-count", "20", "--no-fill"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(static_cast<int64_t>(run.result.output_tokens_sent()), simulator.Stat("tokens"));
  EXPECT_EQ(static_cast<int64_t>(run.result.requests_sent()), simulator.Posts());
  EXPECT_EQ(simulator.Stat("cancelled"), 0);
}

TEST(SweepCounts, CompletionsApiWithoutStreamingIsMeasuredToo) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(
      simulator.url(), Join(kSmall, {"--concurrency", "4", "--request-count", "40", "--api",
                                     "openai-completions", "--streaming", "false"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(LevelOf(run.result, 4).measured().ok(), 40u);
  EXPECT_EQ(simulator.Stat("paths./v1/chat/completions"), 0);
}

}  // namespace
}  // namespace tidemark::testing
