// Wire form of a histogram: round trip, canonical bytes, and each refusal.
#include <functional>
#include <string>

#include "common/measurement/histogram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

v1::Histogram Encode(const Histogram& histogram) {
  v1::Histogram out;
  histogram.EncodeTo(&out);
  return out;
}

Histogram Sample() {
  Histogram histogram;
  for (uint64_t value : {0, 1, 2047, 2048, 2049, 70'000, 70'001, 900'000'000}) {
    histogram.Record(value);
  }
  return histogram;
}

Histogram Overflowing() {
  Histogram histogram = Sample();
  histogram.Record(Histogram::kMaxTrackable + 1);
  histogram.Record(UINT64_MAX, 5);
  return histogram;
}

// The error of decoding Sample() (or what is given) after `spoil` changed its message.
std::string Refusal(const std::function<void(v1::Histogram&)>& spoil,
                    const Histogram& histogram = Sample()) {
  v1::Histogram message = Encode(histogram);
  spoil(message);
  const absl::StatusOr<Histogram> decoded = Histogram::Decode(message);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(decoded.status().message());
}

TEST(HistogramCodec, RoundTripsEachKind) {
  Histogram only_overflow;
  only_overflow.Record(Histogram::kMaxTrackable * 2, 3);
  Histogram zeros;
  zeros.Record(0, 9);
  Histogram last_bucket;
  last_bucket.Record(Histogram::kMaxTrackable);
  for (const Histogram& h :
       {Histogram(), Sample(), Overflowing(), only_overflow, zeros, last_bucket}) {
    const absl::StatusOr<Histogram> decoded = Histogram::Decode(Encode(h));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, h);
  }
}

TEST(HistogramCodec, EncodesAnEmptyOneAsNothing) {
  EXPECT_EQ(Encode(Histogram()).ByteSizeLong(), 0u);
}

TEST(HistogramCodec, GivesEqualHistogramsEqualBytesWhateverTheirHistory) {
  Histogram low, high, merged;
  low.Record(1);
  low.Record(2048);
  high.Record(900'000'000);
  high.Record(70'000, 2);
  merged.Merge(high);
  merged.Merge(low);
  Histogram recorded;
  for (uint64_t value : {1, 70'000, 2048, 70'000, 900'000'000}) recorded.Record(value);
  EXPECT_EQ(Encode(merged).SerializeAsString(), Encode(recorded).SerializeAsString());
}

TEST(HistogramCodec, ReplacesWhatTheMessageHeld) {
  v1::Histogram message = Encode(Overflowing());
  Sample().EncodeTo(&message);
  EXPECT_EQ(message.SerializeAsString(), Encode(Sample()).SerializeAsString());
}

TEST(HistogramCodec, StartsGapsFromMinusOne) {
  Histogram histogram;
  histogram.Record(0);
  histogram.Record(3);
  const v1::Histogram message = Encode(histogram);
  ASSERT_EQ(message.bucket_gap_size(), 2);
  EXPECT_EQ(message.bucket_gap(0), 1u);
  EXPECT_EQ(message.bucket_gap(1), 3u);
}

TEST(HistogramCodec, RefusesGapsAndCountsOfDifferentNumber) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.add_bucket_gap(1); }), HasSubstr("bucket_gap"));
}

TEST(HistogramCodec, RefusesAGapOfZero) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_bucket_gap(1, 0); }), HasSubstr("bucket_gap"));
}

TEST(HistogramCodec, RefusesABucketBeyondTheLast) {
  for (uint32_t gap : {uint32_t{30'000}, UINT32_MAX}) {
    EXPECT_THAT(Refusal([&](v1::Histogram& h) { h.set_bucket_gap(h.bucket_gap_size() - 1, gap); }),
                HasSubstr("bucket index"));
  }
}

TEST(HistogramCodec, RefusesAnEmptyBucket) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_bucket_count(0, 0); }),
              HasSubstr("bucket_count is 0"));
}

TEST(HistogramCodec, RefusesACountBeyondReason) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_bucket_count(0, UINT64_MAX); }),
              HasSubstr("bucket_count"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_count(UINT64_MAX); }), HasSubstr("count"));
}

TEST(HistogramCodec, RefusesCountsThatDoNotAddUp) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_count(h.count() + 1); }),
              HasSubstr("sum of bucket_count"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_overflow(1); }),
              HasSubstr("sum of bucket_count"));
}

TEST(HistogramCodec, RefusesMoreOverflowThanCount) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_overflow(h.count() + 1); }),
              HasSubstr("overflow"));
}

TEST(HistogramCodec, RefusesMinOutsideTheLowestBucket) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_min(1); }), HasSubstr("min is 1"));
}

TEST(HistogramCodec, RefusesMaxOutsideTheHighestBucket) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_max(800'000'000); }), HasSubstr("max is"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_max(UINT64_MAX); }), HasSubstr("max is"));
}

TEST(HistogramCodec, RefusesMinAboveMaxInOneBucket) {
  Histogram histogram;
  histogram.Record(1'000'000);
  histogram.Record(1'000'010);
  EXPECT_THAT(Refusal(
                  [](v1::Histogram& h) {
                    h.set_min(1'000'010);
                    h.set_max(1'000'000);
                  },
                  histogram),
              HasSubstr("max is"));
}

TEST(HistogramCodec, RefusesOverflowWithoutAMaxAboveFourHours) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_max(900'000'000); }, Overflowing()),
              HasSubstr("max is"));
}

TEST(HistogramCodec, RefusesAMaxThatRecordWouldHaveClamped) {
  EXPECT_THAT(
      Refusal([](v1::Histogram& h) { h.set_max(Histogram::kMaxRecordable + 1); }, Overflowing()),
      HasSubstr("max is"));
}

TEST(HistogramCodec, RefusesASumOutsideWhatTheBucketsAllow) {
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_sum(0); }), HasSubstr("sum is 0"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_sum(2 * h.sum()); }), HasSubstr("sum is"));
}

TEST(HistogramCodec, RefusesASumOfSquaresOutsideWhatTheBucketsAllow) {
  for (const Histogram& histogram : {Sample(), Overflowing()}) {
    EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_sum_squares_high(UINT64_MAX); }, histogram),
                HasSubstr("sum_squares"));
    EXPECT_THAT(Refusal(
                    [](v1::Histogram& h) {
                      h.set_sum_squares_high(0);
                      h.set_sum_squares_low(1);
                    },
                    histogram),
                HasSubstr("sum_squares"));
  }
}

// Two values in one bucket: their squares cannot be both the least that the bucket allows and those
// of a sum above it, or the standard deviation would be that of nothing.
TEST(HistogramCodec, RefusesASumOfSquaresBelowThatOfEqualValues) {
  Histogram histogram;
  histogram.Record(1'000'000);
  histogram.Record(1'000'010);
  EXPECT_THAT(
      Refusal([](v1::Histogram& h) { h.set_sum_squares_low(2'000'000'000'000); }, histogram),
      HasSubstr("sum_squares"));
}

TEST(HistogramCodec, RefusesFiguresOfNothing) {
  const Histogram empty;
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_sum(1); }, empty), HasSubstr("count is 0"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_min(1); }, empty), HasSubstr("count is 0"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_max(1); }, empty), HasSubstr("count is 0"));
  EXPECT_THAT(Refusal([](v1::Histogram& h) { h.set_sum_squares_low(1); }, empty),
              HasSubstr("count is 0"));
}

}  // namespace
}  // namespace tidemark
