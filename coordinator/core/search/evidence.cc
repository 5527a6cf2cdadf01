#include "coordinator/core/search/evidence.h"

#include <algorithm>
#include <cmath>

namespace tidemark {
namespace {

using Count = uint64_t SliceFacts::*;

uint64_t Total(absl::Span<const SliceFacts> slices, Count count) {
  uint64_t total = 0;
  for (const SliceFacts& slice : slices) total += slice.*count;
  return total;
}

void Add(const SliceFacts& slice, SliceFacts& batch) {
  batch.n += slice.n;
  batch.over += slice.over;
  batch.over_reference += slice.over_reference;
  batch.values += slice.values;
  batch.sum += slice.sum;
}

// How much more the batches' counts vary than independent requests' would; at least 1.
double VarianceInflation(absl::Span<const SliceFacts> batches, Count count) {
  const double n = static_cast<double>(Total(batches, &SliceFacts::n));
  const double v = static_cast<double>(Total(batches, count));
  const double m = static_cast<double>(batches.size());
  if (v == 0 || v == n || m < 2) return 1;
  const double q = v / n;
  double squares = 0;
  for (const SliceFacts& batch : batches) {
    const double excess = static_cast<double>(batch.*count) - q * static_cast<double>(batch.n);
    squares += excess * excess;
  }
  return std::max(1.0, m / (m - 1) * squares / (n * q * (1 - q)));
}

// tau is estimated from m batches: Student's t instead of the normal distribution pays for it.
double EstimationPenalty(int batches, double alpha) {
  const double ratio = StudentTQuantile(1 - alpha, batches - 1) / NormalQuantile(1 - alpha);
  return ratio * ratio;
}

double Tau(absl::Span<const SliceFacts> batches, uint64_t concurrency, double alpha) {
  const int m = static_cast<int>(batches.size());
  if (m < kMinBatches) return static_cast<double>(std::max<uint64_t>(1, concurrency));
  const double inflation = std::max(VarianceInflation(batches, &SliceFacts::over),
                                    VarianceInflation(batches, &SliceFacts::over_reference));
  return inflation * EstimationPenalty(m, alpha);
}

// The least count in [low, high] that fulfils a monotone `condition`, or nothing.
template <typename Condition>
std::optional<uint64_t> LeastCount(uint64_t low, uint64_t high, Condition condition) {
  if (!condition(high)) return std::nullopt;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (condition(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kInconclusive:
      return "INCONCLUSIVE";
    case Verdict::kInvalid:
      return "INVALID";
  }
  return "INVALID";
}

bool IsShortWindow(uint64_t n, uint64_t concurrency) { return n / 5 < concurrency; }

std::vector<SliceFacts> GroupIntoBatches(absl::Span<const SliceFacts> slices,
                                         uint64_t concurrency) {
  const uint64_t n = Total(slices, &SliceFacts::n);
  const uint64_t m = std::clamp<uint64_t>(n / concurrency, kMinBatches, kMaxBatches);
  std::vector<SliceFacts> batches(m);
  uint64_t before = 0;
  for (const SliceFacts& slice : slices) {
    if (slice.n == 0) continue;
    // The batch that holds the slice's middle request: whole slices, boundaries as near as can be.
    const double middle = static_cast<double>(before) + static_cast<double>(slice.n) / 2;
    const double batch = middle * static_cast<double>(m) / static_cast<double>(n);
    Add(slice, batches[std::min<uint64_t>(m - 1, static_cast<uint64_t>(batch))]);
    before += slice.n;
  }
  batches.erase(std::remove_if(batches.begin(), batches.end(),
                               [](const SliceFacts& batch) { return batch.n == 0; }),
                batches.end());
  return batches;
}

double ReferenceOrder(double required_share) { return 1 - std::min(0.5, 5 * (1 - required_share)); }

EffectiveCounts Discount(absl::Span<const SliceFacts> batches, uint64_t concurrency, double alpha) {
  EffectiveCounts counts;
  counts.batches = static_cast<int>(batches.size());
  counts.tau = Tau(batches, concurrency, alpha);
  counts.n = static_cast<double>(Total(batches, &SliceFacts::n)) / counts.tau;
  counts.v = static_cast<double>(Total(batches, &SliceFacts::over)) / counts.tau;
  return counts;
}

bool CountsPass(double n, double v, double required_share, double alpha) {
  return IncompleteBeta(n - v, v + 1, required_share) <= alpha;
}

bool CountsFail(double n, double v, double required_share, double alpha) {
  return v > 0 && IncompleteBeta(v, n - v + 1, 1 - required_share) <= alpha;
}

Verdict JudgeCounts(const EffectiveCounts& counts, uint64_t n, uint64_t concurrency,
                    double required_share, double alpha) {
  if (IsShortWindow(n, concurrency)) return Verdict::kInconclusive;
  if (CountsPass(counts.n, counts.v, required_share, alpha)) return Verdict::kPass;
  if (CountsFail(counts.n, counts.v, required_share, alpha)) return Verdict::kFail;
  return Verdict::kInconclusive;
}

std::optional<uint64_t> SmallestPassingCount(double required_share, uint64_t violations,
                                             double alpha) {
  const double v = static_cast<double>(violations);
  return LeastCount(violations + 1, uint64_t{1} << 40, [=](uint64_t n) {
    return CountsPass(static_cast<double>(n), v, required_share, alpha);
  });
}

std::vector<uint64_t> LookCounts(double required_share, uint64_t concurrency, double alpha) {
  const std::optional<uint64_t> first = SmallestPassingCount(required_share, 2, alpha / kLooks);
  std::vector<uint64_t> looks;
  if (!first) return looks;
  const uint64_t n0 = std::max(*first, 5 * concurrency);
  for (int k = 0; k < kLooks; ++k) looks.push_back(n0 << k);
  return looks;
}

uint64_t FailBound(uint64_t n, double required_share, double alpha) {
  const double requests = static_cast<double>(n);
  // Past n no count exists, so a bound of n + 1 says that n requests can never fail.
  return LeastCount(1, n,
                    [=](uint64_t v) {
                      return CountsFail(requests, static_cast<double>(v), required_share, alpha);
                    })
      .value_or(n + 1);
}

RankInterval QuantileRanks(uint64_t n, double effective_n, double order) {
  const double below = order * effective_n;
  const double above = effective_n - below;
  const double count = static_cast<double>(n);
  const double low = IncompleteBetaInverse(below, above + 1, 0.025);
  const double high = IncompleteBetaInverse(below + 1, above, 0.975);
  RankInterval ranks;
  ranks.lower = std::max<uint64_t>(1, static_cast<uint64_t>(low * count));
  if (high * count <= count - 0.5) ranks.upper = static_cast<uint64_t>(std::ceil(high * count));
  return ranks;
}

std::optional<Interval> MeanInterval(absl::Span<const SliceFacts> batches) {
  double sum = 0;
  double values = 0;
  int m = 0;
  for (const SliceFacts& batch : batches) {
    sum += batch.sum;
    values += static_cast<double>(batch.values);
    m += batch.values > 0 ? 1 : 0;
  }
  if (m < 2) return std::nullopt;
  const double mean = sum / values;
  double squares = 0;
  for (const SliceFacts& batch : batches) {
    const double excess = batch.sum - mean * static_cast<double>(batch.values);
    squares += excess * excess;
  }
  const double error = std::sqrt(squares * m / (m - 1.0)) / values;
  const double half = StudentTQuantile(0.975, m - 1) * error;
  return Interval{mean - half, mean + half};
}

}  // namespace tidemark
