#include "coordinator/core/result/level_result.h"

#include <gtest/gtest.h>

#include "common/clock/clock.h"
#include "tests/unit/coordinator_result/level_fixture.h"

namespace tidemark {
namespace {

std::vector<double> Latencies(size_t fast, size_t slow) {
  std::vector<double> all(fast, 100);
  all.insert(all.end(), slow, 500);
  return all;
}

LevelJudgement Judge(const std::vector<double>& latencies, uint64_t failures = 0) {
  const JobSpec spec = SpecWithLatencySla(300);
  return JudgeMeasurement(spec, MeasuredLevel(spec, 4, latencies, failures), {});
}

TEST(LevelResult, PassesWhenTheExactQuantileHolds) {
  EXPECT_EQ(Judge(Latencies(99, 1)).result.verdict(), v1::PASS);
}

TEST(LevelResult, FailsWithOneViolationMoreThanTheQuantileAllows) {
  EXPECT_EQ(Judge(Latencies(98, 2)).result.verdict(), v1::FAIL);
}

TEST(LevelResult, FailuresViolateALatencyObjective) {
  EXPECT_EQ(Judge(Latencies(98, 0), 2).result.verdict(), v1::FAIL);
}

TEST(LevelResult, ObservedIsInfiniteWhereFailuresHoldTheQuantile) {
  const v1::SlaResult sla = Judge(Latencies(90, 0), 10).result.slas(0);
  EXPECT_TRUE(sla.observed_known());
  EXPECT_EQ(sla.observed(), std::numeric_limits<double>::infinity());
}

TEST(LevelResult, ALevelWithoutASuccessFails) {
  EXPECT_EQ(Judge({}, 20).result.verdict(), v1::FAIL);
}

TEST(LevelResult, AnInvalidMeasurementHasNoOtherVerdict) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(0, 100), 0);
  level.parts[0].snapshot.self_check.loop_lag_us.Record(90'000, 100);
  const LevelJudgement judgement = JudgeMeasurement(spec, level, {});
  EXPECT_EQ(judgement.result.verdict(), v1::INVALID);
  EXPECT_EQ(judgement.outcome.verdict, Verdict::kInvalid);
  EXPECT_FALSE(judgement.outcome.invalid_reason.empty());
}

TEST(LevelResult, ALevelStoppedEarlyIsInvalid) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  level.stopped_early = true;
  EXPECT_EQ(JudgeMeasurement(spec, level, {}).result.verdict(), v1::INVALID);
}

TEST(LevelResult, WithoutSlasAValidLevelHasNoVerdict) {
  JobSpec spec = SpecWithLatencySla(300);
  spec.slas.clear();
  const LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  EXPECT_EQ(JudgeMeasurement(spec, level, {}).result.verdict(), v1::VERDICT_UNSPECIFIED);
}

TEST(LevelResult, ErrorRateCountsFailuresOverEndedRequests) {
  EXPECT_DOUBLE_EQ(Judge(Latencies(90, 0), 10).result.error_rate(), 0.1);
}

TEST(LevelResult, ABudgetsTokensAreOfEveryRequest) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  level.parts[0].facts.output_tokens = 10;
  level.parts[0].facts.sent_output_tokens = 12;
  level.parts[0].facts.sent_input_tokens = 30;
  const LevelJudgement judgement = JudgeMeasurement(spec, level, {});
  EXPECT_EQ(judgement.outcome.tokens, 42u);
  EXPECT_EQ(judgement.result.sent_output_tokens(), 12u);
}

TEST(LevelResult, FewerThanFiveRequestsASlotIsAShortWindow) {
  EXPECT_TRUE(Judge(Latencies(19, 0)).result.short_window());
  EXPECT_FALSE(Judge(Latencies(20, 0)).result.short_window());
}

TEST(LevelResult, EveryQuantileWithEvidenceHasALowerLimit) {
  const v1::LevelResult level = Judge(Latencies(100, 0)).result;
  for (const v1::MetricStatistics& metric : level.metrics()) {
    for (const v1::Quantile& quantile : metric.quantiles()) EXPECT_TRUE(quantile.low_known()) << quantile.p();
  }
}

TEST(LevelResult, TheUpperLimitOfP99IsNotDeterminedByAHundredRequests) {
  const v1::LevelResult level = Judge(Latencies(100, 0)).result;
  const v1::Quantile& p99 = level.metrics(0).quantiles(8);
  ASSERT_DOUBLE_EQ(p99.p(), 0.99);
  EXPECT_FALSE(p99.high_known());
}

TEST(LevelResult, GoodRequestsAreCountedOverAllEnded) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(50, 50), 0);
  level.parts[0].snapshot.windows[0].good_requests = 50;
  EXPECT_DOUBLE_EQ(JudgeMeasurement(spec, level, {}).result.good_request_fraction(), 0.5);
}

TEST(LevelResult, TooFewRequestsForTheAgentsIsSaidAndGivesNoThroughput) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(3, 0), 0);
  level.parts[0].snapshot.windows[0].measured_requests = 0;
  const v1::LevelResult result = JudgeMeasurement(spec, level, {}).result;
  EXPECT_FALSE(result.has_request_throughput());
  EXPECT_GE(result.notes_size(), 1);
}

TEST(LevelResult, ThrottlingIsNamedWhenItIsMostOfTheFailures) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(40, 0), 10);
  level.parts[0].facts.failures = {{"http_429", 8}, {"http_503", 2}};
  const v1::LevelResult result = JudgeMeasurement(spec, level, {}).result;
  EXPECT_NE(result.notes(result.notes_size() - 1).find("quota"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
