#include "coordinator/report/statements.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "coordinator/core/search/planner.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

// How far the measured throughput is from the law, at most.
std::string LawComparison(const v1::Result& result) {
  double worst = 0;
  const v1::LevelResult* where = nullptr;
  for (const v1::LawPrediction& law : result.law()) {
    const v1::LevelResult* level = LatestVisit(result, law.concurrency());
    if (level == nullptr || IsInvalid(*level)) continue;
    if (!level->has_output_token_throughput() || law.output_token_throughput() <= 0) continue;
    const double off = level->output_token_throughput() / law.output_token_throughput() - 1;
    if (where == nullptr || std::fabs(off) > std::fabs(worst)) {
      worst = off;
      where = level;
    }
  }
  if (where == nullptr) return "";
  return absl::StrCat("Measured throughput is within ", FormatFixed(100 * std::fabs(worst), 1),
                      " % of it (farthest off at ", where->concurrency(), ").");
}

std::string VisitMark(const v1::LevelResult& level) {
  if (IsInvalid(level)) return "?";
  return level.verdict() == v1::FAIL ? "✗" : "";
}

}  // namespace

std::string KneeSentence(const v1::Result& result) {
  if (!result.has_knee()) return "";
  std::string text(absl::StripPrefix(result.knee().statement(), "knee "));
  if (result.knee().cross_checks_differ()) {
    absl::StrAppend(&text, "; the cross-checks differ by more than 2 x:");
    if (result.knee().has_kneedle()) absl::StrAppend(&text, " Kneedle ", result.knee().kneedle());
    if (result.knee().has_best_times_single()) {
      absl::StrAppend(&text, result.knee().has_kneedle() ? "," : "", " Little's law ",
                      FormatReadable(result.knee().best_times_single()));
    }
  }
  return OneLine(text);
}

std::string LawSentence(const v1::Result& result) {
  const std::string comparison = LawComparison(result);
  const bool both = !result.law_statement().empty() && !comparison.empty();
  return absl::StrCat(OneLine(result.law_statement()), both ? " " : "", comparison);
}

std::string SearchSentence(const v1::Result& result) {
  if (!result.has_search() || result.levels().empty()) return "";
  const std::string visits =
      absl::StrJoin(result.levels(), " ", [](std::string* out, const v1::LevelResult& level) {
        absl::StrAppend(out, level.concurrency(), VisitMark(level));
      });
  return absl::StrCat(visits,
                      "; ended: ", OneLine(DescribeReason(result.search().convergence_reason())));
}

std::string TargetSentence(const v1::Result& result) {
  std::string text = result.target_note().empty() ? absl::StrJoin(result.endpoint().urls(), " ")
                                                  : result.target_note();
  if (!result.endpoint().model().empty()) {
    absl::StrAppend(&text, ", model ", result.endpoint().model());
  }
  return OneLine(text);
}

}  // namespace tidemark
