#include "cli/exit_code.h"

#include <algorithm>

namespace tidemark {
namespace {

struct LevelTally {
  int levels = 0;
  int with_success = 0;
  int pass = 0;
  int fail = 0;
  int inconclusive = 0;
  int invalid = 0;
};

bool IsInvalid(const v1::LevelResult& level) {
  return level.verdict() == v1::INVALID || level.validity() == v1::VALIDITY_INVALID;
}

LevelTally Tally(const v1::Result& result) {
  LevelTally tally;
  for (const v1::LevelResult& level : result.levels()) {
    ++tally.levels;
    if (level.measured().ok() > 0) ++tally.with_success;
    if (IsInvalid(level)) {
      ++tally.invalid;
    } else if (level.verdict() == v1::PASS) {
      ++tally.pass;
    } else if (level.verdict() == v1::FAIL) {
      ++tally.fail;
    } else if (level.verdict() == v1::INCONCLUSIVE) {
      ++tally.inconclusive;
    }
  }
  return tally;
}

int Undecided(bool accept) { return accept ? kExitDone : kExitUndecided; }

int SearchCode(const v1::Result& result, const LevelTally& tally, bool accept_undecided) {
  const v1::SearchResult& search = result.search();
  if (search.has_feasible_max()) {
    return search.undecided() ? Undecided(accept_undecided) : kExitDone;
  }
  // An invalid lowest level says nothing about the endpoint.
  if (tally.fail == 0 || tally.invalid > 0) return kExitUndecided;
  return search.undecided() ? Undecided(accept_undecided) : kExitNotMet;
}

bool AsksSlas(const v1::Result& result) {
  return std::any_of(result.levels().begin(), result.levels().end(),
                     [](const v1::LevelResult& level) { return level.slas_size() > 0; });
}

int ListCode(const v1::Result& result, const LevelTally& tally, bool accept_undecided) {
  if (!AsksSlas(result)) {
    return tally.invalid == tally.levels ? kExitUndecided : kExitDone;
  }
  if (tally.pass > 0) return kExitDone;
  if (tally.invalid > 0) return kExitUndecided;
  if (tally.inconclusive > 0) return Undecided(accept_undecided);
  return kExitNotMet;
}

}  // namespace

int ExitCodeOf(const v1::Result& result, bool accept_undecided, int signal) {
  constexpr int kSignalled = 128;
  if (signal != 0) return kSignalled + signal;
  const LevelTally tally = Tally(result);
  if (result.has_error() || tally.with_success == 0) return kExitCouldNotRun;
  if (result.has_search()) return SearchCode(result, tally, accept_undecided);
  return ListCode(result, tally, accept_undecided);
}

}  // namespace tidemark
