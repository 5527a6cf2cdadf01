#ifndef TIDEMARK_COMMON_MEASUREMENT_HISTOGRAM_H_
#define TIDEMARK_COMMON_MEASUREMENT_HISTOGRAM_H_

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "proto/tidemark/v1/measurement.pb.h"

namespace tidemark {

// A mergeable log-linear histogram of non-negative integers, in whatever fixed-point unit its
// metric has (metric_table.h). Values up to 2,047 have a bucket each; above, every octave has 1,024
// buckets, so a bucket is narrower than 0.1 % of its value (three significant digits). Values
// above kMaxTrackable (4 h in microseconds) are counted in `overflow`; they still count exactly in
// count, sum, max and rank as the largest.
//
// Count, sum, sum of squares, min and max are exact integers, so Merge is commutative and
// associative to the bit. A value above kMaxRecordable (285 years in microseconds) is a caller's
// bug and is recorded as kMaxRecordable; the sum then has room for 2^30 values of 4 h, or 2^64 in
// all. Memory grows by octave (8 KiB each) as values come; an empty one is small, and so is one
// that was moved from: it is empty. Thread-compatible.
class Histogram {
 public:
  static constexpr uint64_t kMaxTrackable = 14'400'000'000;      // 4 h in us
  static constexpr uint64_t kMaxRecordable = uint64_t{1} << 53;  // exact as a double, too
  static constexpr uint64_t kMaxCount = uint64_t{1} << 40;       // Decode refuses more

  Histogram() = default;
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&& other) noexcept { Swap(other); }
  Histogram& operator=(Histogram&& other) noexcept;

  // Adds `times` occurrences of `value`. Cheap (per-token path): allocates only for the first value
  // of an octave.
  void Record(uint64_t value, uint64_t times = 1);

  // Adds all that `other` holds.
  void Merge(const Histogram& other);

  // Back to empty, keeping no memory.
  void Clear();

  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  unsigned __int128 sum_squares() const { return sum_squares_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }  // 0 when empty
  uint64_t max() const { return max_; }
  uint64_t overflow() const { return overflow_; }
  bool empty() const { return count_ == 0; }

  double Mean() const;               // 0 when empty
  double StandardDeviation() const;  // population; 0 when empty

  // The rank of quantile p among `count` values: ceil(p * count), within [1, count]. A product that
  // is an integer but for double's rounding (0.07 * 100) counts as that integer.
  static uint64_t RankOf(double p, uint64_t count);

  // The value of rank ceil(p * count), 0 < p <= 1: the upper edge (largest value) of the bucket
  // that holds it, clipped to [min, max]. 0 when empty.
  uint64_t Quantile(double p) const;

  // Largest and smallest value of the bucket that holds rank `rank` (1 = smallest recorded),
  // clipped to [min, max]. REQUIRES: 1 <= rank <= count().
  uint64_t UpperEdgeAtRank(uint64_t rank) const;
  uint64_t LowerEdgeAtRank(uint64_t rank) const;

  // How many recorded values lie in buckets whose lower edge is above `value`: a lower bound of the
  // exact number, off by less than one bucket (the overflow's lower edge is kMaxTrackable + 1).
  uint64_t CountAbove(uint64_t value) const;

  // Calls `visit(index, lower, upper, count)` for each non-empty bucket in ascending order.
  // The overflow bucket is not visited.
  void ForEachBucket(
      const std::function<void(uint32_t, uint64_t, uint64_t, uint64_t)>& visit) const;

  friend bool operator==(const Histogram& a, const Histogram& b);

  // Wire form: canonical (equal histograms give equal bytes).
  void EncodeTo(v1::Histogram* out) const;

  // Refuses what Record could not have made: zero counts, buckets out of range, counts that do not
  // add up, min > max, sums outside what the buckets allow.
  static absl::StatusOr<Histogram> Decode(const v1::Histogram& in);

 private:
  static constexpr uint32_t kLinearBits = 11;                      // 0 … 2,047
  static constexpr uint32_t kPerOctave = 1u << (kLinearBits - 1);  // 1,024
  static constexpr uint32_t kOctaves = 24;  // block 0 is linear (2 x kPerOctave)
  using Block = std::array<uint64_t, kPerOctave>;

  static constexpr uint32_t IndexOf(uint64_t value);
  static uint64_t LowerEdge(uint32_t index);
  static uint64_t UpperEdge(uint32_t index);

  void Swap(Histogram& other) noexcept;
  void AddToBucket(uint32_t index, uint64_t times);
  void AllocateBlock(uint32_t block);
  uint32_t BucketAtRank(uint64_t rank) const;  // REQUIRES: rank <= count_ - overflow_
  uint64_t Clip(uint64_t value) const;         // to [min, max]
  static absl::Status DecodeBuckets(const v1::Histogram& in, Histogram& out);
  absl::Status Validate() const;
  absl::Status ValidateRange() const;
  absl::Status ValidateSums() const;

  std::array<std::unique_ptr<Block>, kOctaves + 1> blocks_;  // bucket index / kPerOctave
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  unsigned __int128 sum_squares_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  uint64_t overflow_ = 0;
};

constexpr uint32_t Histogram::IndexOf(uint64_t value) {
  if (value < 2 * kPerOctave) return static_cast<uint32_t>(value);
  const uint32_t shift = 64 - kLinearBits - static_cast<uint32_t>(std::countl_zero(value));
  return shift * kPerOctave + static_cast<uint32_t>(value >> shift);
}

inline void Histogram::AddToBucket(uint32_t index, uint64_t times) {
  const uint32_t block = index / kPerOctave;
  if (blocks_[block] == nullptr) AllocateBlock(block);
  (*blocks_[block])[index % kPerOctave] += times;
}

inline void Histogram::Record(uint64_t value, uint64_t times) {
  if (times == 0) return;
  if (value > kMaxRecordable) value = kMaxRecordable;
  count_ += times;
  sum_ += value * times;
  sum_squares_ += static_cast<unsigned __int128>(value) * value * times;
  if (value < min_) min_ = value;
  if (value > max_) max_ = value;
  if (value > kMaxTrackable) {
    overflow_ += times;
  } else {
    AddToBucket(IndexOf(value), times);
  }
}

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MEASUREMENT_HISTOGRAM_H_
