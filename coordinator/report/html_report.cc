#include "coordinator/report/html_report.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json/json.h"
#include "common/measurement/metric_table.h"
#include "coordinator/report/assets.h"
#include "coordinator/report/format.h"
#include "coordinator/report/html_sections.h"
#include "coordinator/report/html_writer.h"
#include "coordinator/report/level_view.h"
#include "coordinator/report/statements.h"

namespace tidemark {
namespace {

// A line of the latency chart: one statistic of one metric in ms.
struct Series {
  std::string tag;
  std::string stat;
  std::string label() const { return absl::StrCat(ShortMetricName(tag), " ", stat); }
};

bool IsTime(absl::string_view tag) {
  const std::optional<Metric> metric = MetricByTag(tag);
  return metric.has_value() && InfoOf(*metric).unit == "ms";
}

// The usual two, and what the SLAs look at.
std::vector<Series> LatencySeries(const v1::Result& result) {
  std::vector<Series> series = {{"request_latency", "p99"}, {"time_to_first_token", "p95"}};
  for (const v1::LevelResult& level : result.levels()) {
    for (const v1::SlaResult& sla : level.slas()) {
      bool known = !IsTime(sla.metric_tag());
      for (const Series& one : series)
        known = known || (one.tag == sla.metric_tag() && one.stat == sla.stat());
      if (!known) series.push_back({sla.metric_tag(), sla.stat()});
    }
  }
  return series;
}

std::optional<double> ValueOf(const v1::LevelResult& level, const Series& series) {
  const v1::MetricStatistics* metric = FindMetric(level, series.tag);
  if (metric == nullptr) return std::nullopt;
  if (series.stat == "avg") return metric->avg();
  for (const v1::Quantile& quantile : metric->quantiles()) {
    if (QuantileName(quantile.p()) == series.stat) return quantile.value();
  }
  return std::nullopt;
}

Json Point(double x, const std::optional<double>& y) {
  return Json::Object({{"x", x}, {"y", y.has_value() ? Json(*y) : Json()}});
}

Json LatencyJson(const v1::Result& result) {
  Json list = Json::Array();
  for (const Series& series : LatencySeries(result)) {
    Json points = Json::Array();
    bool any = false;
    for (const v1::LevelResult* level : LatestVisits(result)) {
      const std::optional<double> value = ValueOf(*level, series);
      any = any || value.has_value();
      points.Append(Point(level->concurrency(), value));
    }
    if (any) list.Append(Json::Object({{"label", series.label()}, {"points", std::move(points)}}));
  }
  return list;
}

Json SlaLines(const v1::Result& result) {
  Json lines = Json::Array();
  if (result.levels().empty()) return lines;
  for (const v1::SlaResult& sla : result.levels(0).slas()) {
    if (!IsTime(sla.metric_tag())) continue;
    lines.Append(Json::Object({{"label", DescribeSla(sla)},
                               {"y", sla.threshold()},
                               {"series", Series{sla.metric_tag(), sla.stat()}.label()}}));
  }
  return lines;
}

Json KneeJson(const v1::Result& result) {
  if (!result.has_knee() || !result.knee().found()) return Json();
  return Json::Object(
      {{"x", result.knee().estimate() > 0 ? result.knee().estimate() : result.knee().concurrency()},
       {"label", absl::StrCat("knee: ", result.knee().concurrency())}});
}

// What report.js draws.
Json ChartData(const v1::Result& result) {
  Json levels = Json::Array();
  Json throughput = Json::Array();
  for (const v1::LevelResult* level : LatestVisits(result)) {
    levels.Append(Json::Object({{"n", level->concurrency()},
                                {"verdict", VerdictName(level->verdict())},
                                {"invalid", IsInvalid(*level)}}));
    throughput.Append(
        Point(level->concurrency(), level->has_output_token_throughput()
                                        ? std::optional<double>(level->output_token_throughput())
                                        : std::nullopt));
  }
  Json law = Json::Array();
  for (const v1::LawPrediction& prediction : result.law()) {
    law.Append(Point(prediction.concurrency(), prediction.output_token_throughput()));
  }
  return Json::Object({{"levels", std::move(levels)},
                       {"throughput", std::move(throughput)},
                       {"law", std::move(law)},
                       {"latency", LatencyJson(result)},
                       {"slas", SlaLines(result)},
                       {"knee", KneeJson(result)}});
}

void WriteHead(const v1::Result& result, absl::string_view style, HtmlWriter& html) {
  html.Markup(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n");
  html.Element("title",
               absl::StrCat(result.name().empty() ? "Benchmark" : result.name(), " · Tidemark"));
  html.Markup("\n<style>\n").Trusted(style).Markup("</style>\n</head>\n");
}

void WriteBanner(const v1::Result& result, HtmlWriter& html) {
  html.Markup(
      "<header class=\"banner\">\n<p class=\"brand\"><svg viewBox=\"0 0 48 24\" "
      "aria-hidden=\"true\">"
      "<path d=\"M2 8q5.5-6 11 0t11 0 11 0 11 0\"/><path class=\"mark\" d=\"M2 "
      "17h44\"/></svg>tidemark</p>\n");
  html.Element("h1", result.name().empty() ? "Benchmark" : result.name());
  html.Markup("\n<p class=\"meta\">");
  html.Text(TargetSentence(result));
  if (!result.started_at().empty()) html.Markup(" · ").Element("time", result.started_at());
  html.Markup("</p>\n</header>\n");
}

void WriteScripts(const v1::Result& result, const HtmlAssets& assets, HtmlWriter& html) {
  html.Markup("<script type=\"application/json\" id=\"report-data\">")
      .Trusted(ScriptSafeJson(ChartData(result).Dump()))
      .Markup("</script>\n<script>\n")
      .Trusted(assets.chart_library)
      .Markup("\n</script>\n<script>\n")
      .Trusted(assets.script)
      .Markup("</script>\n");
}

}  // namespace

std::string HtmlReport(const v1::Result& result) {
  return HtmlReportWith(result, {kReportStyle, kChartLibrary, kReportScript});
}

std::string HtmlReportWith(const v1::Result& result, const HtmlAssets& assets) {
  HtmlWriter html;
  WriteHead(result, assets.style, html);
  html.Markup("<body>\n");
  WriteBanner(result, html);
  html.Markup("<main>\n");
  WriteAnswer(result, html);
  WriteCharts(result, html);
  WriteLevelTable(result, html);
  WriteValidity(result, html);
  WriteLevelDetails(result, html);
  WriteDefinitions(result, html);
  WriteConfiguration(result, html);
  html.Markup("</main>\n<footer>");
  html.Text(absl::StrCat("Tidemark ", result.tool_version(), " · job ", result.job_id(),
                         " · all figures are in result.json beside this file"));
  html.Markup("</footer>\n");
  if (!result.levels().empty()) WriteScripts(result, assets, html);
  html.Markup("</body>\n</html>\n");
  return html.Take();
}

}  // namespace tidemark
