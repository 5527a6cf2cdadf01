#include "coordinator/report/answer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/search/planner.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

constexpr char kNoPassInRange[] = "monotonic_no_pass_in_range";

using Levels = std::vector<const v1::LevelResult*>;

v1::Answer Say(v1::Verdict verdict, uint32_t concurrency, const std::string& headline) {
  v1::Answer answer;
  answer.set_verdict(verdict);
  answer.set_concurrency(concurrency);
  answer.set_headline(headline);
  answer.set_error_type("none");
  return answer;
}

std::string Requests(uint32_t concurrency) {
  return absl::StrCat(concurrency, " concurrent request", concurrency == 1 ? "" : "s");
}

std::string Does(uint32_t concurrency, absl::string_view verb) {
  return absl::StrCat(Requests(concurrency), " ", verb, concurrency == 1 ? "s" : "");
}

// The asked SLAs, or the implied ones when nothing was asked.
std::string SlaList(const v1::LevelResult& level, bool with_observed) {
  std::vector<std::string> parts;
  for (const bool implied : {false, true}) {
    for (const v1::SlaResult& sla : level.slas()) {
      if (sla.implied() != implied) continue;
      parts.push_back(absl::StrCat(DescribeSla(sla), with_observed ? " (measured " : "",
                                   with_observed ? DescribeObserved(sla) : "",
                                   with_observed ? ")" : ""));
    }
    if (!parts.empty()) break;
  }
  return absl::StrJoin(parts, " and ");
}

std::string BreachOf(const v1::LevelResult& level) {
  if (level.measured().ok() == 0) return "no request succeeded";
  if (const v1::SlaResult* breach = FirstBreach(level)) {
    const bool named_stat = !breach->stat().empty() && breach->stat() != "rate";
    return absl::StrCat(ShortMetricName(breach->metric_tag()), named_stat ? " " : "",
                        named_stat ? breach->stat() : "", " ", DescribeObserved(*breach));
  }
  return level.verdict_reason().empty() ? "an SLA failed" : OneLine(level.verdict_reason());
}

std::string AtThroughput(const v1::LevelResult& level) {
  if (!level.has_output_token_throughput()) return "";
  return absl::StrCat(" at ", FormatReadable(level.output_token_throughput()), " output tokens/s");
}

// How many times over its limit a check is; some limits are lower ones.
double Excess(const v1::ValidityCheck& check) {
  const bool lower_limit = check.invalid_at() < check.suspect_at();
  const double over = lower_limit ? check.invalid_at() : check.value();
  const double limit = lower_limit ? check.value() : check.invalid_at();
  return limit > 0 ? over / limit : std::numeric_limits<double>::infinity();
}

const v1::ValidityCheck* GravestCheck(const Levels& levels) {
  const v1::ValidityCheck* gravest = nullptr;
  for (const v1::LevelResult* level : levels) {
    for (const v1::ValidityCheck& check : level->validity_checks()) {
      if (check.state() != v1::VALIDITY_INVALID || check.advice().empty()) continue;
      if (gravest == nullptr || Excess(check) > Excess(*gravest)) gravest = &check;
    }
  }
  return gravest;
}

// Why the INVALID `levels` are: the gravest check without its cure (after the colon), which the
// levels' verdict_reason has in full.
std::string InvalidCause(const Levels& levels) {
  if (const v1::ValidityCheck* check = GravestCheck(levels)) {
    const std::string advice = OneLine(check->advice());
    return advice.substr(0, advice.find(": "));
  }
  const std::string& reason = levels.front()->verdict_reason();
  return reason.empty() ? "the measurement does not hold" : OneLine(reason);
}

// WIRE's rule: throttling is said, for it is not the model's limit.
std::string ThrottleNote(const Levels& levels) {
  for (const v1::LevelResult* level : levels) {
    if (MostlyThrottled(*level)) {
      return absl::StrCat("; most failures at ", level->concurrency(),
                          " are HTTP 429: a quota or gateway was the limit, not the model");
    }
  }
  return "";
}

const v1::LevelResult* Largest(const Levels& levels, v1::Verdict verdict) {
  const v1::LevelResult* found = nullptr;
  for (const v1::LevelResult* level : levels) {
    if (level->verdict() == verdict) found = level;
  }
  return found;
}

// The level after `passed` that fails, and those below it that do: "; 32 does not (…)".
std::string WhatFails(const Levels& levels, const v1::LevelResult& passed) {
  std::string text;
  for (const v1::LevelResult* level : levels) {
    if (level->verdict() != v1::FAIL || level->concurrency() < passed.concurrency()) continue;
    absl::StrAppend(&text, "; ", level->concurrency(),
                    level->concurrency() == 1 ? " does not (" : " do not (", BreachOf(*level), ")");
    break;
  }
  if (text.empty() && &passed == levels.back()) text = "; no level failed";
  for (const v1::LevelResult* level : levels) {
    if (level->verdict() == v1::FAIL && level->concurrency() < passed.concurrency()) {
      absl::StrAppend(&text, "; not monotone: ", level->concurrency(), " failed");
      break;
    }
  }
  return text;
}

