#include "coordinator/report/statements.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/measurement/histogram.h"
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

// Of all agents and levels.
struct Reads {
  uint64_t all = 0, stamped = 0;
  double worst_p99_ms = 0;  // of an agent in a level
  bool user = false;        // as asked
};

Reads ReadsOf(const v1::Result& result) {
  Reads reads;
  for (const v1::LevelResult& level : result.levels()) {
    reads.user = reads.user || level.plan().user_timestamps();
    for (const v1::AgentShare& agent : level.agents()) {
      const absl::StatusOr<Histogram> delay = Histogram::Decode(agent.self_check().reader_delay_us());
      if (!delay.ok()) continue;
      reads.all += agent.self_check().reads();
      reads.stamped += delay->count();
      if (!delay->empty()) reads.worst_p99_ms = std::max(reads.worst_p99_ms, delay->Quantile(0.99) / 1e3);
    }
  }
  return reads;
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

std::string ArrivalTimesSentence(const v1::Result& result) {
  const Reads reads = ReadsOf(result);
  if (reads.user) return "the event loop's own clock at each read, as asked (timestamps: user)";
  if (reads.stamped == 0) return "the event loop's own clock at each read";
  const double share = reads.all == 0 ? 1 : static_cast<double>(reads.stamped) / static_cast<double>(reads.all);
  return absl::StrCat("the kernel's receive stamp of each read, for ", FormatPercent(share),
                      " of the reads; the others have the event loop's own clock. The loops read up to ",
                      FormatReadable(reads.worst_p99_ms), " ms later at p99");
}

std::vector<std::string> ValiditySentences(const v1::Result& result) {
  std::vector<std::string> sentences;
  std::string suspect;
  for (const v1::LevelResult* level : LatestVisits(result)) {
    if (IsInvalid(*level) && !level->verdict_reason().empty()) {
      sentences.push_back(absl::StrCat("at ", level->concurrency(), ": ", level->verdict_reason()));
      continue;
    }
    for (const v1::ValidityCheck& check : level->validity_checks()) {
      if (check.state() != v1::SUSPECT || check.advice().empty() || !suspect.empty()) continue;
      suspect = absl::StrCat("suspect at ", level->concurrency(), ": ", check.advice());
    }
  }
  if (!suspect.empty()) sentences.push_back(std::move(suspect));
  return sentences;
}

}  // namespace tidemark
