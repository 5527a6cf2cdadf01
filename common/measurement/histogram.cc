#include "common/measurement/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

using uint128 = unsigned __int128;

// The least and the most that values of known buckets can add up to.
struct SumBounds {
  uint128 sum_low = 0, sum_high = 0, squares_low = 0, squares_high = 0;

  void Add(uint128 count, uint128 lower, uint128 upper) {
    sum_low += count * lower;
    sum_high += count * upper;
    squares_low += count * lower * lower;
    squares_high += count * upper * upper;
  }
};

absl::Status Refusal(absl::string_view field, uint64_t value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": should be ", right));
}

}  // namespace

Histogram::Histogram(const Histogram& other)
    : count_(other.count_),
      sum_(other.sum_),
      sum_squares_(other.sum_squares_),
      min_(other.min_),
      max_(other.max_),
      overflow_(other.overflow_) {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (other.blocks_[i] != nullptr) blocks_[i] = std::make_unique<Block>(*other.blocks_[i]);
  }
}

Histogram& Histogram::operator=(const Histogram& other) {
  Histogram copy(other);
  Swap(copy);
  return *this;
}

Histogram& Histogram::operator=(Histogram&& other) noexcept {
  Histogram moved(std::move(other));
  Swap(moved);
  return *this;
}

void Histogram::Swap(Histogram& other) noexcept {
  blocks_.swap(other.blocks_);
  std::swap(count_, other.count_);
  std::swap(sum_, other.sum_);
  std::swap(sum_squares_, other.sum_squares_);
  std::swap(min_, other.min_);
  std::swap(max_, other.max_);
  std::swap(overflow_, other.overflow_);
}

void Histogram::AllocateBlock(uint32_t block) {
  blocks_[block] = std::make_unique<Block>();  // zeroed
}

void Histogram::Merge(const Histogram& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  sum_squares_ += other.sum_squares_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  overflow_ += other.overflow_;
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    if (other.blocks_[b] == nullptr) continue;
    if (blocks_[b] == nullptr) AllocateBlock(b);
    for (uint32_t i = 0; i < kPerOctave; ++i) (*blocks_[b])[i] += (*other.blocks_[b])[i];
  }
}

void Histogram::Clear() { *this = Histogram(); }

double Histogram::Mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double Histogram::StandardDeviation() const {
  if (count_ == 0) return 0;
  // Squares about the integer part of the mean, exact modulo 2^128: no cancellation in doubles.
  const uint128 centre = sum_ / count_;
  const uint128 squares = sum_squares_ + centre * centre * count_ - 2 * centre * sum_;
  const double n = static_cast<double>(count_);
  const double rest = static_cast<double>(sum_ % count_) / n;
  return std::sqrt(std::max(0.0, static_cast<double>(squares) / n - rest * rest));
}

uint64_t Histogram::RankOf(double p, uint64_t count) {
  const double product = p * static_cast<double>(count);
  const double nearest = std::round(product);
  const bool integral = std::abs(product - nearest) <= 1e-12 * product;
  const double rank = integral ? nearest : std::ceil(product);
  if (!(rank > 1)) return std::min<uint64_t>(1, count);
  return rank >= static_cast<double>(count) ? count : static_cast<uint64_t>(rank);
}

uint64_t Histogram::Quantile(double p) const {
  return count_ == 0 ? 0 : UpperEdgeAtRank(RankOf(p, count_));
}

uint64_t Histogram::UpperEdgeAtRank(uint64_t rank) const {
  if (rank > count_ - overflow_) return max_;
  return Clip(UpperEdge(BucketAtRank(rank)));
}

uint64_t Histogram::LowerEdgeAtRank(uint64_t rank) const {
  if (rank > count_ - overflow_) return Clip(kMaxTrackable + 1);
  return Clip(LowerEdge(BucketAtRank(rank)));
}

uint64_t Histogram::CountAbove(uint64_t value) const {
  if (value > kMaxTrackable) return 0;
  const uint32_t first = IndexOf(value) + 1;
  uint64_t above = overflow_;
  for (uint32_t b = first / kPerOctave; b < blocks_.size(); ++b) {
    if (blocks_[b] == nullptr) continue;
    const uint32_t begin = b == first / kPerOctave ? first % kPerOctave : 0;
    for (uint32_t i = begin; i < kPerOctave; ++i) above += (*blocks_[b])[i];
  }
  return above;
}