v1::Answer Passed(const Levels& levels, const v1::LevelResult& level, bool undecided) {
  const v1::Verdict verdict = undecided ? v1::INCONCLUSIVE : v1::PASS;
  return Say(verdict, level.concurrency(),
             absl::StrCat(undecided ? "UNDECIDED at 95 %: " : "PASS: ",
                          undecided ? absl::StrCat(Requests(level.concurrency()), " may hold ")
                                    : absl::StrCat(Does(level.concurrency(), "hold"), " "),
                          SlaList(level, /*with_observed=*/true), AtThroughput(level),
                          WhatFails(levels, level), ThrottleNote(levels)));
}

// No level met the SLAs; the best one is the lowest concurrency, and it is not the answer.
v1::Answer NonePassed(const Levels& levels, v1::Verdict verdict) {
  const v1::LevelResult* lowest = nullptr;
  for (const v1::LevelResult* level : levels) {
    if (level->verdict() == v1::FAIL) {
      lowest = level;
      break;
    }
  }
  if (lowest == nullptr) return Say(verdict, 0, "no level was judged");
  return Say(
      verdict, 0,
      absl::StrCat(verdict == v1::INCONCLUSIVE ? "UNDECIDED at 95 %: " : "FAIL: ", "no level met ",
                   SlaList(*lowest, /*with_observed=*/false), "; the lowest, ",
                   Requests(lowest->concurrency()), ": ", BreachOf(*lowest), ThrottleNote(levels)));
}

v1::Answer Invalid(const v1::LevelResult& level, absl::string_view also) {
  return Say(v1::INVALID, 0,
             absl::StrCat("INVALID: ", Requests(level.concurrency()),
                          " could not be measured: ", InvalidCause({&level}), also));
}

v1::Answer AllInvalid(const Levels& levels) {
  if (levels.size() == 1) return Invalid(*levels.front(), "");
  return Say(v1::INVALID, 0, absl::StrCat("INVALID: no level could be measured: ", InvalidCause(levels)));
}

// Nothing passed and not everything failed: says what stands in the way.
v1::Answer NothingDecided(const Levels& levels) {
  if (const v1::LevelResult* level = Largest(levels, v1::INVALID)) {
    return Invalid(*level, levels.size() > 1 ? "; no level passed" : "");
  }
  const v1::LevelResult* level = Largest(levels, v1::INCONCLUSIVE);
  return Say(
      v1::INCONCLUSIVE, 0,
      absl::StrCat("INCONCLUSIVE: no level passed for sure; ", Requests(level->concurrency()), ": ",
                   level->verdict_reason().empty() ? "too few requests to decide"
                                                   : OneLine(level->verdict_reason())));
}

// The search ended before it knew whether some level meets the SLAs: those it did not try may.
v1::Answer EndedBeforeAPass(const v1::SearchResult& search, const v1::LevelResult& last) {
  return Say(v1::INCONCLUSIVE, 0,
             absl::StrCat("INCONCLUSIVE: the search ended before a level passed (",
                          DescribeReason(search.convergence_reason()), "); the last, ",
                          Requests(last.concurrency()), ": ", BreachOf(last)));
}

v1::Answer OfSearch(const v1::Result& result, const Levels& levels) {
  const v1::SearchResult& search = result.search();
  const v1::LevelResult& last = *result.levels().rbegin();
  const v1::LevelResult* best =
      search.has_feasible_max() ? VisitByIndex(result, search.feasible_max().level()) : nullptr;
  if (IsInvalid(last)) {
    return Invalid(last, best == nullptr
                             ? ""
                             : absl::StrCat("; the largest level that passed so far is ",
                                            best->concurrency()));
  }
  if (best == nullptr && search.convergence_reason() != kNoPassInRange) {
    return EndedBeforeAPass(search, last);
  }
  if (best == nullptr) return NonePassed(levels, search.undecided() ? v1::INCONCLUSIVE : v1::FAIL);
  return Passed(levels, *best, search.undecided());
}

v1::Answer OfListWithSlas(const Levels& levels) {
  if (const v1::LevelResult* level = Largest(levels, v1::PASS)) {
    return Passed(levels, *level, /*undecided=*/false);
  }
  const bool all_failed =
      std::all_of(levels.begin(), levels.end(),
                  [](const v1::LevelResult* level) { return level->verdict() == v1::FAIL; });
  return all_failed ? NonePassed(levels, v1::FAIL) : NothingDecided(levels);
}

std::string Figures(const v1::LevelResult& level) {
  std::string text =
      level.has_output_token_throughput()
          ? absl::StrCat(FormatReadable(level.output_token_throughput()), " output tokens/s")
          : absl::StrCat(FormatCount(level.measured().ok()), " successes");
  if (const auto p99 = QuantileOf(level, "request_latency", 0.99)) {
    absl::StrAppend(&text, ", latency p99 ", FormatReadable(*p99), " ms");
  }
  return text;
}

