#include "coordinator/core/search/evidence.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> SmallestCounts(double p, double alpha, std::vector<uint64_t> violations) {
  std::vector<uint64_t> counts;
  for (uint64_t v : violations) counts.push_back(*SmallestPassingCount(p, v, alpha));
  return counts;
}

TEST(SequentialVerdict, SmallestPassingCountsAtFivePercentAreThoseOfTheTable) {
  EXPECT_THAT(SmallestCounts(0.90, 0.05, {0, 1, 2, 5, 10}), ElementsAre(29, 46, 61, 103, 167));
  EXPECT_THAT(SmallestCounts(0.95, 0.05, {0, 1, 2, 5, 10}), ElementsAre(59, 93, 124, 208, 336));
  EXPECT_THAT(SmallestCounts(0.99, 0.05, {0, 1, 2, 5, 10}), ElementsAre(299, 473, 628, 1049, 1693));
}

TEST(SequentialVerdict, SmallestPassingCountsAtOnePercentAreThoseOfTheTable) {
  EXPECT_THAT(SmallestCounts(0.90, 0.01, {0, 1, 2}), ElementsAre(44, 64, 81));
  EXPECT_THAT(SmallestCounts(0.95, 0.01, {0, 1, 2}), ElementsAre(90, 130, 165));
  EXPECT_THAT(SmallestCounts(0.99, 0.01, {0, 1, 2, 5, 10}), ElementsAre(459, 662, 838, 1307, 2010));
}

TEST(SequentialVerdict, NoCountPassesWhenEveryRequestMustComply) {
  EXPECT_FALSE(SmallestPassingCount(1, 0, 0.05).has_value());
  EXPECT_TRUE(LookCounts(1, 4, 0.05).empty());
}

TEST(SequentialVerdict, LooksDoubleFromTheFirstThatPassesWithTwoViolations) {
  const uint64_t n0 = *SmallestPassingCount(0.95, 2, 0.01);
  EXPECT_THAT(LookCounts(0.95, 4, 0.05), ElementsAre(n0, 2 * n0, 4 * n0, 8 * n0, 16 * n0));
}

TEST(SequentialVerdict, LooksStartAtFiveRequestsASlot) {
  EXPECT_EQ(LookCounts(0.95, 1000, 0.05).front(), 5000u);
}

TEST(SequentialVerdict, FailBoundIsTheLeastCountThatFails) {
  const uint64_t bound = FailBound(200, 0.95, 0.05);
  EXPECT_TRUE(CountsFail(200, static_cast<double>(bound), 0.95, 0.05));
  EXPECT_FALSE(CountsFail(200, static_cast<double>(bound) - 1, 0.95, 0.05));
}

TEST(SequentialVerdict, FewRequestsThatCannotFailHaveABoundOutOfReach) {
  EXPECT_EQ(FailBound(1, 0.5, 0.05), 2u);
}

TEST(SequentialVerdict, NoViolationNeverFails) { EXPECT_FALSE(CountsFail(1e9, 0, 0.95, 0.05)); }

TEST(SequentialVerdict, DecidesByTheEffectiveCounts) {
  const auto judge = [](double n, double v) {
    return JudgeCounts({n, v, 1, 5}, 1000, 10, 0.95, 0.05);
  };
  EXPECT_EQ(judge(124, 2), Verdict::kPass);
  EXPECT_EQ(judge(123, 2), Verdict::kInconclusive);
  EXPECT_EQ(judge(123, 20), Verdict::kFail);
}

TEST(SequentialVerdict, IsInconclusiveInAShortWindow) {
  EXPECT_EQ(JudgeCounts({400, 0, 1, 5}, 499, 100, 0.95, 0.05), Verdict::kInconclusive);
  EXPECT_EQ(JudgeCounts({400, 0, 1, 5}, 500, 100, 0.95, 0.05), Verdict::kPass);
}

std::vector<SliceFacts> Slices(size_t count, uint64_t n) {
  std::vector<SliceFacts> slices(count);
  for (SliceFacts& slice : slices) slice.n = n;
  return slices;
}