void Histogram::ForEachBucket(
    const std::function<void(uint32_t, uint64_t, uint64_t, uint64_t)>& visit) const {
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b] == nullptr) continue;
    for (uint32_t i = 0; i < kPerOctave; ++i) {
      const uint32_t index = b * kPerOctave + i;
      if (const uint64_t count = (*blocks_[b])[i]; count > 0) {
        visit(index, LowerEdge(index), UpperEdge(index), count);
      }
    }
  }
}

bool operator==(const Histogram& a, const Histogram& b) {
  // A block exists exactly when a value fell into it, so both lack the same ones or differ.
  const auto same_block = [](const auto& x, const auto& y) {
    return x == nullptr || y == nullptr ? x == y : *x == *y;
  };
  return a.count_ == b.count_ && a.sum_ == b.sum_ && a.sum_squares_ == b.sum_squares_ &&
         a.min_ == b.min_ && a.max_ == b.max_ && a.overflow_ == b.overflow_ &&
         std::equal(a.blocks_.begin(), a.blocks_.end(), b.blocks_.begin(), same_block);
}

void Histogram::EncodeTo(v1::Histogram* out) const {
  out->Clear();
  out->set_count(count_);
  out->set_sum(sum_);
  out->set_sum_squares_high(static_cast<uint64_t>(sum_squares_ >> 64));
  out->set_sum_squares_low(static_cast<uint64_t>(sum_squares_));
  out->set_min(min());
  out->set_max(max_);
  out->set_overflow(overflow_);
  uint32_t next = 0;  // a gap of 1 leads here
  ForEachBucket([&](uint32_t index, uint64_t, uint64_t, uint64_t count) {
    out->add_bucket_gap(index - next + 1);
    out->add_bucket_count(count);
    next = index + 1;
  });
}

absl::StatusOr<Histogram> Histogram::Decode(const v1::Histogram& in) {
  Histogram out;
  if (absl::Status status = DecodeBuckets(in, out); !status.ok()) return status;
  if (in.count() == 0 && in.min() != 0) return Refusal("min", in.min(), "0: count is 0");
  out.count_ = in.count();
  out.sum_ = in.sum();
  out.sum_squares_ = (static_cast<uint128>(in.sum_squares_high()) << 64) | in.sum_squares_low();
  if (in.count() > 0) out.min_ = in.min();
  out.max_ = in.max();
  out.overflow_ = in.overflow();
  if (absl::Status status = out.Validate(); !status.ok()) return status;
  return out;
}

absl::Status Histogram::DecodeBuckets(const v1::Histogram& in, Histogram& out) {
  if (in.bucket_gap_size() != in.bucket_count_size()) {
    return Refusal("number of bucket_gap", in.bucket_gap_size(),
                   absl::StrCat("that of bucket_count, ", in.bucket_count_size()));
  }
  constexpr uint32_t kLast = IndexOf(kMaxTrackable);
  uint64_t next = 0;
  for (int i = 0; i < in.bucket_gap_size(); ++i) {
    const uint64_t gap = in.bucket_gap(i), count = in.bucket_count(i);
    if (gap == 0) return Refusal("bucket_gap", gap, "at least 1");
    if (next + gap - 1 > kLast) {
      return Refusal("bucket index", next + gap - 1, absl::StrCat("at most ", kLast));
    }
    if (count == 0 || count > kMaxCount) return Refusal("bucket_count", count, "1 to 2^40");
    out.AddToBucket(static_cast<uint32_t>(next + gap - 1), count);
    next += gap;
  }
  return absl::OkStatus();
}

