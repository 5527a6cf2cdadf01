#include "common/measurement/histogram.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

constexpr uint64_t kFourHours = Histogram::kMaxTrackable;

Histogram Of(const std::vector<uint64_t>& values) {
  Histogram histogram;
  for (uint64_t value : values) histogram.Record(value);
  return histogram;
}

struct Bucket {
  uint32_t index;
  uint64_t lower, upper, count;
};

std::vector<Bucket> BucketsOf(const Histogram& histogram) {
  std::vector<Bucket> buckets;
  histogram.ForEachBucket([&](uint32_t index, uint64_t lower, uint64_t upper, uint64_t count) {
    buckets.push_back({index, lower, upper, count});
  });
  return buckets;
}

// Values whose octaves are all hit: 2^0 … 2^34 with a random mantissa.
std::vector<uint64_t> RandomValues(uint32_t seed, size_t n) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) {
    value = (random() >> 30) >> (random() % 34);
    value = std::min(value, kFourHours);
  }
  return values;
}

TEST(Histogram, IsAllZeroWhenEmpty) {
  const Histogram empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.min(), 0u);
  EXPECT_EQ(empty.max(), 0u);
  EXPECT_EQ(empty.Quantile(0.5), 0u);
  EXPECT_EQ(empty.Mean(), 0);
  EXPECT_EQ(empty.StandardDeviation(), 0);
  EXPECT_TRUE(BucketsOf(empty).empty());
}

TEST(Histogram, GivesEachValueUpTo2047ABucketOfItsOwn) {
  for (uint64_t value : {0, 1, 1023, 1024, 2046, 2047}) {
    const std::vector<Bucket> buckets = BucketsOf(Of({value}));
    ASSERT_EQ(buckets.size(), 1u);
    EXPECT_EQ(buckets[0].lower, value);
    EXPECT_EQ(buckets[0].upper, value);
  }
}

TEST(Histogram, HasBucketsOfTwoFrom2048) {
  const std::vector<Bucket> buckets = BucketsOf(Of({2047, 2048, 2049, 2050}));
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[1].lower, 2048u);
  EXPECT_EQ(buckets[1].upper, 2049u);
  EXPECT_EQ(buckets[1].count, 2u);
}

TEST(Histogram, LeavesNoGapBetweenBuckets) {
  Histogram histogram;
  for (uint64_t value = 0; value <= kFourHours; value += 1 + value / 4096) histogram.Record(value);
  const std::vector<Bucket> buckets = BucketsOf(histogram);
  for (size_t i = 1; i < buckets.size(); ++i) {
    ASSERT_EQ(buckets[i].index, buckets[i - 1].index + 1);
    ASSERT_EQ(buckets[i].lower, buckets[i - 1].upper + 1) << "index " << buckets[i].index;
  }
  EXPECT_EQ(buckets.back().upper, kFourHours);
}

