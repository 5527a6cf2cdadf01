#include "coordinator/core/job/level_planning.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

Sla Of(const char* tag, SlaStat stat, SlaOp op, double threshold) {
  Sla sla;
  sla.metric_tag = tag;
  sla.stat = stat;
  sla.op = op;
  sla.threshold = threshold;
  return sla;
}

TEST(LevelPlanning, OnlyQuantilesHaveThresholds) {
  const std::vector<Sla> slas{Of("time_to_first_token", SlaStat::kAvg, SlaOp::kLt, 5),
                              Of("request_latency", SlaStat::kP99, SlaOp::kLt, 1500),
                              Of("error_rate", SlaStat::kRate, SlaOp::kLe, 0.01),
                              Of("time_to_first_token", SlaStat::kP95, SlaOp::kLt, 600)};
  const auto index = PlannedSlaIndex(slas);
  ASSERT_EQ(index.size(), 4u);
  EXPECT_FALSE(index[0]);
  EXPECT_EQ(index[1], 0u);
  EXPECT_FALSE(index[2]);
  EXPECT_EQ(index[3], 1u);
  const std::vector<SlaThreshold> planned = PlannedThresholds(slas);
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[0], (SlaThreshold{Metric::kRequestLatency, true, false, 1'500'000}));
}

TEST(LevelPlanning, ThresholdsBetweenIntegersKeepTheirMeaning) {
  const auto at = [](SlaOp op, double ms) {
    return PlannedThresholds({Of("request_latency", SlaStat::kP99, op, ms)}).at(0).threshold;
  };
  EXPECT_EQ(at(SlaOp::kLt, 1.0005), 1001u);  // x < 1000.5 is x < 1001
  EXPECT_EQ(at(SlaOp::kLe, 1.0005), 1000u);
  EXPECT_EQ(at(SlaOp::kGt, 1.0005), 1000u);
  EXPECT_EQ(at(SlaOp::kGe, 1.0005), 1001u);
  EXPECT_EQ(at(SlaOp::kLt, 0.1 + 0.2), 300u);  // a hair more than 0.3
}

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

TEST(LevelPlanning, LatencyIsExpectedToGrowWithConcurrencyButNotToShrink) {
  EXPECT_EQ(ExpectedLatency(100, 4, 8), 200);
  EXPECT_EQ(ExpectedLatency(100, 8, 4), 100);
  EXPECT_EQ(ExpectedLatency(100, 0, 64), 100);
}

}  // namespace
}  // namespace tidemark
