#include "coordinator/core/search/verdict.h"

#include "gmock/gmock.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sla Ttft(SlaStat stat = SlaStat::kP95, SlaOp op = SlaOp::kLt) {
  return {"time_to_first_token", stat, op, 600, false};
}

Sla ErrorRate(double threshold) {
  return {"error_rate", SlaStat::kRate, SlaOp::kLe, threshold, false};
}

SlaFacts Counted(const Sla& sla, uint64_t n, uint64_t v, double observed) {
  SlaFacts facts;
  facts.sla = sla;
  facts.n = n;
  facts.v = v;
  facts.observed = observed;
  return facts;
}

LevelFacts Level(uint64_t successes, uint64_t failures, std::vector<SlaFacts> slas) {
  LevelFacts facts;
  facts.concurrency = 4;
  facts.successes = successes;
  facts.failures = failures;
  facts.slas = std::move(slas);
  return facts;
}

Verdict JudgeTtft(uint64_t n, uint64_t v) {
  return JudgeLevel(Level(n, 0, {Counted(Ttft(), n, v, 500)})).verdict;
}

TEST(Verdict, PassesWithAsManyViolationsAsTheRankAllows) {
  EXPECT_EQ(JudgeTtft(100, 5), Verdict::kPass);
  EXPECT_EQ(JudgeTtft(100, 6), Verdict::kFail);
}

TEST(Verdict, DecidesAtOneRequest) {
  EXPECT_EQ(JudgeTtft(1, 0), Verdict::kPass);
  EXPECT_EQ(JudgeTtft(1, 1), Verdict::kFail);
}

TEST(Verdict, AllowsNoViolationOfP99UnderAHundredRequests) {
  EXPECT_EQ(AllowedViolations(Ttft(SlaStat::kP99), 99), 0u);
  EXPECT_EQ(AllowedViolations(Ttft(SlaStat::kP99), 100), 1u);
  EXPECT_EQ(AllowedViolations(Ttft(SlaStat::kP999), 1000), 1u);
}

TEST(Verdict, RanksAreExactForHugeCounts) {
  const uint64_t n = uint64_t{1} << 62;
  EXPECT_EQ(AllowedViolations(Ttft(SlaStat::kP50), n), n / 2);
}

TEST(Verdict, ALowerLimitCountsValuesBelowTheRank) {
  const Sla sla{"output_token_throughput_per_user", SlaStat::kP5, SlaOp::kGe, 20, false};
  EXPECT_EQ(AllowedViolations(sla, 100), 4u);
  EXPECT_EQ(AllowedViolations(sla, 1), 0u);
  EXPECT_DOUBLE_EQ(*RequiredShare(sla), 0.95);
}

TEST(Verdict, SaysThatFailuresBrokeAQuantileWhoseSuccessesHoldIt) {
  const LevelVerdict level = JudgeLevel(Level(90, 10, {Counted(Ttft(), 100, 10, 500)}));
  EXPECT_EQ(level.verdict, Verdict::kFail);
  EXPECT_THAT(level.slas[0].reason, HasSubstr("failed requests"));
}

TEST(Verdict, EverySlaMustHold) {
  const LevelVerdict level =
      JudgeLevel(Level(98, 2, {Counted(Ttft(), 100, 5, 500), {ErrorRate(0.01), {}, 0, 0, {}}}));
  EXPECT_EQ(level.slas[0].verdict, Verdict::kPass);
  EXPECT_EQ(level.slas[1].verdict, Verdict::kFail);
  EXPECT_EQ(level.verdict, Verdict::kFail);
  EXPECT_EQ(level.first_breach, 1u);
}

TEST(Verdict, ErrorRateIsCountedFromTheLevel) {
  const LevelVerdict level = JudgeLevel(Level(297, 3, {{ErrorRate(0.01), {}, 0, 0, {}}}));
  EXPECT_EQ(level.verdict, Verdict::kPass);
  EXPECT_EQ(level.slas[0].observed, 0.01);
  EXPECT_EQ(level.slas[0].n, 300u);
  EXPECT_EQ(level.slas[0].v, 3u);
}

TEST(Verdict, ErrorRateIsZeroWithoutErrors) {
  const LevelVerdict level = JudgeLevel(Level(10, 0, {{ErrorRate(0), {}, 0, 0, {}}}));
  EXPECT_EQ(level.verdict, Verdict::kPass);
  EXPECT_EQ(level.slas[0].observed, 0);
}

TEST(Verdict, ALevelWithoutSuccessFails) {
  const LevelVerdict with_sla = JudgeLevel(Level(0, 10, {{Ttft(), {}, 10, 10, {}}}));
  EXPECT_EQ(with_sla.verdict, Verdict::kFail);
  EXPECT_EQ(with_sla.first_breach, 0u);
  const LevelVerdict without_sla = JudgeLevel(Level(0, 10, {}));
  EXPECT_EQ(without_sla.verdict, Verdict::kFail);
  EXPECT_THAT(without_sla.reasons, ElementsAre("no request succeeded"));
}

