#include "coordinator/core/search/planner.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr char kPrecisionReached[] = "monotonic_precision_reached";
constexpr char kNoFailure[] = "monotonic_no_failure_in_range";
constexpr char kNoPass[] = "monotonic_no_pass_in_range";
constexpr char kMaxIterations[] = "max_iterations";
constexpr char kBudgetSeconds[] = "budget_seconds";
constexpr char kBudgetRequests[] = "budget_requests";
constexpr char kBudgetTokens[] = "budget_tokens";
constexpr char kListDone[] = "list_done";

// What the outcomes of one level amount to.
struct Tally {
  int passes = 0;
  int fails = 0;
  int invalid_streak = 0;      // INVALID outcomes since the last valid one
  std::string invalid_reason;  // of the latest INVALID
  std::optional<bool> passed;  // set once `trials` verdicts agree; then it stays
  size_t latest_pass = 0;      // indices into the history; meaningful when the count is over 0
  size_t latest_fail = 0;
  bool pass_undecided = false;  // some of these verdicts were point estimates
  bool fail_undecided = false;
};

using Tallies = std::map<uint64_t, Tally>;

void Count(const LevelOutcome& outcome, size_t iteration, int trials, Tally& tally) {
  if (outcome.verdict == Verdict::kInvalid) {
    ++tally.invalid_streak;
    tally.invalid_reason = outcome.invalid_reason;
    return;
  }
  tally.invalid_streak = 0;
  const bool undecided = outcome.verdict == Verdict::kInconclusive;
  if (undecided ? outcome.point_holds : outcome.verdict == Verdict::kPass) {
    ++tally.passes;
    tally.latest_pass = iteration;
    tally.pass_undecided = tally.pass_undecided || undecided;
  } else {
    ++tally.fails;
    tally.latest_fail = iteration;
    tally.fail_undecided = tally.fail_undecided || undecided;
  }
  if (tally.passed) return;
  if (tally.passes >= trials) tally.passed = true;
  if (tally.fails >= trials) tally.passed = false;
}

Tallies TallyLevels(const std::vector<LevelOutcome>& history, int trials) {
  Tallies tallies;
  for (size_t i = 0; i < history.size(); ++i) {
    if (history[i].spread) continue;
    Count(history[i], i, trials, tallies[history[i].level]);
  }
  return tallies;
}

BoundaryPoint PointAt(const Tallies& tallies, uint64_t level,
                      const std::vector<LevelOutcome>& history) {
  const Tally& tally = tallies.at(level);
  BoundaryPoint point;
  point.level = level;
  point.iteration = *tally.passed ? tally.latest_pass : tally.latest_fail;
  point.undecided = *tally.passed ? tally.pass_undecided : tally.fail_undecided;
  point.objective = history[point.iteration].objective;
  if (!*tally.passed) point.first_breach = history[point.iteration].first_breach;
  return point;
}

std::vector<uint64_t> NonMonotonic(const Tallies& tallies) {
  std::optional<uint64_t> lowest_fail;
  std::optional<uint64_t> highest_pass;
  for (const auto& [level, tally] : tallies) {
    if (!tally.passed) continue;
    if (*tally.passed) highest_pass = level;
    if (!*tally.passed && !lowest_fail) lowest_fail = level;
  }
  std::vector<uint64_t> levels;
  if (!lowest_fail || !highest_pass || *lowest_fail > *highest_pass) return levels;
  for (const auto& [level, tally] : tallies) {
    if (!tally.passed) continue;
    if (*tally.passed ? level > *lowest_fail : level < *highest_pass) levels.push_back(level);
  }
  return levels;
}

// The ends of the search so far; each is a settled level.
struct Bracket {
  std::optional<uint64_t> low;   // passed
  std::optional<uint64_t> high;  // failed
};

SearchAnswer AnswerOf(const Bracket& bracket, const Tallies& tallies,
                      const std::vector<LevelOutcome>& history) {
  SearchAnswer answer;
  if (bracket.low) answer.feasible_max = PointAt(tallies, *bracket.low, history);
  if (bracket.high) answer.infeasible_min = PointAt(tallies, *bracket.high, history);
  answer.non_monotonic = NonMonotonic(tallies);
  answer.undecided = (answer.feasible_max && answer.feasible_max->undecided) ||
                     (answer.infeasible_min && answer.infeasible_min->undecided);
  return answer;
}

// The reason why no further level may start; empty when one may.
std::string SpentBudget(const SearchBudget& budget, const std::vector<LevelOutcome>& history) {
  double seconds = 0;
  uint64_t requests = 0;
  uint64_t tokens = 0;
  for (const LevelOutcome& outcome : history) {
    seconds += outcome.seconds;
    requests += outcome.requests;
    tokens += outcome.tokens;
  }
  if (budget.seconds && seconds >= *budget.seconds) return kBudgetSeconds;
  if (budget.requests && requests >= *budget.requests) return kBudgetRequests;
  if (budget.tokens && tokens >= *budget.tokens) return kBudgetTokens;
  return "";
}

int ValidMeasurements(const std::vector<LevelOutcome>& history) {
  return static_cast<int>(std::count_if(
      history.begin(), history.end(),
      [](const LevelOutcome& outcome) { return outcome.verdict != Verdict::kInvalid; }));
}