// REQUIRES: a level is not INVALID.
v1::Answer OfListWithoutSlas(const v1::Result& result, const Levels& levels) {
  Levels valid;
  for (const v1::LevelResult* level : levels) {
    if (!IsInvalid(*level)) valid.push_back(level);
  }
  if (result.has_knee() && result.knee().found()) {
    if (const v1::LevelResult* level = LatestVisit(result, result.knee().concurrency())) {
      return Say(v1::VERDICT_UNSPECIFIED, level->concurrency(),
                 absl::StrCat("KNEE: throughput saturates at ", Requests(level->concurrency()),
                              ": ", Figures(*level), ThrottleNote(levels)));
    }
  }
  const v1::LevelResult* best =
      *std::max_element(valid.begin(), valid.end(), [](const auto* a, const auto* b) {
        return a->output_token_throughput() < b->output_token_throughput();
      });
  const std::string which = valid.size() == 1
                                ? Does(best->concurrency(), "get")
                                : absl::StrCat(Does(best->concurrency(), "give"), " the most,");
  return Say(v1::VERDICT_UNSPECIFIED, best->concurrency(),
             absl::StrCat(valid.size() == 1 ? "MEASURED: " : "BEST: ", which, " ", Figures(*best),
                          valid.size() == 1 ? "" : "; no knee in the measured range",
                          ThrottleNote(levels)));
}

// The commonest failure with its first example.
v1::Answer NoSuccess(const Levels& levels) {
  const v1::LevelResult& level = *levels.front();
  const v1::FailureCount* top = nullptr;
  for (const v1::FailureCount& failure : level.failures()) {
    if (top == nullptr || failure.count() > top->count()) top = &failure;
  }
  std::string why = top == nullptr ? "none ended" : absl::StrCat("mostly ", top->failure_class());
  for (const v1::FailureExample& example : level.examples()) {
    if (top == nullptr || example.failure_class() != top->failure_class() ||
        example.excerpt().empty())
      continue;
    absl::StrAppend(&why, " (", OneLine(example.excerpt()).substr(0, 120), ")");
    break;
  }
  v1::Answer answer =
      Say(v1::FAIL, 0,
          absl::StrCat("FAIL: no request succeeded at any level: ", why, ThrottleNote(levels)));
  answer.set_error_type(top == nullptr ? "no_success" : top->failure_class());
  return answer;
}

bool AnySuccess(const v1::Result& result) {
  return std::any_of(result.levels().begin(), result.levels().end(),
                     [](const v1::LevelResult& level) { return level.measured().ok() > 0; });
}

v1::Answer OfLevels(const v1::Result& result) {
  const Levels levels = LatestVisits(result);
  if (!AnySuccess(result)) return NoSuccess(levels);
  if (std::all_of(levels.begin(), levels.end(), [](const auto* level) { return IsInvalid(*level); })) {
    return AllInvalid(levels);
  }
  if (result.has_search()) return OfSearch(result, levels);
  return HasSlas(result) ? OfListWithSlas(levels) : OfListWithoutSlas(result, levels);
}

v1::Answer Interrupted(const v1::Result& result) {
  if (result.levels().empty())
    return Say(v1::VERDICT_UNSPECIFIED, 0, "INTERRUPTED before any level was measured");
  const auto finished = std::count_if(result.levels().begin(), result.levels().end(),
                                      [](const auto& level) { return !level.stopped_early(); });
  v1::Answer answer = OfLevels(result);
  answer.set_headline(absl::StrCat("INTERRUPTED after ", finished, " level",
                                   finished == 1 ? "" : "s", "; so far ",
                                   answer.headline()));
  return answer;
}

v1::Answer OfError(const v1::ErrorDetail& error) {
  v1::Answer answer = Say(v1::VERDICT_UNSPECIFIED, 0,
                          absl::StrCat("ERROR: ", error.type(), error.type().empty() ? "" : ": ",
                                       OneLine(error.message())));
  answer.set_error_type(error.type().empty() ? "error" : error.type());
  return answer;
}

}  // namespace

v1::Answer AnswerFor(const v1::Result& result) {
  if (result.has_error()) return OfError(result.error());
  if (result.interrupted()) return Interrupted(result);
  if (result.levels().empty()) return Say(v1::INVALID, 0, "INVALID: no level was measured");
  return OfLevels(result);
}

v1::Answer AnswerOf(const v1::Result& result) {
  return result.answer().headline().empty() ? AnswerFor(result) : result.answer();
}

int ExitCodeFor(const v1::Result& result, bool accept_undecided) {
  if (result.has_error()) return result.error().type() == "usage" ? 2 : 1;
  if (result.interrupted()) return 130;
  if (!AnySuccess(result)) return 1;
  switch (AnswerFor(result).verdict()) {
    case v1::FAIL:
      return 3;
    case v1::INVALID:
      return 4;
    case v1::INCONCLUSIVE:
      return accept_undecided ? 0 : 4;
    default:
      return 0;
  }
}

}  // namespace tidemark
