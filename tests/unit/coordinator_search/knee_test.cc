#include "coordinator/core/search/knee.h"

#include <cmath>
#include <random>

#include "coordinator/core/search/least_squares.h"
#include "gmock/gmock.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<uint64_t> PowersOfTwo(uint64_t last) {
  std::vector<uint64_t> levels;
  for (uint64_t level = 1; level <= last; level *= 2) levels.push_back(level);
  return levels;
}

template <typename Law>
std::vector<SweepPoint> Sweep(const std::vector<uint64_t>& levels, Law law) {
  std::vector<SweepPoint> points;
  for (uint64_t level : levels) points.push_back({level, law(static_cast<double>(level))});
  return points;
}

auto Saturating(double m) {
  return [m](double n) { return std::min(n, m) / 0.02; };
}

// The simulator's law in closed form: a step with B sequences that admits P prompt tokens lasts
// a P + b + c B seconds; L output tokens a request.
double SimulatorLaw(double n) {
  constexpr double kA = 2e-6, kB = 1e-3, kC = 0.05e-3, kP = 512, kL = 128, kMaxBatch = 16;
  const double batch = std::min(n, kMaxBatch);
  return batch * kL / (kL * (kB + kC * batch) + batch * kA * kP);
}

TEST(Knee, IsWhereASaturatingLawSaturates) {
  for (double m : {4.0, 16.0, 100.0}) {
    const Knee knee = FindKnee(Sweep(PowersOfTwo(1024), Saturating(m)));
    ASSERT_EQ(knee.outcome, KneeOutcome::kFound) << m;
    EXPECT_NEAR(*knee.concurrency, m, 0.02 * m);
    EXPECT_EQ(*knee.level, m == 100 ? 128u : static_cast<uint64_t>(m));
    EXPECT_FALSE(knee.kneedle_disagrees || knee.little_disagrees) << DescribeKnee(knee);
    EXPECT_FALSE(knee.peak_level.has_value());
  }
}

TEST(Knee, IsBetweenTheLevelsAroundIt) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(1024), Saturating(100)));
  EXPECT_EQ(knee.below, 64u);
  EXPECT_EQ(knee.above, 128u);
}

TEST(Knee, OfTheSimulatorsLawIsItsBatch) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(64), SimulatorLaw));
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_EQ(*knee.level, 16u) << *knee.concurrency;
  EXPECT_FALSE(knee.kneedle_disagrees || knee.little_disagrees) << DescribeKnee(knee);
}

TEST(Knee, SurvivesTwoPercentOfNoise) {
  for (double m : {4.0, 16.0, 100.0}) {
    int right = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> noise(1, 0.02);
      const auto noisy = [&](double n) { return Saturating(m)(n) * noise(random); };
      const Knee knee = FindKnee(Sweep(PowersOfTwo(512), noisy));
      right += knee.level == (m == 100 ? 128u : static_cast<uint64_t>(m)) ? 1 : 0;
    }
    EXPECT_GE(right, 95) << m;
  }
}

TEST(Knee, OfTheSimulatorsLawSurvivesTwoPercentOfNoise) {
  int right = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(1, 0.02);
    const auto noisy = [&](double n) { return SimulatorLaw(n) * noise(random); };
    right += FindKnee(Sweep(PowersOfTwo(64), noisy)).level == 16u ? 1 : 0;
  }
  EXPECT_GE(right, 95);
}

TEST(Knee, IsNoneWhileThroughputRises) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(64), [](double n) { return 50 * n; }));
  EXPECT_EQ(knee.outcome, KneeOutcome::kStillRising);
  EXPECT_FALSE(knee.level.has_value());
  EXPECT_FALSE(knee.kneedle_level.has_value());
  EXPECT_THAT(DescribeKnee(knee), HasSubstr("no knee in the measured range"));
}

// Two straight lines in ln X over ln N that meet at 8.
std::vector<SweepPoint> Bent(double rise, double after) {
  return Sweep(PowersOfTwo(64), [rise, after](double n) {
    return 50 * std::pow(std::min(n, 8.0), rise) * std::pow(std::max(n / 8, 1.0), after);
  });
}

