// The verdict of one measured level against its SLAs, by exact counts: the point estimate decides,
// and what confidence it has stands beside it.
//
// Plain values and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_VERDICT_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/search/evidence.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {

// What was measured of one SLA's metric.
struct SlaFacts {
  Sla sla;
  // The statistic over successes (failures are in v), or the level's one figure, in the metric's
  // display unit. Nothing when the metric has no value. error_rate needs none: it is counted.
  std::optional<double> observed;
  // Quantiles: requests that have the metric or failed, and those of them that violate the
  // threshold or failed. Violating is exactly `not (value op threshold)`.
  uint64_t n = 0;
  uint64_t v = 0;
  // The same by slices of START, in time order. May be empty: then no confidence is stated.
  std::vector<SliceFacts> slices;
};

struct LevelFacts {
  uint64_t concurrency = 1;  // slots in flight; over 0
  uint64_t successes = 0;    // measured requests
  uint64_t failures = 0;
  std::vector<std::string> invalid_reasons;  // from the validity measures; empty when valid
  std::vector<SlaFacts> slas;
};

// How sure a count is, at 95 %.
struct Confidence {
  Verdict verdict = Verdict::kInconclusive;  // what the evidence alone would say; never kInvalid
  EffectiveCounts effective;                 // n', v', tau
  Interval violating_share;                  // Clopper-Pearson on n', v'; two-sided
};

struct SlaResult {
  Sla sla;
  Verdict verdict = Verdict::kInvalid;
  std::string reason;              // why it is not simply `observed op threshold`; mostly empty
  std::optional<double> observed;  // as in SlaFacts; for error_rate failures / n
  uint64_t n = 0;                  // quantiles and error_rate only
  uint64_t v = 0;
  double violating_share = 0;            // v / n
  uint64_t allowed_violations = 0;       // quantiles: the most v that passes at this n
  std::optional<Confidence> confidence;  // of quantiles and error_rate, when slices were given
  std::optional<Interval> mean;          // of avg: its 95 % interval
};

struct LevelVerdict {
  Verdict verdict = Verdict::kInvalid;
  std::vector<std::string> reasons;  // of kInvalid; and "no request succeeded"
  bool short_window = false;         // fewer than 5 requests a slot: confidence is not stated
  std::vector<SlaResult> slas;       // in the order given
  // The first SLA that fails, as an index into `slas`.
  std::optional<size_t> first_breach;
};

// The share of requests that must comply: p for an upper limit on quantile p, 1 - p for a lower
// one, 1 - threshold for an upper limit on error_rate. Nothing where no share is judged.
std::optional<double> RequiredShare(const Sla& sla);

// The most violations among n requests at which quantile p (rank ceil(p n)) still complies.
// REQUIRES: n > 0; sla.stat is a quantile.
uint64_t AllowedViolations(const Sla& sla, uint64_t n);

// kInvalid when the measurement was (it dominates), an SLA's metric does not exist, or no request
// ended; kFail when no request succeeded or an SLA fails; else kPass, also when there is no SLA.
LevelVerdict JudgeLevel(const LevelFacts& facts);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_VERDICT_H_
