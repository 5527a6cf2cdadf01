#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/measurement/metric_table.h"
#include "coordinator/report/format.h"
#include "coordinator/report/html_parts.h"
#include "coordinator/report/html_sections.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

void WriteQuantile(const v1::MetricStatistics& metric, double p, HtmlWriter& html) {
  html.Markup("<td>");
  for (const v1::Quantile& quantile : metric.quantiles()) {
    if (std::fabs(quantile.p() - p) > 1e-9) continue;
    html.Text(FormatReadable(quantile.value()));
    if (!quantile.low_known() && !quantile.high_known()) continue;
    html.Element("small",
                 absl::StrCat(quantile.low_known() ? FormatReadable(quantile.low()) : "?", "–",
                              quantile.high_known() ? FormatReadable(quantile.high()) : "?"));
  }
  html.Markup("</td>");
}

void WriteStatistics(const v1::MetricStatistics& metric, HtmlWriter& html) {
  const std::optional<Metric> known = MetricByTag(metric.tag());
  html.Markup("<tr><th scope=\"row\">")
      .Text(known ? InfoOf(*known).display_name : absl::string_view(metric.tag()))
      .Markup("</th>");
  html.Element("td", metric.unit()).Element("td", FormatCount(metric.count()));
  html.Element("td", FormatReadable(metric.avg()));
  for (const double p : {0.5, 0.9, 0.95, 0.99, 0.999}) WriteQuantile(metric, p, html);
  html.Element("td", FormatReadable(metric.min())).Element("td", FormatReadable(metric.max()));
  html.Element("td", FormatReadable(metric.std())).Markup("</tr>\n");
}

void WritePercentiles(const v1::LevelResult& level, HtmlWriter& html) {
  html.Markup(
      "<div class=\"scroll\"><table>\n<caption>Statistics of successful requests; below a quantile "
      "its 95 % interval</caption>\n");
  HeaderRow({"Metric", "Unit", "Count", "Average", "p50", "p90", "p95", "p99", "p99.9", "Min",
             "Max", "Std"},
            html);
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.count() > 0) WriteStatistics(metric, html);
  }
  html.Markup("</tbody></table></div>\n");
}

void WriteSlas(const v1::LevelResult& level, HtmlWriter& html) {
  if (level.slas().empty()) return;
  html.Markup(
      "<div class=\"scroll\"><table class=\"prose-last\">\n<caption>SLAs; failed requests count as "
      "over every latency limit</caption>\n");
  HeaderRow({"SLA", "Observed", "Requests", "Violating", "Verdict", "Confidence"}, html);
  for (const v1::SlaResult& sla : level.slas()) {
    html.Markup("<tr><th scope=\"row\">").Text(DescribeSla(sla));
    if (sla.implied()) html.Markup(" ").Element("small", "implied");
    html.Markup("</th>");
    html.Element("td", DescribeObserved(sla))
        .Element("td", FormatCount(sla.n()))
        .Element("td", FormatCount(sla.v()));
    html.Markup("<td>");
    Badge(VerdictName(sla.verdict()), html);
    html.Markup("</td>").Element("td", sla.statement(), "prose").Markup("</tr>\n");
  }
  html.Markup("</tbody></table></div>\n");
}

void WriteFailures(const v1::LevelResult& level, HtmlWriter& html) {
  if (level.failures().empty()) return;
  html.Markup("<div class=\"scroll\"><table>\n<caption>Failures</caption>\n");
  HeaderRow({"Class", "Count"}, html);
  for (const v1::FailureCount& failure : level.failures())
    Row({failure.failure_class(), FormatCount(failure.count())}, html);
  html.Markup("</tbody></table></div>\n");
  for (const v1::FailureExample& example : level.examples()) {
    html.Markup("<figure class=\"excerpt\"><figcaption>").Text(example.failure_class());
    if (example.status() != 0) html.Text(absl::StrCat(", status ", example.status()));
    if (!example.server().empty()) html.Text(absl::StrCat(", server ", example.server()));
    if (!example.via().empty()) html.Text(absl::StrCat(", via ", example.via()));
    if (!example.retry_after().empty())
      html.Text(absl::StrCat(", Retry-After ", example.retry_after()));
    html.Text(absl::StrCat(", after ", FormatReadable(static_cast<double>(example.age_us()) / 1000),
                           " ms"));
    html.Markup("</figcaption><pre>").Text(example.excerpt()).Markup("</pre></figure>\n");
  }
}