// Why the bracket needs no further level; empty when it does.
std::string Converged(const SearchSpec& spec, const Bracket& bracket) {
  if (!bracket.high) return bracket.low == spec.max ? kNoFailure : "";
  if (!bracket.low) return bracket.high == spec.min ? kNoPass : "";
  const uint64_t gap = *bracket.high - *bracket.low;
  const bool narrow =
      gap <= 1 || static_cast<double>(gap) < spec.precision * static_cast<double>(*bracket.high);
  return narrow ? kPrecisionReached : "";
}

// REQUIRES: the bracket has not converged.
uint64_t NextLevel(const SearchSpec& spec, const Bracket& bracket) {
  if (bracket.low && bracket.high) return *bracket.low + (*bracket.high - *bracket.low) / 2;
  if (bracket.low) return *bracket.low > spec.max / 2 ? spec.max : *bracket.low * 2;
  if (bracket.high) return std::max(spec.min, *bracket.high / 2);
  return spec.start.value_or(spec.min);
}

// Follows the search through its settled levels: the bracket they leave, and the level to measure
// next, which is none when the search has converged.
struct Position {
  Bracket bracket;
  std::string converged;
  uint64_t next = 0;
};

Position Follow(const SearchSpec& spec, const Tallies& tallies) {
  Position position;
  // Each turn moves one end of the bracket strictly, so it ends.
  while (true) {
    position.converged = Converged(spec, position.bracket);
    if (!position.converged.empty()) return position;
    position.next = NextLevel(spec, position.bracket);
    const auto tally = tallies.find(position.next);
    if (tally == tallies.end() || !tally->second.passed) return position;
    (*tally->second.passed ? position.bracket.low : position.bracket.high) = position.next;
  }
}

// The ends of a list: its highest level that passed, and the lowest failed one above it.
Bracket ListBracket(const Tallies& tallies) {
  Bracket bracket;
  for (const auto& [level, tally] : tallies) {
    if (!tally.passed) continue;
    if (*tally.passed) {
      bracket = {level, std::nullopt};
    } else if (!bracket.high) {
      bracket.high = level;
    }
  }
  return bracket;
}

absl::Status Refuse(absl::string_view field, double value, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(field, " ", value, ": want ", want));
}

}  // namespace

absl::Status ValidateSearchSpec(const SearchSpec& spec) {
  if (spec.min == 0) return Refuse("concurrency_min", 0, "at least 1");
  if (spec.max < spec.min) {
    return Refuse("concurrency_max", static_cast<double>(spec.max),
                  absl::StrCat("at least concurrency_min, ", spec.min));
  }
  if (spec.start && (*spec.start < spec.min || *spec.start > spec.max)) {
    return Refuse("search_start", static_cast<double>(*spec.start),
                  absl::StrCat("a level from ", spec.min, " to ", spec.max));
  }
  if (!(spec.precision > 0 && spec.precision < 1)) {
    return Refuse("search_precision", spec.precision, "a share between 0 and 1, e.g. 0.05");
  }
  if (spec.trials < 1) return Refuse("search_trials", spec.trials, "at least 1");
  if (spec.max_iterations < 1) {
    return Refuse("search_max_iterations", spec.max_iterations, "at least 1");
  }
  if (spec.budget.seconds && !(std::isfinite(*spec.budget.seconds) && *spec.budget.seconds > 0)) {
    return Refuse("search budget in seconds", *spec.budget.seconds, "a number over 0");
  }
  return absl::OkStatus();
}

std::string DescribeReason(absl::string_view reason) {
  if (reason == kPrecisionReached) return "the bracket is as narrow as asked";
  if (reason == kNoFailure) return "no failure in range";
  if (reason == kNoPass) return "no pass in range";
  if (reason == kMaxIterations) return "all iterations used";
  if (reason == kBudgetSeconds) return "time budget used";
  if (reason == kBudgetRequests) return "request budget used";
  if (reason == kBudgetTokens) return "token budget used";
  if (reason == kListDone) return "every level of the list was run";
  return std::string(reason);
}

Decision MonotonicPlanner::Next(const SearchSpec& spec,
                                const std::vector<LevelOutcome>& history) const {
  const Tallies tallies = TallyLevels(history, spec.trials);
  const Position position = Follow(spec, tallies);
  const SearchAnswer answer = AnswerOf(position.bracket, tallies, history);
  if (!position.converged.empty()) return SearchDone{answer, position.converged};
  const auto tally = tallies.find(position.next);
  if (tally != tallies.end() && tally->second.invalid_streak >= 2) {
    return SearchImpossible{absl::StrCat("concurrency ", position.next,
                                         " could not be measured: ", tally->second.invalid_reason),
                            answer};
  }
  if (ValidMeasurements(history) >= spec.max_iterations) return SearchDone{answer, kMaxIterations};
  const std::string spent = SpentBudget(spec.budget, history);
  if (!spent.empty()) return SearchDone{answer, spent};
  return RunLevel{position.next};
}

Decision ListPlanner::Next(const SearchSpec& spec, const std::vector<LevelOutcome>& history) const {
  const Tallies tallies = TallyLevels(history, 1);
  const auto next = std::find_if(levels_.begin(), levels_.end(), [&tallies](uint64_t level) {
    return tallies.find(level) == tallies.end();
  });
  const std::string reason = next == levels_.end() ? kListDone : SpentBudget(spec.budget, history);
  if (reason.empty()) return RunLevel{*next};
  return SearchDone{AnswerOf(ListBracket(tallies), tallies, history), reason};
}

}  // namespace tidemark