absl::Status Histogram::Validate() const {
  if (count_ > kMaxCount) return Refusal("count", count_, "at most 2^40");
  if (overflow_ > count_) return Refusal("overflow", overflow_, "at most count");
  uint64_t bucketed = 0;  // at most 2^40 in each of 25,600
  ForEachBucket([&](uint32_t, uint64_t, uint64_t, uint64_t count) { bucketed += count; });
  if (bucketed != count_ - overflow_) {
    return Refusal("sum of bucket_count", bucketed,
                   absl::StrCat("count - overflow, ", count_ - overflow_));
  }
  if (count_ > 0) {
    if (absl::Status status = ValidateRange(); !status.ok()) return status;
    return ValidateSums();
  }
  if (sum_ != 0 || sum_squares_ != 0 || max_ != 0) {
    return absl::InvalidArgumentError("sum, sum_squares and max should be 0: count is 0");
  }
  return absl::OkStatus();
}

absl::Status Histogram::ValidateRange() const {
  const bool bucketed = count_ > overflow_;
  const uint64_t min_low = bucketed ? LowerEdge(BucketAtRank(1)) : kMaxTrackable + 1;
  const uint64_t min_high = bucketed ? UpperEdge(BucketAtRank(1)) : kMaxRecordable;
  if (min_ < min_low || min_ > min_high) {
    return Refusal("min", min_, absl::StrCat("in the lowest bucket, ", min_low, " to ", min_high));
  }
  const uint32_t last = bucketed ? BucketAtRank(count_ - overflow_) : 0;
  const uint64_t max_low = overflow_ > 0 ? kMaxTrackable + 1 : LowerEdge(last);
  const uint64_t max_high = overflow_ > 0 ? kMaxRecordable : UpperEdge(last);
  if (max_ < std::max(max_low, min_) || max_ > max_high) {
    return Refusal(
        "max", max_,
        absl::StrCat("min or more and in the highest bucket, ", max_low, " to ", max_high));
  }
  return absl::OkStatus();
}

absl::Status Histogram::ValidateSums() const {
  SumBounds bounds;
  ForEachBucket([&](uint32_t, uint64_t lower, uint64_t upper, uint64_t count) {
    bounds.Add(count, Clip(lower), Clip(upper));
  });
  bounds.sum_low += static_cast<uint128>(overflow_) * Clip(kMaxTrackable + 1);
  bounds.sum_high += static_cast<uint128>(overflow_) * max_;
  if (sum_ < bounds.sum_low || sum_ > bounds.sum_high) {
    return Refusal("sum", sum_, "what the buckets, min and max allow");
  }
  // Within 128 bits: overflow * (kMaxTrackable + 1) <= sum < 2^64 here. No sum of squares exceeds
  // max * sum, nor falls short of sum^2 / count.
  bounds.squares_low +=
      static_cast<uint128>(overflow_) * Clip(kMaxTrackable + 1) * Clip(kMaxTrackable + 1);
  const uint128 sum = sum_;
  const uint128 least = std::max(bounds.squares_low, (sum * sum + count_ - 1) / count_);
  const uint128 most = overflow_ > 0 ? sum * max_ : std::min(bounds.squares_high, sum * max_);
  if (sum_squares_ < least || sum_squares_ > most) {
    return absl::InvalidArgumentError(
        "sum_squares is not what the buckets, min, max and sum allow");
  }
  return absl::OkStatus();
}

uint64_t Histogram::LowerEdge(uint32_t index) {
  if (index < 2 * kPerOctave) return index;
  const uint32_t shift = index / kPerOctave - 1;
  return static_cast<uint64_t>(index - shift * kPerOctave) << shift;
}

uint64_t Histogram::UpperEdge(uint32_t index) {
  if (index < 2 * kPerOctave) return index;
  const uint64_t width = uint64_t{1} << (index / kPerOctave - 1);
  return std::min(LowerEdge(index) + width - 1, kMaxTrackable);
}

uint32_t Histogram::BucketAtRank(uint64_t rank) const {
  uint64_t below = 0;
  uint32_t last = 0;
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b] == nullptr) continue;
    for (uint32_t i = 0; i < kPerOctave; ++i) {
      if ((*blocks_[b])[i] == 0) continue;
      last = b * kPerOctave + i;
      below += (*blocks_[b])[i];
      if (below >= rank) return last;
    }
  }
  return last;
}

uint64_t Histogram::Clip(uint64_t value) const { return std::clamp(value, min_, max_); }

}  // namespace tidemark
