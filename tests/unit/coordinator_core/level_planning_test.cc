#include "coordinator/core/job/level_planning.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(LevelPlanning, TheDefaultCountIsCappedInTimeAndAGivenOneIsNot) {
  JobSpec spec;
  EXPECT_EQ(PlanLevel(spec, 64, 1).request_count, 320u);
  EXPECT_EQ(PlanLevel(spec, 2, 1).request_count, 100u);
  EXPECT_EQ(PlanLevel(spec, 2, 1).window_cap_ns, 60'000'000'000u);
  spec.request_count = 7;
  EXPECT_EQ(PlanLevel(spec, 64, 1).request_count, 7u);
  EXPECT_EQ(PlanLevel(spec, 64, 1).window_cap_ns, 0u);
}

TEST(LevelPlanning, SlicesAreAThreeHundredthOfTheExpectedWindow) {
  JobSpec spec;
  spec.request_count = 600;
  EXPECT_EQ(PlanLevel(spec, 10, 1'000'000'000).slice_ns, 200'000'000u);
  EXPECT_EQ(PlanLevel(spec, 10, 1'000).slice_ns, 1'000'000u);
  EXPECT_EQ(PlanLevel(spec, 1, 100'000'000'000).slice_ns, 1'000'000'000u);
}

TEST(LevelPlanning, RecordsAreThinnedBeyondAHundredThousand) {
  JobSpec spec;
  spec.request_count = 100'000;
  EXPECT_EQ(PlanLevel(spec, 1, 1).record_one_in, 1u);
  spec.request_count = 100'001;
  EXPECT_EQ(PlanLevel(spec, 1, 1).record_one_in, 2u);
  spec.records = RecordExport::kNone;
  EXPECT_EQ(PlanLevel(spec, 1, 1).record_one_in, 0u);
}

TEST(LevelPlanning, SaysWhoseArrivalTimesAreWanted) {
  JobSpec spec;
  EXPECT_FALSE(PlanLevel(spec, 1, 1).user_timestamps);
  spec.user_timestamps = true;
  EXPECT_TRUE(PlanLevel(spec, 1, 1).user_timestamps);
}

TEST(LevelPlanning, LatencyIsExpectedToGrowWithConcurrencyButNotToShrink) {
  EXPECT_EQ(ExpectedLatency(100, 4, 8), 200);
  EXPECT_EQ(ExpectedLatency(100, 8, 4), 100);
  EXPECT_EQ(ExpectedLatency(100, 0, 64), 100);
}

}  // namespace
}  // namespace tidemark
