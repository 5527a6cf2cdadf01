#include "coordinator/core/job_spec/estimate.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

JobSpec List(std::vector<uint32_t> levels) {
  JobSpec spec;
  spec.concurrency = std::move(levels);
  spec.level_cooldown_seconds = 0;
  return spec;
}

LatencyAt Always(double seconds) {
  return [seconds](uint32_t) { return std::optional<double>(seconds); };
}

TEST(Estimate, CountsMeasuredWarmUpFillersAndProbe) {
  const JobEstimate estimate = EstimateJob(List({10, 64}), nullptr);
  EXPECT_EQ(estimate.measured, 100u + 320u);
  EXPECT_EQ(estimate.sent, 4u + 120u + 448u);
  EXPECT_EQ(estimate.input_tokens, 572.0 * 512);
}

TEST(Estimate, LeavesFillersOutWhereThereAreNone) {
  JobSpec spec = List({10});
  spec.fill = false;
  EXPECT_EQ(EstimateJob(spec, nullptr).sent, 4u + 110u);
}

TEST(Estimate, TakesTimeFromTheLatency) {
  JobSpec spec = List({10});
  spec.request_count = 100;
  EXPECT_DOUBLE_EQ(EstimateJob(spec, Always(2)).seconds.value_or(0), (10 + 3) * 2);
}

TEST(Estimate, EndsALevelAtItsCapWithFewerRequests) {
  const JobEstimate estimate = EstimateJob(List({1}), Always(10));
  EXPECT_EQ(estimate.measured, 6u);
}

TEST(Estimate, BoundsTheTimeByTheCapWithoutALatency) {
  const JobEstimate estimate = EstimateJob(List({1, 2}), nullptr);
  EXPECT_DOUBLE_EQ(estimate.seconds.value_or(0), 120);
  EXPECT_TRUE(estimate.time_is_a_bound);
}

TEST(Estimate, KnowsNoTimeForACountWithoutALatency) {
  JobSpec spec = List({1});
  spec.request_count = 5;
  EXPECT_FALSE(EstimateJob(spec, nullptr).seconds.has_value());
  EXPECT_THAT(DescribeEstimate(EstimateJob(spec, nullptr)), HasSubstr("time not known"));
}

TEST(Estimate, BoundsASearchByItsIterationsAndBudget) {
  JobSpec spec = List({});
  spec.search.emplace();
  spec.search->spec.min = 1;
  spec.search->spec.max = 8;
  spec.search->spec.max_iterations = 6;
  spec.search->spec.budget.seconds = 100;
  const JobEstimate estimate = EstimateJob(spec, nullptr);
  EXPECT_EQ(estimate.levels.size(), 6u);
  EXPECT_TRUE(estimate.upper_bound);
  EXPECT_DOUBLE_EQ(estimate.seconds.value_or(0), 100);
}

TEST(EstimateTexts, AreReadable) {
  EXPECT_EQ(DurationText(0.0123), "12 ms");
  EXPECT_EQ(DurationText(1.26), "1.3 s");
  EXPECT_EQ(DurationText(42.4), "42 s");
  EXPECT_EQ(DurationText(200), "3 min 20 s");
  EXPECT_EQ(DurationText(7500), "2 h 5 min");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(12345), "12,345");
  EXPECT_EQ(CountText(1'234'567), "1.2M");
  EXPECT_EQ(CountText(3.4e9), "3.4G");
  EXPECT_EQ(CountText(999.9e9), "999.9G");
  EXPECT_EQ(CountText(1e12), "1.0T");
  EXPECT_EQ(CountText(2.5e15), "2.5P");
}

}  // namespace
}  // namespace tidemark