std::vector<uint64_t> Sizes(const std::vector<SliceFacts>& batches) {
  std::vector<uint64_t> sizes;
  for (const SliceFacts& batch : batches) sizes.push_back(batch.n);
  return sizes;
}

TEST(Batches, AreOneForEachRoundOfTheSlotsFromFiveToThirty) {
  EXPECT_EQ(GroupIntoBatches(Slices(300, 1), 100).size(), 5u);
  EXPECT_EQ(GroupIntoBatches(Slices(300, 1), 25).size(), 12u);
  EXPECT_EQ(GroupIntoBatches(Slices(300, 1), 1).size(), 30u);
}

TEST(Batches, HoldAboutEqualCounts) {
  EXPECT_THAT(Sizes(GroupIntoBatches(Slices(100, 3), 60)), ElementsAre(60, 60, 60, 60, 60));
}

TEST(Batches, KeepTimeOrderAndLoseNothing) {
  std::vector<SliceFacts> slices = Slices(50, 2);
  for (size_t i = 0; i < slices.size(); ++i) slices[i].over = i < 10 ? 2 : 0;
  slices[49].values = 7;
  slices[49].sum = 3.5;
  const std::vector<SliceFacts> batches = GroupIntoBatches(slices, 20);
  ASSERT_EQ(batches.size(), 5u);
  EXPECT_EQ(batches[0].over, 20u);
  EXPECT_EQ(batches[1].over, 0u);
  EXPECT_EQ(batches[4].values, 7u);
  EXPECT_EQ(batches[4].sum, 3.5);
}

TEST(Batches, AreFewerWhenOneSliceIsLargerThanABatch) {
  std::vector<SliceFacts> slices = Slices(3, 1);
  slices[1].n = 1000;
  EXPECT_THAT(Sizes(GroupIntoBatches(slices, 10)), ElementsAre(1, 1000, 1));
}

TEST(Batches, OfNothingAreNone) {
  EXPECT_TRUE(GroupIntoBatches({}, 4).empty());
  EXPECT_TRUE(GroupIntoBatches(Slices(10, 0), 4).empty());
}

double Penalty(int m, double alpha) {
  const double ratio = StudentTQuantile(1 - alpha, m - 1) / NormalQuantile(1 - alpha);
  return ratio * ratio;
}

TEST(Discount, IsOnlyForEstimationWhenBatchesAgree) {
  std::vector<SliceFacts> batches = Slices(10, 20);
  for (SliceFacts& batch : batches) batch.over = 1;
  const EffectiveCounts counts = Discount(batches, 8, 0.05);
  EXPECT_DOUBLE_EQ(counts.tau, Penalty(10, 0.05));
  EXPECT_DOUBLE_EQ(counts.n, 200 / counts.tau);
  EXPECT_DOUBLE_EQ(counts.v, 10 / counts.tau);
}

TEST(Discount, GrowsWithTheVarianceBetweenBatches) {
  std::vector<SliceFacts> batches = Slices(5, 20);
  batches[2].over = 20;  // one batch wholly slow: q 0.2, squares 4·4² + 16² = 320, n q (1 - q) 16
  const EffectiveCounts counts = Discount(batches, 8, 0.05);
  EXPECT_NEAR(counts.tau, 5.0 / 4 * 320 / 16 * Penalty(5, 0.05), 1e-9);
}

TEST(Discount, SeesCorrelationAtTheReferenceThatTheThresholdIsTooRareToShow) {
  std::vector<SliceFacts> batches = Slices(5, 20);
  batches[2].over_reference = 20;
  EXPECT_NEAR(Discount(batches, 8, 0.05).tau, 25 * Penalty(5, 0.05), 1e-9);
}

TEST(Discount, TakesTheWorstCaseFromTooFewBatches) {
  EXPECT_EQ(Discount(Slices(4, 20), 8, 0.05).tau, 8);
}