void WriteAgents(const v1::LevelResult& level, HtmlWriter& html) {
  if (level.agents_size() < 2 && level.void_attempts().empty()) return;
  html.Markup("<div class=\"scroll\"><table>\n<caption>Agents</caption>\n");
  HeaderRow({"Agent", "Slots", "Requests", "OK", "Failed", "Start skew ms", "Clock error ms"},
            html);
  for (const v1::AgentShare& agent : level.agents()) {
    Row({agent.agent(), FormatCount(agent.slots()), FormatCount(agent.requests()),
         FormatCount(agent.measured().ok()), FormatCount(agent.measured().failed()),
         FormatReadable(agent.start_skew_ms()), FormatReadable(agent.clock_error_ms())},
        html);
  }
  html.Markup("</tbody></table></div>\n");
  for (const v1::VoidAttempt& attempt : level.void_attempts()) {
    html.Element("p", absl::StrCat("Attempt ", attempt.attempt(), " is void: ", attempt.agent(),
                                   ", ", attempt.reason(), "; ", FormatCount(attempt.sent()),
                                   " requests had been sent."));
  }
}

// The line that stays when a visit's details are folded.
void WriteVisitSummary(const v1::LevelResult& level, HtmlWriter& html) {
  html.Markup("<summary>")
      .Element("b", absl::StrCat(level.concurrency(), " concurrent"))
      .Markup(" ");
  Badge(VerdictName(level.verdict()), html);
  std::string figures = absl::StrCat("visit ", level.level() + 1);
  if (level.has_output_token_throughput()) {
    absl::StrAppend(&figures, " · ", FormatReadable(level.output_token_throughput()), " tokens/s");
  }
  if (const auto p99 = QuantileOf(level, "request_latency", 0.99)) {
    absl::StrAppend(&figures, " · latency p99 ", FormatReadable(*p99), " ms");
  }
  if (!level.verdict_reason().empty()) absl::StrAppend(&figures, " · ", level.verdict_reason());
  html.Markup(" ").Element("span", figures, "reason").Markup("</summary>\n");
}

void WriteVisit(const v1::LevelResult& level, HtmlWriter& html) {
  html.Markup("<details id=\"").Text(absl::StrCat("level-", level.level())).Markup("\">");
  WriteVisitSummary(level, html);
  for (const std::string& note : level.notes()) html.Element("p", note);
  html.Element(
      "p",
      absl::StrCat(
          "Planned ", FormatCount(level.request_count()), " requests; measured ",
          FormatCount(level.measured().ok()), " successes and ",
          FormatCount(level.measured().failed()), " failures; unmeasured (ramp, warm-up, fillers) ",
          FormatCount(level.unmeasured().sent()), ". Effective concurrency ",
          Figure(level.has_effective_concurrency(), level.effective_concurrency()), ", window ",
          Figure(level.has_benchmark_duration_s(), level.benchmark_duration_s()), " s."));
  WriteSlas(level, html);
  WritePercentiles(level, html);
  WriteFailures(level, html);
  WriteAgents(level, html);
  html.Markup("</details>\n");
}

}  // namespace

void WriteLevelDetails(const v1::Result& result, HtmlWriter& html) {
  if (result.levels().empty()) return;
  html.Markup("<section aria-labelledby=\"details\"><h2 id=\"details\">Each level in full</h2>\n");
  for (const v1::LevelResult& level : result.levels()) WriteVisit(level, html);
  html.Markup("</section>\n");
}

}  // namespace tidemark
