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

TEST(LevelResult, ALevelWhoseGraceWasOverIsJudgedOnWhatFailed) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(90, 0), 10);
  level.drain_deadline_passed = true;
  const v1::LevelResult result = JudgeMeasurement(spec, level, {}).result;
  EXPECT_EQ(result.verdict(), v1::FAIL);
  EXPECT_DOUBLE_EQ(result.error_rate(), 0.1);
}

TEST(LevelResult, TellsThe99thPercentileOfHowFarAgentsStartedFromTheirMoment) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  const AgentPart part = level.parts[0];
  level.parts.assign(200, part);
  for (size_t i = 0; i < level.parts.size(); ++i) {
    level.parts[i].start_skew_ns = static_cast<int64_t>(i + 1) * kNanosPerMilli * (i % 2 == 0 ? 1 : -1);
  }
  EXPECT_DOUBLE_EQ(JudgeMeasurement(spec, level, {}).result.start_skew_p99_ms(), 198);
}

TEST(LevelResult, WithoutAWindowsEndTheVerdictIsStillByCounts) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  level.drain_deadline_passed = true;
  level.parts[0].snapshot.windows[0].has_window = false;
  const v1::LevelResult result = JudgeMeasurement(spec, level, {}).result;
  EXPECT_EQ(result.verdict(), v1::PASS);
  EXPECT_FALSE(result.has_request_throughput());
}

// 20 requests of 10 gaps each: 19 whose largest gap is 20 ms and one of 90 ms; all other gaps take 5 ms.
LevelMeasurement LevelOfGaps(const JobSpec& spec, uint64_t failures) {
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(20, 0), failures);
  MeasuredFacts& facts = level.parts[0].facts;
  facts.histogram(Metric::kInterChunkLatency).Record(5'000, 180);
  facts.histogram(Metric::kInterChunkLatency).Record(20'000, 19);
  facts.histogram(Metric::kInterChunkLatency).Record(90'000, 1);
  uint32_t request = 0;
  for (auto& [slice, row] : facts.slices) {
    if (row.sla[0].histogram.empty()) continue;  // a failure
    const uint64_t largest = request++ == 0 ? 90'000 : 20'000;
    row.sla[0] = {1, largest >= 50'000 ? 1u : 0u, {}};
    row.sla[0].histogram.Record(largest);
  }
  return level;
}

JobSpec SpecOfGaps(SlaStat stat) {
  JobSpec spec = SpecWithLatencySla(300);
  spec.slas = {Sla{"inter_chunk_latency", stat, SlaOp::kLt, 50, false}};
  return spec;
}

TEST(LevelResult, AGapsQuantileIsOverRequestsByTheirLargestGap) {
  const JobSpec spec = SpecOfGaps(SlaStat::kP50);
  const v1::SlaResult sla = JudgeMeasurement(spec, LevelOfGaps(spec, 0), {}).result.slas(0);
  EXPECT_EQ(sla.n(), 20u);
  EXPECT_EQ(sla.v(), 1u);
  EXPECT_NEAR(sla.observed(), 20, 0.5);  // over gaps it were 5 ms
  EXPECT_NE(sla.statement().find("over requests, each by its largest gap"), std::string::npos);
}

TEST(LevelResult, AGapsQuantileCountsFailuresThoughThereAreMoreGapsThanRequests) {
  const JobSpec spec = SpecOfGaps(SlaStat::kP90);
  const v1::SlaResult sla = JudgeMeasurement(spec, LevelOfGaps(spec, 5), {}).result.slas(0);
  EXPECT_EQ(sla.observed(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sla.verdict(), v1::FAIL);
}

TEST(LevelResult, AGapsMeanIsOverAllGaps) {
  const JobSpec spec = SpecOfGaps(SlaStat::kAvg);
  const v1::SlaResult sla = JudgeMeasurement(spec, LevelOfGaps(spec, 0), {}).result.slas(0);
  EXPECT_NEAR(sla.observed(), (180 * 5 + 19 * 20 + 90) / 200.0, 1e-9);
}

TEST(LevelResult, QuantilesOfGapsHaveNoInterval) {
  const JobSpec spec = SpecOfGaps(SlaStat::kP90);
  const v1::LevelResult level = JudgeMeasurement(spec, LevelOfGaps(spec, 0), {}).result;
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.tag() != "inter_chunk_latency") continue;
    for (const v1::Quantile& quantile : metric.quantiles()) EXPECT_FALSE(quantile.low_known());
  }
}

TEST(LevelResult, VoidAttemptsCountInABudget) {
  const JobSpec spec = SpecWithLatencySla(300);
  LevelMeasurement level = MeasuredLevel(spec, 4, Latencies(100, 0), 0);
  level.voided.push_back({1, "agent-2", "lost", {7, 20, 30}});
  const LevelOutcome outcome = JudgeMeasurement(spec, level, {}).outcome;
  EXPECT_EQ(outcome.requests, 107u);
  EXPECT_EQ(outcome.tokens, 50u);
}

TEST(LevelResult, ALevelStoppedByTheUserIsInvalid) {
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
