#include "coordinator/report/html_sections.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "common/measurement/metric_table.h"
#include "coordinator/report/answer.h"
#include "coordinator/report/format.h"
#include "coordinator/report/html_parts.h"
#include "coordinator/report/level_view.h"
#include "coordinator/report/statements.h"

namespace tidemark {
namespace {

void Tile(absl::string_view label, absl::string_view value, absl::string_view unit,
          HtmlWriter& html) {
  html.Markup("<div class=\"tile\"><dt>").Text(label).Markup("</dt><dd>").Text(value);
  if (!unit.empty()) html.Markup(" ").Element("small", unit);
  html.Markup("</dd></div>\n");
}

void WriteTiles(const v1::LevelResult& level, HtmlWriter& html) {
  html.Markup("<dl class=\"tiles\">\n");
  Tile("Concurrency", absl::StrCat(level.concurrency()), "requests", html);
  Tile("Output throughput",
       Figure(level.has_output_token_throughput(), level.output_token_throughput()), "tokens/s",
       html);
  Tile("Request throughput", Figure(level.has_request_throughput(), level.request_throughput()),
       "req/s", html);
  Tile("TTFT p95", Ms(QuantileOf(level, "time_to_first_token", 0.95)), "ms", html);
  Tile("TPOT p50", Ms(QuantileOf(level, "inter_token_latency", 0.5)), "ms", html);
  Tile("Latency p99", Ms(QuantileOf(level, "request_latency", 0.99)), "ms", html);
  Tile("Errors", FormatPercent(level.error_rate()), "", html);
  html.Markup("</dl>\n");
}

void WriteCommand(const v1::Result& result, HtmlWriter& html) {
  if (result.command().empty()) return;
  html.Markup("<p class=\"again\">Run it again: <code>")
      .Text(ShellLine({result.command().begin(), result.command().end()}))
      .Markup("</code></p>\n");
}

// The answer's level, or null when it names none.
const v1::LevelResult* AnswerLevel(const v1::Result& result, const v1::Answer& answer) {
  return answer.concurrency() == 0 ? nullptr : LatestVisit(result, answer.concurrency());
}

void Sentence(absl::string_view title, absl::string_view text, HtmlWriter& html) {
  if (!text.empty())
    html.Markup("<p>").Element("b", title).Markup(": ").Text(text).Markup("</p>\n");
}

// "PASS: 16 …" without its first word, which the badge shows.
std::string WithoutFirstWord(const std::string& headline) {
  const size_t colon = headline.find(": ");
  const bool starts_with_word =
      colon != std::string::npos &&
      headline.substr(0, colon) == absl::AsciiStrToUpper(headline.substr(0, colon));
  return starts_with_word ? headline.substr(colon + 2) : headline;
}

std::string BadgeWord(const v1::Result& result, const v1::Answer& answer) {
  if (result.has_error()) return "ERROR";
  if (result.interrupted()) return "INTERRUPTED";
  return std::string(answer.verdict() == v1::VERDICT_UNSPECIFIED ? "MEASURED"
                                                                 : VerdictName(answer.verdict()));
}

std::vector<std::string> LevelCells(const v1::LevelResult& level) {
  return {absl::StrCat(FormatCount(CompletedRequests(level)), level.ended_by_cap() ? " +" : "",
                       level.short_window() ? " *" : ""),
          Figure(level.has_output_token_throughput(), level.output_token_throughput()),
          Figure(level.has_request_throughput(), level.request_throughput()),
          Ms(QuantileOf(level, "time_to_first_token", 0.5)),
          Ms(QuantileOf(level, "time_to_first_token", 0.95)),
          Ms(QuantileOf(level, "time_to_first_token", 0.99)),
          Ms(QuantileOf(level, "inter_token_latency", 0.5)),
          Ms(QuantileOf(level, "request_latency", 0.5)),
          Ms(QuantileOf(level, "request_latency", 0.99)),
          FormatPercent(level.error_rate())};
}

void LevelRow(const v1::LevelResult& level, bool is_answer, HtmlWriter& html) {
  if (is_answer) {
    html.Markup("<tr class=\"answer-row\">");
  } else {
    html.Markup("<tr>");
  }
  html.Markup("<th scope=\"row\"><a href=\"#")
      .Text(absl::StrCat("level-", level.level()))
      .Markup("\">")
      .Text(absl::StrCat(level.concurrency()))
      .Markup("</a></th>");
  for (const std::string& cell : LevelCells(level)) html.Element("td", cell);
  html.Markup("<td>");
  Badge(VerdictName(level.verdict()), html);
  html.Markup("</td><td>");
  Badge(IsInvalid(level) ? "invalid" : ValidityName(level.validity()), html);
  html.Markup("</td></tr>\n");
}

void Definition(absl::string_view term, absl::string_view text, HtmlWriter& html) {
  html.Element("dt", term).Element("dd", text).Markup("\n");
}

void Setting(absl::string_view term, absl::string_view value, HtmlWriter& html) {
  if (!value.empty()) Definition(term, value, html);
}

bool AllValid(const v1::Result& result) {
  for (const v1::LevelResult& level : result.levels()) {
    if (IsInvalid(level) || level.validity() == v1::SUSPECT) return false;
  }
  return true;
}

void CheckRow(const v1::LevelResult& level, const v1::ValidityCheck& check, HtmlWriter& html) {
  html.Markup("<tr><th scope=\"row\">").Text(absl::StrCat(level.concurrency())).Markup("</th>");
  html.Element("td", check.agent())
      .Element("td", check.measure())
      .Element("td", FormatReadable(check.value()));
  html.Element("td", FormatReadable(check.suspect_at()))
      .Element("td", FormatReadable(check.invalid_at()))
      .Markup("<td>");
  Badge(ValidityName(check.state()), html);
  html.Markup("</td>").Element("td", check.advice(), "prose").Markup("</tr>\n");
}

}  // namespace

void WriteAnswer(const v1::Result& result, HtmlWriter& html) {
  const v1::Answer answer = AnswerOf(result);
  const std::string word = BadgeWord(result, answer);
  html.Markup("<section class=\"answer ")
      .Text(absl::AsciiStrToLower(word))
      .Markup("\" aria-label=\"Answer\">\n<p class=\"headline\">");
  Badge(word, html);
  html.Markup(" ").Text(WithoutFirstWord(answer.headline())).Markup("</p>\n");
  if (const v1::LevelResult* level = AnswerLevel(result, answer)) WriteTiles(*level, html);
  WriteCommand(result, html);
  html.Markup("</section>\n");
  if (result.warnings().empty()) return;
  html.Markup("<section class=\"warnings\" aria-label=\"Warnings\"><h2>Warnings</h2><ul>\n");
  for (const std::string& warning : result.warnings()) html.Element("li", warning).Markup("\n");
  html.Markup("</ul></section>\n");
}

void WriteCharts(const v1::Result& result, HtmlWriter& html) {
  if (result.levels().empty()) return;
  html.Markup(
      "<section aria-labelledby=\"charts\"><h2 id=\"charts\">Throughput and latency against "
      "concurrency</h2>\n"
      "<noscript><p class=\"note\">The charts need JavaScript; their figures are in the table "
      "below.</p></noscript>\n"
      "<div class=\"charts\">\n<figure><figcaption>Output tokens per second</figcaption><div "
      "class=\"plot\">"
      "<canvas id=\"throughput-chart\" role=\"img\" aria-label=\"Output token throughput against "
      "concurrency; figures in the table of levels\"></canvas></div></figure>\n"
      "<figure><figcaption>Latency, ms (logarithmic)</figcaption><div class=\"plot\">"
      "<canvas id=\"latency-chart\" role=\"img\" aria-label=\"Latency against concurrency with the "
      "SLA limits; figures in the table of levels\"></canvas></div></figure>\n</div>\n");
  html.Markup(
      "<p class=\"note\">Points: green passed, red failed, hollow was not measured validly.</p>\n");
  Sentence("Knee", KneeSentence(result), html);
  Sentence("The simulator's law", LawSentence(result), html);
  html.Markup("</section>\n");
}

void WriteLevelTable(const v1::Result& result, HtmlWriter& html) {
  if (result.levels().empty()) return;
  html.Markup(
      "<section aria-labelledby=\"levels\"><h2 id=\"levels\">Levels</h2>\n<div "
      "class=\"scroll\"><table class=\"levels\">\n"
      "<caption>Times in ms, of successful requests. + ended by the time cap. * short window: "
      "fewer than 5 requests a slot.</caption>\n");
  HeaderRow({"Concurrency", "Requests", "Tokens/s", "Req/s", "TTFT p50", "p95", "p99", "TPOT p50",
             "Latency p50", "p99", "Errors", "Verdict", "Validity"},
            html);
  const v1::Answer answer = AnswerOf(result);
  for (const v1::LevelResult* level : LatestVisits(result))
    LevelRow(*level, level->concurrency() == answer.concurrency(), html);
  html.Markup("</tbody></table></div>\n");
  Sentence("Search", SearchSentence(result), html);
  html.Markup("</section>\n");
}

void WriteValidity(const v1::Result& result, HtmlWriter& html) {
  if (result.levels().empty()) return;
  html.Markup(
      "<section aria-labelledby=\"validity\"><h2 id=\"validity\">Was the generator the "
      "limit?</h2>\n");
  if (AllValid(result)) {
    html.Markup(
        "<p>No: at every level the load generator kept within its own bounds, so the figures are "
        "the endpoint's.</p>\n</section>\n");
    return;
  }
  html.Markup(
      "<p>These measures are out of bounds. An invalid level says nothing about the endpoint and "
      "is never counted as its failure.</p>\n");
  html.Markup("<div class=\"scroll\"><table class=\"prose-last\">\n");
  HeaderRow({"Concurrency", "Agent", "Measure", "Value", "Suspect at", "Invalid at", "State",
             "What to do"},
            html);
  for (const v1::LevelResult& level : result.levels()) {
    for (const v1::ValidityCheck& check : level.validity_checks()) {
      if (check.state() == v1::SUSPECT || check.state() == v1::VALIDITY_INVALID)
        CheckRow(level, check, html);
    }
  }
  html.Markup("</tbody></table></div></section>\n");
}

void WriteDefinitions(const v1::Result& result, HtmlWriter& html) {
  html.Markup(
      "<section aria-labelledby=\"definitions\"><h2 "
      "id=\"definitions\">Definitions</h2>\n<details><summary>What each figure "
      "means</summary>\n<dl class=\"terms\">\n");
  Definition("Concurrency", "requests in flight at once, held constant through the window", html);
  Definition("Window",
             "steady load only: after ramp and warm-up, before the drain; requests belong to it by "
             "their start",
             html);
  Definition(
      "Output token throughput",
      "output tokens received in the window, of any request, over its length; summed over agents",
      html);
  Definition("Request throughput", "successes among the measured requests over the window", html);
  Definition("Error rate",
             "failures / (successes + failures); a failed request also violates every latency SLA",
             html);
  Definition("Quantile p",
             "the value of rank ceil(p n) of the merged histogram, three significant digits; "
             "failures are not in it",
             html);
  Definition("Arrival times", ArrivalTimesSentence(result), html);
  for (const MetricInfo& info : MetricTable()) {
    Definition(info.display_name, absl::StrCat(info.formula, " (", info.unit, "; ", info.when, ")"),
               html);
  }
  html.Markup("</dl></details></section>\n");
}

void WriteConfiguration(const v1::Result& result, HtmlWriter& html) {
  html.Markup(
      "<section aria-labelledby=\"configuration\"><h2 "
      "id=\"configuration\">Configuration</h2>\n<details><summary>What was run, where and with "
      "what</summary>\n<dl class=\"terms\">\n");
  Setting("URL", absl::StrJoin(result.endpoint().urls(), " "), html);
  Setting("API", result.endpoint().api(), html);
  Setting("Model", result.endpoint().model(), html);
  Setting("Server", absl::StrCat(result.server().server(), " ", result.server().version()), html);
  Setting("Host",
          result.environment().host().empty()
              ? ""
              : absl::StrCat(result.environment().host(), ", ", result.environment().cores(),
                             " cores, ", result.environment().cpu_model(), ", ",
                             result.environment().kernel()),
          html);
  Setting("Build", result.environment().build(), html);
  Setting("Seed", absl::StrCat(result.workload().seed(), ", nonce ", result.workload().nonce()),
          html);
  Setting("Requests sent",
          absl::StrCat(FormatCount(result.requests_sent()), ", with probe, warm-up and fillers"),
          html);
  Setting("Started, ended", absl::StrCat(result.started_at(), ", ", result.ended_at()), html);
  std::vector<std::pair<std::string, std::string>> labels(result.labels().begin(),
                                                          result.labels().end());
  std::sort(labels.begin(), labels.end());
  for (const auto& [key, value] : labels) Setting(absl::StrCat("Label ", key), value, html);
  html.Markup("</dl>\n");
  if (!result.job_yaml().empty()) html.Markup("<pre>").Text(result.job_yaml()).Markup("</pre>\n");
  html.Markup("</details></section>\n");
}

}  // namespace tidemark
