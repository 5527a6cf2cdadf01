#include "common/statistics/statistics.h"

#include <cmath>
#include <numeric>

namespace tidemark {
namespace {

// P(Binomial(n, q) <= v) by summing terms: shares nothing with the incomplete beta function.
double BinomialCdf(int v, int n, double q) {
  double sum = 0;
  for (int k = 0; k <= v; ++k) {
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(q) + (n - k) * std::log1p(-q));
  }
  return sum;
}

TEST(IncompleteBeta, EqualsTheBinomialTailOfWholeCounts) {
  for (int n : {1, 20, 300, 2000}) {
    for (int v : {0, 1, 5}) {
      if (v > n) continue;
      for (double p : {0.5, 0.9, 0.99}) {
        EXPECT_NEAR(IncompleteBeta(n - v, v + 1, p), BinomialCdf(v, n, 1 - p), 1e-9)
            << "n " << n << " v " << v << " p " << p;
      }
    }
  }
}

TEST(IncompleteBeta, InterpolatesBetweenWholeCounts) {
  const double at_5 = IncompleteBeta(95, 6, 0.95);
  const double at_5_and_a_half = IncompleteBeta(94.5, 6.5, 0.95);
  const double at_6 = IncompleteBeta(94, 7, 0.95);
  EXPECT_LT(at_5, at_5_and_a_half);
  EXPECT_LT(at_5_and_a_half, at_6);
}

TEST(IncompleteBeta, TakesItsLimitsAtZeroShapes) {
  EXPECT_EQ(IncompleteBeta(0, 3, 0.2), 1);
  EXPECT_EQ(IncompleteBeta(3, 0, 0.2), 0);
  EXPECT_EQ(IncompleteBeta(3, 0, 1), 1);
}

TEST(IncompleteBeta, GivesNanOutsideItsDomain) {
  EXPECT_TRUE(std::isnan(IncompleteBeta(-1, 2, 0.5)));
  EXPECT_TRUE(std::isnan(IncompleteBeta(0, 0, 0.5)));
  EXPECT_TRUE(std::isnan(IncompleteBeta(1, 2, 1.5)));
  EXPECT_TRUE(std::isnan(IncompleteBeta(NAN, 2, 0.5)));
  EXPECT_TRUE(std::isnan(IncompleteBeta(1, INFINITY, 0.5)));
}

TEST(IncompleteBetaInverse, UndoesIncompleteBeta) {
  for (double a : {0.05, 0.5, 1.0, 7.3, 480.5, 99000.0}) {
    for (double b : {0.05, 1.0, 5.5, 300.25, 20000.0}) {
      for (double probability : {0.001, 0.025, 0.5, 0.975, 0.999}) {
        const double x = IncompleteBetaInverse(a, b, probability);
        // Where x is within a double's distance of 1 no x gives the probability back.
        if (x < 1e-300 || 1 - x < 1e-12) continue;
        EXPECT_NEAR(IncompleteBeta(a, b, x), probability, 1e-6) << a << " " << b;
      }
    }
  }
}

TEST(IncompleteBetaInverse, GivesNanOutsideItsDomain) {
  EXPECT_TRUE(std::isnan(IncompleteBetaInverse(0, 1, 0.5)));
  EXPECT_TRUE(std::isnan(IncompleteBetaInverse(1, 1, -0.1)));
}

TEST(StudentTQuantile, AgreesWithPrintedTables) {
  EXPECT_NEAR(StudentTQuantile(0.95, 4), 2.131847, 1e-6);
  EXPECT_NEAR(StudentTQuantile(0.975, 29), 2.045230, 1e-6);
  EXPECT_NEAR(StudentTQuantile(0.05, 4), -2.131847, 1e-6);
}

TEST(StudentTQuantile, GivesNanOutsideItsDomain) {
  EXPECT_TRUE(std::isnan(StudentTQuantile(1, 4)));
  EXPECT_TRUE(std::isnan(StudentTQuantile(0.9, 0)));
}

TEST(NormalQuantile, AgreesWithPrintedTables) {
  EXPECT_NEAR(NormalQuantile(0.95), 1.644854, 1e-6);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 1e-6);
  EXPECT_TRUE(std::isnan(NormalQuantile(0)));
}

TEST(ClopperPearson, AgreesWithPrintedTables) {
  const Interval interval = ClopperPearson(5, 100, 0.95);
  EXPECT_NEAR(interval.lower, 0.016432, 1e-6);
  EXPECT_NEAR(interval.upper, 0.112835, 1e-6);
}

TEST(ClopperPearson, ReachesTheEndsWhenAllOrNoneAreEvents) {
  EXPECT_EQ(ClopperPearson(0, 20, 0.95).lower, 0);
  EXPECT_NEAR(ClopperPearson(0, 20, 0.95).upper, 1 - std::pow(0.025, 1 / 20.0), 1e-12);
  EXPECT_EQ(ClopperPearson(20, 20, 0.95).upper, 1);
}

TEST(ClopperPearson, TakesFractionalCounts) {
  const Interval whole = ClopperPearson(5, 100, 0.95);
  const Interval halved = ClopperPearson(2.5, 50, 0.95);
  EXPECT_LT(halved.lower, whole.lower);
  EXPECT_GT(halved.upper, whole.upper);
}

TEST(ClopperPearson, GivesNanWhenEventsExceedTrials) {
  EXPECT_TRUE(std::isnan(ClopperPearson(3, 2, 0.95).lower));
  EXPECT_TRUE(std::isnan(ClopperPearson(0, 0, 0.95).upper));
}

}  // namespace
}  // namespace tidemark
