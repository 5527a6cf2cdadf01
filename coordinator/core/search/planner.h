// Which level to measure next: a pure function of a search's specification and the history of its
// levels. The history alone resumes a search; replaying it gives the same decisions.
//
// Planners keep no state between calls and are thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_PLANNER_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "coordinator/core/search/evidence.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {

// What a search may use in all; a search that has used as much starts no further level.
struct SearchBudget {
  std::optional<double> seconds;
  std::optional<uint64_t> requests;  // sent: warm-up, measured and fillers
  std::optional<uint64_t> tokens;    // input and output
};

struct SearchSpec {
  uint64_t min = 1;               // concurrency
  uint64_t max = 1000;            // concurrency
  std::optional<uint64_t> start;  // where doubling begins; `min` when not given
  double precision = 0.05;        // ends when the bracket is narrower, as a share of its upper end
  int trials = 1;                 // verdicts that must agree at a level
  int max_iterations = 20;        // valid measurements, AIPerf's search_max_iterations
  SearchBudget budget;
};

// Error: InvalidArgument naming the field, its value and what would be right.
absl::Status ValidateSearchSpec(const SearchSpec& spec);

// The first SLA that a level failed, as search_history.json wants it.
struct FirstBreach {
  Sla sla;
  std::optional<double> observed;  // nothing when no request succeeded
};

// One agent's part in a measured level.
struct AgentLoad {
  std::string agent;
  uint32_t slots = 0;
  uint32_t carried = 0;  // as many as `slots`, or, where they made the level INVALID, how many it would carry
  bool TooMuch() const { return carried < slots; }
  friend bool operator==(const AgentLoad&, const AgentLoad&) = default;
};

// One measurement of one level, in the order in which they ended. Append only.
struct LevelOutcome {
  uint64_t level = 0;  // concurrency
  Verdict verdict = Verdict::kInvalid;
  bool point_holds = false;  // of kInconclusive: what the point estimate says
  std::optional<FirstBreach> first_breach;
  std::optional<double> objective;  // output token throughput, tokens/s
  std::string invalid_reason;       // of kInvalid
  std::vector<AgentLoad> loads;     // of agents with slots
  bool spread = false;              // of kInvalid: measured again on other agents' shares; then only budgets count it
  double seconds = 0;               // spent on it, ramp and drain included
  uint64_t requests = 0;            // sent
  uint64_t tokens = 0;              // input and output
};

// One end of the bracket: a level that was measured.
struct BoundaryPoint {
  uint64_t level = 0;
  size_t iteration = 0;  // index into the history: its latest outcome with this verdict
  std::optional<double> objective;
  std::optional<FirstBreach> first_breach;  // of the infeasible end
  bool undecided = false;                   // rests on a point estimate
};

struct SearchAnswer {
  std::optional<BoundaryPoint> feasible_max;    // nothing: no level passed
  std::optional<BoundaryPoint> infeasible_min;  // nothing: no level failed
  // Levels whose verdicts contradict order (a lower one fails, a higher one passes), ascending.
  std::vector<uint64_t> non_monotonic;
  bool undecided = false;  // either end rests on a point estimate
};

struct RunLevel {
  uint64_t level = 0;
};

// `reason` is search_history.json's convergence_reason: AIPerf's own (monotonic_precision_reached,
// monotonic_no_failure_in_range, monotonic_no_pass_in_range, max_iterations), or budget_seconds,
// budget_requests, budget_tokens, list_done.
struct SearchDone {
  SearchAnswer answer;
  std::string reason;
};

// The search cannot go on: a level was INVALID twice running. `so_far` is what is known without it.
struct SearchImpossible {
  std::string reason;
  SearchAnswer so_far;
};

using Decision = std::variant<RunLevel, SearchDone, SearchImpossible>;

// An AIPerf reason or one of ours in words, for people; the reason itself when it is unknown.
std::string DescribeReason(absl::string_view reason);

class Planner {
 public:
  virtual ~Planner() = default;
  // REQUIRES: `history` came from this planner's decisions for the same specification.
  virtual Decision Next(const SearchSpec& spec, const std::vector<LevelOutcome>& history) const = 0;
};

// AIPerf's planner, for comparison: doubles from the start to the first failure (probing max
// itself), then bisects. A start above min that fails is halved down to min first. A level is asked
// until `trials` of its verdicts agree, and once more after an INVALID one. REQUIRES: a valid spec.
class MonotonicPlanner final : public Planner {
 public:
  Decision Next(const SearchSpec& spec, const std::vector<LevelOutcome>& history) const override;
};

// Runs each of the given levels once, in their order, whatever its verdict; of the specification it
// heeds the budget. It is never SearchImpossible: the other levels do not rest on an INVALID one.
class ListPlanner final : public Planner {
 public:
  explicit ListPlanner(std::vector<uint64_t> levels) : levels_(std::move(levels)) {}
  Decision Next(const SearchSpec& spec, const std::vector<LevelOutcome>& history) const override;

 private:
  const std::vector<uint64_t> levels_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_PLANNER_H_
