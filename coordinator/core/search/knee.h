// The knee of a sweep: the concurrency from which more slots bring latency but hardly throughput.
//
// Plain values and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/search/evidence.h"
#include "coordinator/core/search/knee_fit.h"

namespace tidemark {

enum class KneeOutcome {
  kFound,
  kTooFewLevels,  // fewer than three
  kStillRising,   // throughput grows on through the last level: no knee in the measured range
  kDoesNotRise,   // the lowest level is saturated already: the knee is there or below
};

struct Knee {
  KneeOutcome outcome = KneeOutcome::kTooFewLevels;
  // Of kFound: e^K, the measured level nearest to it in ln N (the one to name), and the measured
  // levels around it: `below` <= e^K < `above`.
  std::optional<double> concurrency;
  std::optional<uint64_t> level;
  std::optional<uint64_t> below;
  std::optional<uint64_t> above;
  bool at_or_above_last_but_one = false;  // the sweep ends too early to say how far above

  std::optional<uint64_t> best_level;  // of the greatest throughput
  std::optional<uint64_t> peak_level;  // the best one, when throughput falls by over 10 % after it

  std::optional<TwoSegmentFit> fit;          // also of kStillRising, for its slopes
  std::optional<uint64_t> kneedle_level;     // cross-check
  std::optional<double> little_concurrency;  // cross-check: X_best R(1)
  bool kneedle_disagrees = false;            // by over a factor of 2 from e^K; of kFound
  bool little_disagrees = false;
  std::optional<UslFit> usl;
};

// The points may come in any order; those without throughput (no success) are left out, and of two
// with one level the later one holds. Leave INVALID levels out.
Knee FindKnee(const std::vector<SweepPoint>& points);

// One sentence: "knee at concurrency 16 (fitted 17.2, between the measured 16 and 32)" or why there
// is none.
std::string DescribeKnee(const Knee& knee);

struct JudgedLevel {
  uint64_t level = 0;
  Verdict verdict = Verdict::kInvalid;
};

// The levels that PASS at or below the knee, ascending; without a knee in the measured range all
// that PASS; where the lowest level is saturated already, at most that one.
std::vector<uint64_t> SafeOperatingRegion(const std::vector<JudgedLevel>& levels, const Knee& knee);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_H_