TEST(Knee, IsNoneWhenTheSlopeAboveIsOverHalfOfThatBelow) {
  EXPECT_EQ(FindKnee(Bent(0.4, 0.25)).outcome, KneeOutcome::kStillRising);
  EXPECT_EQ(FindKnee(Bent(0.6, 0.25)).outcome, KneeOutcome::kFound);
}

TEST(Knee, IsNoneWhenTheSlopeAboveIsOverThreeTenths) {
  EXPECT_EQ(FindKnee(Bent(1, 0.35)).outcome, KneeOutcome::kStillRising);
  EXPECT_EQ(FindKnee(Bent(1, 0.25)).outcome, KneeOutcome::kFound);
}

TEST(Knee, HardlyHeedsLevelsFarBelowIt) {
  // The lowest levels are half as fast again, which would tilt the line below the knee.
  const Knee knee = FindKnee(
      Sweep(PowersOfTwo(512), [](double n) { return Saturating(64)(n) * (n < 4 ? 1.5 : 1); }));
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_NEAR(*knee.concurrency, 64, 6);
}

TEST(Knee, IsNoneWhereTheLowestLevelIsSaturated) {
  const Knee knee = FindKnee(Sweep({64, 128, 256, 512, 1024}, Saturating(16)));
  EXPECT_EQ(knee.outcome, KneeOutcome::kDoesNotRise);
}

TEST(Knee, SaysWhenItMayLieAboveTheLastButOneLevel) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(64), Saturating(35)));
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_TRUE(knee.at_or_above_last_but_one);
  EXPECT_EQ(knee.level, 32u);
  EXPECT_THAT(DescribeKnee(knee), HasSubstr("at or above the last but one level"));
}

TEST(Knee, NamesThePeakWhenThroughputFalls) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(256), [](double n) {
    return n <= 32 ? 50 * std::min(n, 16.0) + n : 700 * std::pow(32 / n, 0.4);
  }));
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_EQ(knee.peak_level, 32u);
  EXPECT_THAT(DescribeKnee(knee), HasSubstr("peaks at 32"));
}

TEST(Knee, AFallOfTenPercentIsNoPeak) {
  EXPECT_FALSE(FindKnee({{1, 100}, {2, 190}, {4, 200}, {8, 181}}).peak_level.has_value());
  EXPECT_EQ(FindKnee({{1, 100}, {2, 190}, {4, 200}, {8, 179}}).peak_level, 4u);
}

TEST(Knee, OfThreeLevelsIsTheMiddleOne) {
  const Knee knee = FindKnee({{64, 1000}, {256, 2500}, {1024, 2600}});
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_EQ(knee.level, 256u);
  EXPECT_FALSE(knee.at_or_above_last_but_one);
  EXPECT_FALSE(knee.usl.has_value());
}

TEST(Knee, OfThreeRisingLevelsIsNone) {
  EXPECT_EQ(FindKnee({{64, 1000}, {256, 2500}, {1024, 6000}}).outcome, KneeOutcome::kStillRising);
}

TEST(Knee, NeedsThreeLevels) {
  EXPECT_EQ(FindKnee({}).outcome, KneeOutcome::kTooFewLevels);
  EXPECT_EQ(FindKnee({{1, 10}, {2, 20}}).outcome, KneeOutcome::kTooFewLevels);
  EXPECT_EQ(FindKnee({{1, 10}, {2, 20}, {4, 0}}).outcome, KneeOutcome::kTooFewLevels);
}

TEST(Knee, DoesNotDependOnTheOrderOfLevels) {
  std::vector<SweepPoint> points = Sweep(PowersOfTwo(64), Saturating(16));
  std::reverse(points.begin(), points.end());
  EXPECT_EQ(FindKnee(points).level, 16u);
}

TEST(Knee, SaysWhenACrossCheckDiffersByOverTwo) {
  // Slow growth from a slow single slot: by X_best R(1) only 3.2 slots are ever busy.
  const Knee knee = FindKnee(
      {{1, 100}, {2, 130}, {4, 170}, {8, 220}, {16, 310}, {32, 315}, {64, 318}, {128, 320}});
  ASSERT_EQ(knee.outcome, KneeOutcome::kFound);
  EXPECT_TRUE(knee.little_disagrees) << DescribeKnee(knee);
  EXPECT_THAT(DescribeKnee(knee), HasSubstr("X_best*R(1) says 3.2"));
}

