#include "coordinator/exporter/latency_buckets.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tidemark {
namespace {

constexpr double kMicrosPerSecond = 1e6;

// The quarter octaves 4, 5, 6 and 7 times a power of two, in us: each begins a bucket of Histogram, so what lies
// one below ends one.
constexpr uint64_t kFirst = 1'024, kFirstFine = 256;
constexpr uint64_t kLast = uint64_t{5} << 29;  // 2,684.35 s

std::vector<uint64_t> Starts(uint64_t first) {
  std::vector<uint64_t> starts;
  for (uint64_t quarter = first / 4; starts.empty() || starts.back() < kLast; quarter *= 2) {
    for (uint64_t quarters = 4; quarters < 8 && quarters * quarter <= kLast; ++quarters) {
      starts.push_back(quarters * quarter);
    }
  }
  return starts;
}

const std::vector<uint64_t>& StartsOf(bool fine) {
  static const auto* const kCoarseStarts = new std::vector<uint64_t>(Starts(kFirst));
  static const auto* const kFineStarts = new std::vector<uint64_t>(Starts(kFirstFine));
  return fine ? *kFineStarts : *kCoarseStarts;
}

std::vector<double> Bounds(bool fine) {
  std::vector<double> bounds;
  for (const uint64_t start : StartsOf(fine)) bounds.push_back(static_cast<double>(start - 1) / kMicrosPerSecond);
  return bounds;
}

}  // namespace

absl::Span<const double> LatencyBounds(bool fine) {
  static const auto* const kCoarse = new std::vector<double>(Bounds(false));
  static const auto* const kFine = new std::vector<double>(Bounds(true));
  return fine ? *kFine : *kCoarse;
}

BucketCounts CountByLatency(const Histogram& histogram, bool fine) {
  const std::vector<uint64_t>& starts = StartsOf(fine);
  BucketCounts out;
  out.upper_bounds = LatencyBounds(fine);
  out.cumulative.resize(starts.size());
  out.count = histogram.count();
  out.sum = static_cast<double>(histogram.sum()) / kMicrosPerSecond;
  size_t at = 0;
  uint64_t below = 0;
  histogram.ForEachBucket([&](uint32_t, uint64_t lower, uint64_t, uint64_t count) {
    for (; at < starts.size() && starts[at] <= lower; ++at) out.cumulative[at] = below;
    below += count;
  });
  std::fill(out.cumulative.begin() + static_cast<ptrdiff_t>(at), out.cumulative.end(), below);
  return out;
}

}  // namespace tidemark
