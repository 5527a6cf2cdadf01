#include "coordinator/exporter/latency_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/rng/rng.h"

namespace tidemark {
namespace {

uint64_t Micros(double seconds) { return static_cast<uint64_t>(std::llround(seconds * 1e6)); }

TEST(LatencyBuckets, ReachFromAMillisecondToBeyond2560Seconds) {
  EXPECT_DOUBLE_EQ(LatencyBounds(false).front(), 0.001023);
  EXPECT_DOUBLE_EQ(LatencyBounds(true).front(), 0.000255);
  for (const bool fine : {false, true}) EXPECT_DOUBLE_EQ(LatencyBounds(fine).back(), 2684.354559);
}

TEST(LatencyBuckets, AreAtMostAQuarterWiderThanTheirLowerBound) {
  for (const bool fine : {false, true}) {
    const absl::Span<const double> bounds = LatencyBounds(fine);
    for (size_t i = 1; i < bounds.size(); ++i) {
      EXPECT_GT(bounds[i], bounds[i - 1]);
      EXPECT_LE(bounds[i], 1.2515 * bounds[i - 1]);
    }
  }
}

// The bucket of our own histogram that ends at a bound, and the one after: no bucket has the bound inside.
TEST(LatencyBuckets, EndWhereABucketOfOurHistogramEnds) {
  for (const double bound : LatencyBounds(true)) {
    Histogram histogram;
    histogram.Record(Micros(bound));
    histogram.Record(Micros(bound) + 1);
    std::vector<uint64_t> uppers, lowers;
    histogram.ForEachBucket([&](uint32_t, uint64_t lower, uint64_t upper, uint64_t) {
      lowers.push_back(lower);
      uppers.push_back(upper);
    });
    ASSERT_EQ(uppers.size(), 2u) << bound;
    EXPECT_EQ(uppers[0], Micros(bound));
    EXPECT_EQ(lowers[1], Micros(bound) + 1);
  }
}

TEST(LatencyBuckets, CountExactlyWhatIsAtMostTheirBound) {
  Rng rng(7);
  std::vector<uint64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(rng.Next() >> (rng.Next() % 40 + 24));  // every order of magnitude up to 2^40
    histogram.Record(values.back());
  }
  std::sort(values.begin(), values.end());
  const BucketCounts counts = CountByLatency(histogram, true);
  for (size_t i = 0; i < counts.cumulative.size(); ++i) {
    const auto end = std::upper_bound(values.begin(), values.end(), Micros(counts.upper_bounds[i]));
    ASSERT_EQ(counts.cumulative[i], static_cast<uint64_t>(end - values.begin())) << counts.upper_bounds[i];
  }
  EXPECT_EQ(counts.count, values.size());
}

TEST(LatencyBuckets, SumInSeconds) {
  Histogram histogram;
  histogram.Record(1'500'000, 2);
  const BucketCounts counts = CountByLatency(histogram, false);
  EXPECT_EQ(counts.count, 2u);
  EXPECT_DOUBLE_EQ(counts.sum, 3.0);
}

TEST(LatencyBuckets, LeaveWhatIsBeyondEveryBoundToInfinity) {
  Histogram histogram;
  histogram.Record(3'000'000'000);                 // above the last bound
  histogram.Record(Histogram::kMaxTrackable + 1);  // above the histogram's own last bucket
  const BucketCounts counts = CountByLatency(histogram, false);
  EXPECT_EQ(counts.cumulative.back(), 0u);
  EXPECT_EQ(counts.count, 2u);
}

TEST(LatencyBuckets, OfNothingAreZero) {
  const BucketCounts counts = CountByLatency(Histogram(), false);
  EXPECT_THAT(counts.cumulative, ::testing::Each(0u));
  EXPECT_EQ(counts.cumulative.size(), counts.upper_bounds.size());
}

}  // namespace
}  // namespace tidemark