TEST(Verdict, ALevelWithoutSlaPassesOnASuccess) {
  EXPECT_EQ(JudgeLevel(Level(1, 10, {})).verdict, Verdict::kPass);
}

TEST(Verdict, InvalidDominatesFail) {
  LevelFacts facts = Level(100, 0, {Counted(Ttft(), 100, 50, 700)});
  facts.invalid_reasons = {"loop lag of agent a1"};
  const LevelVerdict level = JudgeLevel(facts);
  EXPECT_EQ(level.verdict, Verdict::kInvalid);
  EXPECT_THAT(level.reasons, ElementsAre("loop lag of agent a1"));
  EXPECT_EQ(level.slas[0].verdict, Verdict::kFail);
}

TEST(Verdict, ALevelWithoutAnyRequestIsInvalid) {
  EXPECT_EQ(JudgeLevel(Level(0, 0, {})).verdict, Verdict::kInvalid);
}

TEST(Verdict, AMetricThatNoSuccessHasIsInvalidNotFailed) {
  const Sla tpot{"inter_token_latency", SlaStat::kP95, SlaOp::kLt, 50, false};
  const LevelVerdict level = JudgeLevel(Level(90, 10, {{tpot, {}, 10, 10, {}}}));
  EXPECT_EQ(level.verdict, Verdict::kInvalid);
  EXPECT_THAT(level.reasons, ElementsAre(HasSubstr("no request has inter_token_latency")));
}

TEST(Verdict, AThroughputThatWasNotMeasuredIsInvalid) {
  const Sla sla{"output_token_throughput", SlaStat::kRate, SlaOp::kGe, 100, false};
  EXPECT_EQ(JudgeLevel(Level(90, 0, {{sla, {}, 0, 0, {}}})).verdict, Verdict::kInvalid);
}

TEST(Verdict, ComparesAveragesAndFiguresAsTheOperatorSays) {
  const auto judge = [](SlaOp op, double observed) {
    const Sla sla{"request_latency", SlaStat::kAvg, op, 100, false};
    SlaFacts facts;
    facts.sla = sla;
    facts.observed = observed;
    return JudgeLevel(Level(9, 0, {facts})).verdict;
  };
  EXPECT_EQ(judge(SlaOp::kLt, 100), Verdict::kFail);
  EXPECT_EQ(judge(SlaOp::kLe, 100), Verdict::kPass);
  EXPECT_EQ(judge(SlaOp::kGt, 100), Verdict::kFail);
  EXPECT_EQ(judge(SlaOp::kGe, 100), Verdict::kPass);
}

std::vector<SliceFacts> EvenSlices(uint64_t over_each) {
  std::vector<SliceFacts> slices(50);
  for (SliceFacts& slice : slices) slice = {20, over_each, over_each, 20 - over_each, 2000};
  return slices;
}

TEST(Verdict, ShowsItsConfidenceBeside) {
  SlaFacts facts = Counted(Ttft(), 1000, 0, 500);
  facts.slices = EvenSlices(0);
  const LevelVerdict level = JudgeLevel(Level(1000, 0, {facts}));
  ASSERT_TRUE(level.slas[0].confidence.has_value());
  const Confidence& confidence = *level.slas[0].confidence;
  EXPECT_EQ(confidence.verdict, Verdict::kPass);
  EXPECT_EQ(confidence.effective.batches, 30);
  EXPECT_LT(confidence.effective.n, 1000);
  EXPECT_EQ(confidence.violating_share.lower, 0);
  EXPECT_GT(confidence.violating_share.upper, 0);
}

TEST(Verdict, PointEstimateDecidesWhereConfidenceDoesNot) {
  SlaFacts facts = Counted(Ttft(), 1000, 50, 599);
  facts.slices = EvenSlices(1);
  const LevelVerdict level = JudgeLevel(Level(1000, 0, {facts}));
  EXPECT_EQ(level.verdict, Verdict::kPass);
  EXPECT_EQ(level.slas[0].confidence->verdict, Verdict::kInconclusive);
}

TEST(Verdict, GivesAnAverageItsInterval) {
  SlaFacts facts;
  facts.sla = {"request_latency", SlaStat::kAvg, SlaOp::kLt, 200, false};
  facts.observed = 100;
  facts.slices = EvenSlices(0);
  const LevelVerdict level = JudgeLevel(Level(1000, 0, {facts}));
  ASSERT_TRUE(level.slas[0].mean.has_value());
  EXPECT_NEAR(level.slas[0].mean->lower, 100, 1e-6);
  EXPECT_FALSE(level.slas[0].confidence.has_value());
}

TEST(Verdict, MarksFewerThanFiveRequestsASlotAsAShortWindow) {
  EXPECT_TRUE(JudgeLevel(Level(19, 0, {})).short_window);
  EXPECT_FALSE(JudgeLevel(Level(20, 0, {})).short_window);
}

}  // namespace
}  // namespace tidemark
