// What counted requests say about a quantile or a share when neighbouring requests are correlated.
//
// Requests of a closed loop move in step (a full batch is slow for all in it), so n requests are
// worth n' = n / tau independent ones. tau comes from how much batches of requests, in time order,
// differ beyond what chance would give. The plain binomial test would pass levels falsely four
// times as often as it says.
//
// Plain values and pure functions: thread-safe. `alpha` is the one-sided risk of a false verdict.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_EVIDENCE_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_EVIDENCE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/statistics/statistics.h"

namespace tidemark {

// kInconclusive: the evidence does not decide. kInvalid: the generator was the limit, or nothing
// was measured; it says nothing about the endpoint.
enum class Verdict { kPass, kFail, kInconclusive, kInvalid };

// "PASS", "FAIL", "INCONCLUSIVE", "INVALID".
absl::string_view VerdictName(Verdict verdict);

// Requests that started in one slice of time, or in several neighbouring ones (a batch).
struct SliceFacts {
  uint64_t n = 0;               // requests that count for the metric, failed ones included
  uint64_t over = 0;            // of these: violating the threshold, or failed
  uint64_t over_reference = 0;  // of these: beyond the pooled quantile of ReferenceOrder, or failed
  uint64_t values = 0;          // values of the metric (successes that have it)
  double sum = 0;               // of these values, in the metric's display unit
};

// n and v = the violating ones, discounted to what independent requests would be worth.
struct EffectiveCounts {
  double n = 0;
  double v = 0;
  double tau = 1;   // n / tau = the effective n; at least 1
  int batches = 0;  // that tau rests on; under kMinBatches tau is the concurrency, the worst case
};

inline constexpr int kMinBatches = 5;
inline constexpr int kMaxBatches = 30;
inline constexpr int kLooks = 5;

// A confidence is stated from 5 requests a slot on.
bool IsShortWindow(uint64_t n, uint64_t concurrency);

// Slices, in time order, as clip(floor(n / concurrency), 5, 30) batches of about equal n. Fewer
// when a slice is larger than a batch; none is empty. REQUIRES: concurrency > 0.
std::vector<SliceFacts> GroupIntoBatches(absl::Span<const SliceFacts> slices, uint64_t concurrency);

// The order of the reference quantile for a required share p: 1 - min(0.5, 5 (1 - p)). Far in the
// tail violations are too few to show correlation; at the reference there are enough.
double ReferenceOrder(double required_share);

// Sums the batches and discounts them: tau is the larger of that at the threshold and that at the
// reference, widened for having been estimated from few batches.
EffectiveCounts Discount(absl::Span<const SliceFacts> batches, uint64_t concurrency, double alpha);

// Whether at least `required_share` of requests surely comply, or surely do not.
bool CountsPass(double n, double v, double required_share, double alpha);
bool CountsFail(double n, double v, double required_share, double alpha);

// kPass, kFail or kInconclusive; the last one always in a short window. `n` is the real count.
Verdict JudgeCounts(const EffectiveCounts& counts, uint64_t n, uint64_t concurrency,
                    double required_share, double alpha);

// The least n that passes with `violations` when tau is 1; nothing when none under 2^40 does
// (required_share 1).
std::optional<uint64_t> SmallestPassingCount(double required_share, uint64_t violations,
                                             double alpha);

// The counts at which a sequential search looks, each at alpha / kLooks: n0 2^k, where n0 passes
// with 2 violations and is at least 5 requests a slot. Empty when no count can pass.
std::vector<uint64_t> LookCounts(double required_share, uint64_t concurrency, double alpha);

// The least number of violations in `n` that fails: a level that has it is hopeless.
uint64_t FailBound(uint64_t n, double required_share, double alpha);

// Ranks, from 1, whose values enclose a quantile. No `upper`: it cannot be told from n requests.
struct RankInterval {
  uint64_t lower = 1;
  std::optional<uint64_t> upper;
};

// The 95 % interval of the quantile of `order` in (0, 1) among n values worth `effective_n`.
// REQUIRES: n > 0, effective_n > 0.
RankInterval QuantileRanks(uint64_t n, double effective_n, double order);

// The 95 % t interval of a mean over batches; nothing with fewer than 2 that have values.
std::optional<Interval> MeanInterval(absl::Span<const SliceFacts> batches);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_EVIDENCE_H_