TEST(UslFit, RecoversItsOwnLaw) {
  const UslFit law{40, 0.03, 0.0002, 0, {}};
  const std::optional<UslFit> fit =
      FitUsl(Sweep(PowersOfTwo(1024), [&law](double n) { return UslThroughput(law, n); }));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->lambda, 40, 1e-6);
  EXPECT_NEAR(fit->sigma, 0.03, 1e-8);
  EXPECT_NEAR(fit->kappa, 0.0002, 1e-10);
  EXPECT_NEAR(*fit->peak, std::sqrt(0.97 / 0.0002), 1e-3);
  EXPECT_LT(fit->residual, 1e-9);
}

TEST(UslFit, HasNoNegativeParameter) {
  const auto superlinear = [](double n) { return 10 * std::pow(n, 1.2); };
  const std::optional<UslFit> fit = FitUsl(Sweep(PowersOfTwo(64), superlinear));
  ASSERT_TRUE(fit.has_value());
  EXPECT_GT(fit->lambda, 0);
  EXPECT_EQ(fit->sigma, 0);
  EXPECT_EQ(fit->kappa, 0);
  EXPECT_GT(fit->residual, 0.1);
}

TEST(UslFit, LeavesAResidualOnALawItCannotFollow) {
  const std::optional<UslFit> fit = FitUsl(Sweep(PowersOfTwo(1024), Saturating(16)));
  ASSERT_TRUE(fit.has_value());
  EXPECT_GT(fit->residual, 0.03);
}

TEST(LeastSquares, SolvesAWeightedLine) {
  // The third point weighs nothing.
  const auto fit = FitLeastSquares({{{1, 0}, 1, 1}, {{1, 1}, 3, 1}, {{1, 2}, 100, 0}});
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->parameters[0], 1, 1e-12);
  EXPECT_NEAR(fit->parameters[1], 2, 1e-12);
  EXPECT_NEAR(fit->squared_error, 0, 1e-20);
}

TEST(LeastSquares, RefusesWhatDoesNotDetermineTheParameters) {
  EXPECT_FALSE(FitLeastSquares({{{1, 2}, 1, 1}, {{2, 4}, 2, 1}}).has_value());
  EXPECT_FALSE(FitLeastSquares({{{1, 2}, 1, 1}}).has_value());
  EXPECT_FALSE(FitLeastSquares({}).has_value());
}

std::vector<JudgedLevel> Judged(std::vector<uint64_t> levels, uint64_t highest_pass) {
  std::vector<JudgedLevel> judged;
  for (uint64_t level : levels) {
    judged.push_back({level, level <= highest_pass ? Verdict::kPass : Verdict::kFail});
  }
  return judged;
}

TEST(SafeOperatingRegion, IsWhatPassesUpToTheKnee) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(64), Saturating(16)));
  EXPECT_THAT(SafeOperatingRegion(Judged(PowersOfTwo(64), 32), knee), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(SafeOperatingRegion(Judged(PowersOfTwo(64), 4), knee), ElementsAre(1, 2, 4));
  EXPECT_THAT(SafeOperatingRegion(Judged(PowersOfTwo(64), 0), knee), IsEmpty());
}

TEST(SafeOperatingRegion, IsAllThatPassesWhileThroughputRises) {
  const Knee knee = FindKnee(Sweep(PowersOfTwo(8), [](double n) { return n; }));
  EXPECT_THAT(SafeOperatingRegion(Judged(PowersOfTwo(8), 4), knee), ElementsAre(1, 2, 4));
}

TEST(SafeOperatingRegion, IsTheLowestLevelWhereAllAreSaturated) {
  const Knee knee = FindKnee(Sweep({64, 256, 1024}, Saturating(16)));
  EXPECT_THAT(SafeOperatingRegion(Judged({64, 256, 1024}, 256), knee), ElementsAre(64));
}

}  // namespace
}  // namespace tidemark
