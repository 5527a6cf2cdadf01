#include "coordinator/report/summary.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/report/answer.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"
#include "coordinator/report/statements.h"

namespace tidemark {
namespace {

constexpr size_t kWarnings = 3;
constexpr int kReasons = 3;
constexpr size_t kTitleWidth = 9;
constexpr char kGreen[] = "\x1b[32m";
constexpr char kRed[] = "\x1b[31m";
constexpr char kYellow[] = "\x1b[33m";
constexpr char kBold[] = "\x1b[1m";
constexpr char kPlain[] = "\x1b[0m";

std::string Figure(bool known, double value) { return known ? FormatReadable(value) : "-"; }

std::string Ms(const std::optional<double>& value) {
  return value.has_value() ? FormatReadable(*value) : "-";
}

// Marks that the notes under the table explain.
std::string Marks(const v1::LevelResult& level) {
  return absl::StrCat(level.ended_by_cap() ? "+" : "", level.short_window() ? "*" : "");
}

std::string Verdict(const v1::LevelResult& level) {
  const absl::string_view name = VerdictName(level.verdict());
  return name.empty() ? "-" : std::string(name);
}

std::string Valid(const v1::LevelResult& level) {
  if (IsInvalid(level)) return "no";
  return level.validity() == v1::SUSPECT ? "suspect" : "yes";
}

std::vector<std::string> Row(const v1::LevelResult& level) {
  return {absl::StrCat(level.concurrency()),
          absl::StrCat(FormatCount(CompletedRequests(level)), Marks(level)),
          Figure(level.has_output_token_throughput(), level.output_token_throughput()),
          Figure(level.has_request_throughput(), level.request_throughput()),
          Ms(QuantileOf(level, "time_to_first_token", 0.5)),
          Ms(QuantileOf(level, "time_to_first_token", 0.95)),
          Ms(QuantileOf(level, "time_to_first_token", 0.99)),
          Ms(QuantileOf(level, "inter_token_latency", 0.5)),
          Ms(QuantileOf(level, "request_latency", 0.99)),
          level.error_rate() == 0 ? "0" : FormatPercent(level.error_rate()),
          Verdict(level),
          Valid(level)};
}

// What stands in one column of every line, in colour.
std::string Coloured(std::string line, absl::string_view word, absl::string_view colour) {
  const size_t at = line.rfind(std::string(word));
  if (at == std::string::npos) return line;
  line.insert(at + word.size(), kPlain);
  line.insert(at, std::string(colour));
  return line;
}

std::string Colour(v1::Verdict verdict) {
  if (verdict == v1::PASS) return kGreen;
  return verdict == v1::FAIL ? kRed : kYellow;
}

std::string LevelTable(const v1::Result& result, const SummaryOptions& options) {
  const std::vector<const v1::LevelResult*> levels = LatestVisits(result);
  if (levels.empty()) return "";
  TextTable table({"N", "requests", "tok/s", "req/s", "TTFT p50", "p95", "p99", "TPOT p50",
                   "e2e p99", "errors", "verdict", "valid"});
  for (const v1::LevelResult* level : levels) table.AddRow(Row(*level));
  std::vector<std::string> lines = table.Lines(options.width);
  for (size_t i = 0; options.color && i < levels.size(); ++i) {
    lines[i + 1] =
        Coloured(lines[i + 1], VerdictName(levels[i]->verdict()), Colour(levels[i]->verdict()));
  }
  return absl::StrCat("\n", absl::StrJoin(lines, "\n"), "\n");
}

std::string TableNotes(const v1::Result& result, const SummaryOptions& options) {
  bool capped = false;
  bool short_window = false;
  for (const v1::LevelResult* level : LatestVisits(result)) {
    capped = capped || level->ended_by_cap();
    short_window = short_window || level->short_window();
  }
  if (result.levels().empty()) return "";
  return WrapText(
             absl::StrCat("N: concurrent requests. Times in ms, of successes; TPOT: time per "
                          "output token after the first; "
                          "e2e: whole request.",
                          capped ? " + ended by the time cap, before all its requests." : "",
                          short_window ? " * short window: fewer than 5 requests a slot." : ""),
             options.width, 0) +
         "\n";
}

// A title, then text that continues under itself.
std::string Paragraph(absl::string_view title, absl::string_view text,
                      const SummaryOptions& options) {
  if (text.empty()) return "";
  const std::string head = absl::StrCat(title, std::string(kTitleWidth - title.size(), ' '));
  return absl::StrCat(head, WrapText(OneLine(text), options.width, kTitleWidth, kTitleWidth), "\n");
}

// Those of the job, then what to do about levels without a verdict, unless the answer's reasons are these.
std::string Warnings(const v1::Result& result, const v1::Answer& answer, const SummaryOptions& options) {
  std::vector<std::string> warnings(result.warnings().begin(), result.warnings().end());
  if (answer.verdict() != v1::INVALID) {
    for (std::string& sentence : ValiditySentences(result)) warnings.push_back(std::move(sentence));
  }
  std::string text;
  const size_t shown = std::min(kWarnings, warnings.size());
  for (size_t i = 0; i < shown; ++i) text += Paragraph("Warning:", warnings[i], options);
  if (warnings.size() > shown) {
    absl::StrAppend(&text, "         and ", warnings.size() - shown, " more in the report.\n");
  }
  return text;
}

// One line whatever the width: scripts take the first line as the answer.
std::string Headline(const v1::Answer& answer, const SummaryOptions& options) {
  const std::string headline = OneLine(answer.headline());
  if (!options.color) return headline + "\n";
  return absl::StrCat(kBold,
                      answer.verdict() == v1::VERDICT_UNSPECIFIED ? "" : Colour(answer.verdict()),
                      headline, kPlain, "\n");
}

// Of an INVALID answer: what was wrong at each level, and the cure.
std::string Reasons(const v1::Result& result, const v1::Answer& answer,
                    const SummaryOptions& options) {
  if (answer.verdict() != v1::INVALID) return "";
  std::string text;
  int levels = 0;
  for (const v1::LevelResult* level : LatestVisits(result)) {
    if (!IsInvalid(*level) || level->verdict_reason().empty() || ++levels > kReasons) continue;
    text += Paragraph("Reason:",
                      absl::StrCat("at ", level->concurrency(), ": ", level->verdict_reason()), options);
  }
  if (levels > kReasons) {
    absl::StrAppend(&text, "         and ", levels - kReasons, " more in the report.\n");
  }
  return text;
}

}  // namespace

std::string SummaryText(const v1::Result& result, const SummaryOptions& options) {
  const v1::Answer answer = AnswerOf(result);
  std::string tail =
      absl::StrCat(Paragraph("Knee:", KneeSentence(result), options),
                   Paragraph("Search:", SearchSentence(result), options),
                   Paragraph("Law:", LawSentence(result), options), Warnings(result, answer, options),
                   Paragraph("Target:", TargetSentence(result), options),
                   Paragraph("Report:", options.report_path, options));
  // Not wrapped: it is for copying.
  if (!result.command().empty())
    absl::StrAppend(
        &tail, "Again:   ", ShellLine({result.command().begin(), result.command().end()}), "\n");
  const std::string table = LevelTable(result, options);
  return absl::StrCat(Headline(answer, options), Reasons(result, answer, options), table, TableNotes(result, options), tail.empty() ? "" : "\n",
                      tail);
}

}  // namespace tidemark