TEST(ReferenceOrder, IsFiveTimesAsFarFromTheTail) {
  EXPECT_NEAR(ReferenceOrder(0.99), 0.95, 1e-12);
  EXPECT_NEAR(ReferenceOrder(0.95), 0.75, 1e-12);
  EXPECT_NEAR(ReferenceOrder(0.5), 0.5, 1e-12);
}

// Requests in step: a shared shock for each round of N slots. The share of levels exactly at the
// limit that pass must stay near alpha, where the plain binomial passes several times as many.
TEST(Discount, KeepsFalsePassesRareWhenRequestsMoveInStep) {
  constexpr int kTrials = 400;
  constexpr int kSlots = 8;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const double limit = NormalQuantile(0.9);
  int passes = 0;
  int naive_passes = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<SliceFacts> rounds = Slices(24, kSlots);
    uint64_t over = 0;
    for (SliceFacts& round : rounds) {
      const double shock = normal(random);
      for (int slot = 0; slot < kSlots; ++slot) {
        const double value = std::sqrt(0.6) * shock + std::sqrt(0.4) * normal(random);
        round.over += value > limit ? 1 : 0;
        round.over_reference += value > 0 ? 1 : 0;
      }
      over += round.over;
    }
    const EffectiveCounts counts = Discount(GroupIntoBatches(rounds, kSlots), kSlots, 0.05);
    passes += JudgeCounts(counts, 24 * kSlots, kSlots, 0.9, 0.05) == Verdict::kPass ? 1 : 0;
    naive_passes += CountsPass(24 * kSlots, static_cast<double>(over), 0.9, 0.05) ? 1 : 0;
  }
  EXPECT_LT(passes, kTrials * 0.07);
  EXPECT_GT(naive_passes, kTrials * 0.12);
}

TEST(QuantileRanks, EncloseTheQuantilesOwnRank) {
  const RankInterval ranks = QuantileRanks(1000, 1000, 0.5);
  EXPECT_EQ(ranks.lower, 468u);
  EXPECT_EQ(ranks.upper, 532u);
}

TEST(QuantileRanks, LeaveTheUpperLimitOfP99OpenWhereRequestsAreWorthTooFew) {
  EXPECT_FALSE(QuantileRanks(200, 200, 0.99).upper.has_value());
  EXPECT_FALSE(QuantileRanks(600, 100, 0.99).upper.has_value());
  EXPECT_TRUE(QuantileRanks(700, 700, 0.99).upper.has_value());
}

TEST(QuantileRanks, WidenWhenRequestsAreWorthLess) {
  EXPECT_LT(QuantileRanks(1000, 200, 0.5).lower, QuantileRanks(1000, 1000, 0.5).lower);
  EXPECT_GT(*QuantileRanks(1000, 200, 0.5).upper, *QuantileRanks(1000, 1000, 0.5).upper);
}

TEST(QuantileRanks, StartAtTheFirstValue) { EXPECT_EQ(QuantileRanks(3, 3, 0.5).lower, 1u); }

TEST(MeanInterval, IsStudentsOverBatchMeans) {
  std::vector<SliceFacts> batches(5);
  for (size_t i = 0; i < 5; ++i) {
    batches[i].values = 10;
    batches[i].sum = 10.0 * static_cast<double>(i + 1);  // means 1 … 5: deviation sqrt(2.5)
  }
  const std::optional<Interval> interval = MeanInterval(batches);
  ASSERT_TRUE(interval.has_value());
  const double half = StudentTQuantile(0.975, 4) * std::sqrt(2.5 / 5);
  EXPECT_NEAR(interval->lower, 3 - half, 1e-9);
  EXPECT_NEAR(interval->upper, 3 + half, 1e-9);
}

TEST(MeanInterval, NeedsTwoBatchesWithValues) {
  std::vector<SliceFacts> batches(5);
  batches[1].values = 10;
  EXPECT_FALSE(MeanInterval(batches).has_value());
}

}  // namespace
}  // namespace tidemark