TEST(Histogram, HasBucketsNarrowerThanATenthOfAPercent) {
  for (const Bucket& bucket : BucketsOf(Of(RandomValues(1, 20'000)))) {
    ASSERT_LT(bucket.upper - bucket.lower, 0.001 * bucket.lower + 1) << bucket.lower;
  }
}

TEST(Histogram, TracksFourHoursAndOverflowsOneAboveIt) {
  const Histogram histogram = Of({kFourHours, kFourHours + 1});
  EXPECT_EQ(histogram.overflow(), 1u);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.sum(), 2 * kFourHours + 1);
  EXPECT_EQ(histogram.max(), kFourHours + 1);
  EXPECT_EQ(histogram.UpperEdgeAtRank(1), kFourHours);
  EXPECT_EQ(histogram.Quantile(1), kFourHours + 1);
  EXPECT_EQ(histogram.LowerEdgeAtRank(2), kFourHours + 1);
}

TEST(Histogram, RanksOverflowAsTheLargest) {
  const Histogram histogram = Of({kFourHours * 3, 5, 6});
  EXPECT_EQ(histogram.UpperEdgeAtRank(2), 6u);
  EXPECT_EQ(histogram.UpperEdgeAtRank(3), kFourHours * 3);
}

TEST(Histogram, ClampsValuesBeyondWhatItCanSum) {
  const Histogram histogram = Of({UINT64_MAX, UINT64_MAX, 7});
  EXPECT_EQ(histogram.max(), Histogram::kMaxRecordable);
  EXPECT_EQ(histogram.sum(), 2 * Histogram::kMaxRecordable + 7);
  EXPECT_EQ(histogram.overflow(), 2u);
}

TEST(Histogram, SumsABillionValuesOfFourHoursWithoutWrapping) {
  Histogram histogram;
  histogram.Record(kFourHours, uint64_t{1} << 30);
  EXPECT_EQ(histogram.sum(), kFourHours << 30);
  EXPECT_EQ(histogram.Mean(), static_cast<double>(kFourHours));
  EXPECT_EQ(histogram.StandardDeviation(), 0);
}

TEST(Histogram, RecordsManyAtOnceAsOneByOne) {
  Histogram many, single;
  many.Record(123'456, 3);
  for (int i = 0; i < 3; ++i) single.Record(123'456);
  EXPECT_EQ(many, single);
}

TEST(Histogram, IgnoresZeroOccurrences) {
  Histogram histogram;
  histogram.Record(5, 0);
  EXPECT_EQ(histogram, Histogram());
}

TEST(Histogram, KeepsSumOfSquaresInMoreThan64Bits) {
  Histogram histogram;
  histogram.Record(kFourHours, 1'000'000);
  const unsigned __int128 square = static_cast<unsigned __int128>(kFourHours) * kFourHours;
  EXPECT_TRUE(histogram.sum_squares() == square * 1'000'000);
}

TEST(Histogram, MeanAndDeviationAreThePopulations) {
  const Histogram histogram = Of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(histogram.Mean(), 5);
  EXPECT_DOUBLE_EQ(histogram.StandardDeviation(), 2);
}

TEST(Histogram, DeviationSurvivesALargeMean) {
  const Histogram histogram = Of({14'000'000'000, 14'000'000'001});
  EXPECT_DOUBLE_EQ(histogram.StandardDeviation(), 0.5);
}

TEST(Histogram, RanksProductsThatAreIntegersButForRounding) {
  EXPECT_EQ(Histogram::RankOf(0.07, 100), 7u);  // 7.000000000000001 as a double
  EXPECT_EQ(Histogram::RankOf(0.95, 20), 19u);
  EXPECT_EQ(Histogram::RankOf(0.95, 21), 20u);  // ceil(19.95)
  EXPECT_EQ(Histogram::RankOf(0.999, 1000), 999u);
  EXPECT_EQ(Histogram::RankOf(0.999, 1001), 1000u);
}

TEST(Histogram, KeepsRanksWithinTheCount) {
  EXPECT_EQ(Histogram::RankOf(0.001, 10), 1u);
  EXPECT_EQ(Histogram::RankOf(1, 10), 10u);
  EXPECT_EQ(Histogram::RankOf(0.99, 1), 1u);
}

TEST(Histogram, QuantileIsUpperEdgeOfRankWithinATenthOfAPercentOfTheOracle) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    std::vector<uint64_t> values = RandomValues(seed, 1 + seed * 37);
    const Histogram histogram = Of(values);
    std::sort(values.begin(), values.end());
    for (int permille : {1, 10, 50, 100, 250, 500, 750, 900, 950, 990, 999, 1000}) {
      const size_t rank = (permille * values.size() + 999) / 1000;  // in integers
      const uint64_t exact = values[rank - 1];
      const uint64_t quantile = histogram.Quantile(permille / 1000.0);
      ASSERT_GE(quantile, exact) << permille << " of seed " << seed;
      ASSERT_LE(quantile, exact * 1.001) << permille << " of seed " << seed;
    }
  }
}

TEST(Histogram, QuantilesAreClippedToMinAndMax) {
  const Histogram histogram = Of({1'000'001, 1'000'002});  // one bucket, 1,024 wide or less
  EXPECT_EQ(histogram.Quantile(0.5), 1'000'002u);
  EXPECT_EQ(histogram.LowerEdgeAtRank(1), 1'000'001u);
}

TEST(Histogram, EdgesAtRankEncloseTheValue) {
  std::vector<uint64_t> values = RandomValues(99, 500);
  const Histogram histogram = Of(values);
  std::sort(values.begin(), values.end());
  for (size_t rank = 1; rank <= values.size(); ++rank) {
    ASSERT_LE(histogram.LowerEdgeAtRank(rank), values[rank - 1]);
    ASSERT_GE(histogram.UpperEdgeAtRank(rank), values[rank - 1]);
  }
}

TEST(Histogram, CountsAboveAsTheOracleUpToOneBucket) {
  const std::vector<uint64_t> values = RandomValues(7, 3'000);
  const Histogram histogram = Of(values);
  for (uint64_t threshold : {0, 1, 1023, 1024, 2047, 2048, 5'000, 123'456, 1'000'000'000}) {
    const auto above = [&](uint64_t limit) {
      return static_cast<uint64_t>(
          std::count_if(values.begin(), values.end(), [&](uint64_t v) { return v > limit; }));
    };
    const uint64_t end_of_bucket = threshold + threshold / 1024 + 1;
    EXPECT_LE(histogram.CountAbove(threshold), above(threshold)) << threshold;
    EXPECT_GE(histogram.CountAbove(threshold), above(end_of_bucket)) << threshold;
  }
}

TEST(Histogram, CountsOverflowAboveFourHours) {
  const Histogram histogram = Of({kFourHours, kFourHours + 1});
  EXPECT_EQ(histogram.CountAbove(kFourHours), 1u);
  EXPECT_EQ(histogram.CountAbove(kFourHours + 1), 0u);
}

TEST(Histogram, CopiesShareNothing) {
  Histogram original = Of({5, 50'000});
  Histogram copy = original;
  copy.Record(5);
  EXPECT_EQ(original, Of({5, 50'000}));
  EXPECT_EQ(copy, Of({5, 5, 50'000}));
}

TEST(Histogram, IsEmptyAfterAMove) {
  Histogram from = Of({5, 50'000});
  Histogram to = std::move(from);
  EXPECT_EQ(from, Histogram());  // NOLINT(bugprone-use-after-move): the contract
  EXPECT_EQ(to, Of({5, 50'000}));
  from.Record(1);
  EXPECT_EQ(from, Of({1}));
}

TEST(Histogram, IsEmptyAfterClear) {
  Histogram histogram = Of({5, 50'000, UINT64_MAX});
  histogram.Clear();
  EXPECT_EQ(histogram, Histogram());
}

TEST(Histogram, MergesWithItself) {
  Histogram histogram = Of({3, 70'000});
  histogram.Merge(histogram);
  EXPECT_EQ(histogram, Of({3, 3, 70'000, 70'000}));
}

TEST(Histogram, DiffersByABucketThatOnlyOneHas) {
  // Count, sum, sum of squares, min and max are all the same here.
  const Histogram a = Of({0, 1, 5, 6, 1'000'000});
  const Histogram b = Of({0, 2, 3, 7, 1'000'000});
  ASSERT_TRUE(a.sum() == b.sum() && a.sum_squares() == b.sum_squares());
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace tidemark
