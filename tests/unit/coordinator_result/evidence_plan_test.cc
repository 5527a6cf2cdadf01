#include "coordinator/core/evidence/evidence_plan.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

Sla LatencySla(SlaOp op, double threshold) { return {"request_latency", SlaStat::kP99, op, threshold, false}; }

TEST(EvidencePlan, GivesEachRequestMetricSlaAThreshold) {
  const EvidencePlan plan = PlanEvidence({LatencySla(SlaOp::kLt, 300)}, true);
  ASSERT_TRUE(plan.of_sla[0].has_value());
  EXPECT_EQ(plan.thresholds[*plan.of_sla[0]].metric, Metric::kRequestLatency);
  EXPECT_EQ(plan.thresholds[*plan.of_sla[0]].threshold, 300'000u);
}

TEST(EvidencePlan, GivesALevelMetricNoThreshold) {
  const EvidencePlan plan = PlanEvidence({{"error_rate", SlaStat::kRate, SlaOp::kLe, 0.01, false}}, true);
  EXPECT_FALSE(plan.of_sla[0].has_value());
}

TEST(EvidencePlan, AddsLatencyAndFirstTokenForTheirIntervals) {
  const EvidencePlan plan = PlanEvidence({}, true);
  EXPECT_TRUE(plan.Find(Metric::kTimeToFirstToken).has_value());
  EXPECT_TRUE(plan.Find(Metric::kRequestLatency).has_value());
}

TEST(EvidencePlan, LeavesFirstTokenOutWhenNotStreaming) {
  EXPECT_FALSE(PlanEvidence({}, false).Find(Metric::kTimeToFirstToken).has_value());
}

TEST(EvidencePlan, StrictLimitExcludesTheThresholdItself) {
  const SlaThreshold sla = PlanEvidence({LatencySla(SlaOp::kLt, 300)}, true).thresholds[0];
  EXPECT_TRUE(sla.upper);
  EXPECT_FALSE(sla.inclusive);
}

TEST(EvidencePlan, LimitBetweenUnitsIsMetByTheUnitBelow) {
  const SlaThreshold sla = PlanEvidence({LatencySla(SlaOp::kLt, 300.0005)}, true).thresholds[0];
  EXPECT_EQ(sla.threshold, 300'001u);
  EXPECT_FALSE(sla.inclusive);
}

TEST(EvidencePlan, ThresholdsBetweenUnitsKeepTheirMeaning) {
  const auto at = [](SlaOp op, double ms) {
    return PlanEvidence({LatencySla(op, ms)}, true).thresholds[0].threshold;
  };
  EXPECT_EQ(at(SlaOp::kLe, 1.0005), 1000u);
  EXPECT_EQ(at(SlaOp::kGt, 1.0005), 1000u);
  EXPECT_EQ(at(SlaOp::kGe, 1.0005), 1001u);
  EXPECT_EQ(at(SlaOp::kLt, 0.1 + 0.2), 300u);  // a hair more than 0.3
}

TEST(EvidencePlan, AMeanHasRowsThatNoRequestViolates) {
  const Sla mean{"request_latency", SlaStat::kAvg, SlaOp::kLt, 1, false};
  EXPECT_EQ(PlanEvidence({mean}, true).thresholds[0].threshold, UINT64_MAX);
}

}  // namespace
}  // namespace tidemark
