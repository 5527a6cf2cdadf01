#include "coordinator/report/aiperf_level.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/json/json.h"
#include "coordinator/report/aiperf_metrics.h"
#include "coordinator/report/csv.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

Json ExtraInputs(const v1::Workload& workload) {
  Json extra = Json::Object();
  if (!workload.extra_inputs_json().empty()) {
    const absl::StatusOr<Json> given = ParseJson(workload.extra_inputs_json(), "extra_inputs");
    if (given.ok() && given->IsObject()) extra = *given;
  }
  if (workload.fixed_output_length()) extra.Set("ignore_eos", true);
  return extra;
}

Json EndpointConfig(const v1::Result& result) {
  Json urls = Json::Array();
  for (const std::string& url : result.endpoint().urls()) urls.Append(url);
  return Json::Object({{"urls", std::move(urls)},
                       {"type", AiperfEndpointType(result.endpoint().api())},
                       {"streaming", result.workload().streaming()},
                       {"extra", ExtraInputs(result.workload())}});
}

Json Length(const v1::LengthDistribution& length) {
  return Json::Object({{"mean", length.mean()}, {"stddev", length.stddev()}});
}

Json InputConfig(const v1::Result& result, const v1::LevelResult& level) {
  const Json model = Json::Object({{"name", result.endpoint().model()}});
  const Json prompts = Json::Object(
      {{"isl", Length(result.workload().input())}, {"osl", Length(result.workload().output())}});
  const Json dataset = Json::Object({{"name", "main"},
                                     {"type", "synthetic"},
                                     {"entries", level.request_count()},
                                     {"prompts", prompts}});
  const Json phase = Json::Object({{"name", "profiling"},
                                   {"kind", "profiling"},
                                   {"type", "concurrency"},
                                   {"requests", level.request_count()},
                                   {"concurrency", level.concurrency()}});
  return Json::Object({{"models", Json::Object({{"items", Json::Array({model})}})},
                       {"endpoint", EndpointConfig(result)},
                       {"datasets", Json::Array({dataset})},
                       {"phases", Json::Array({phase})}});
}

Json RunInfo(const v1::Result& result, const v1::LevelResult& level) {
  return Json::Object(
      {{"benchmark_id", result.job_id()},
       {"random_seed", result.workload().seed()},
       {"trial", 0},
       {"variation_index", level.level()},
       {"variation_values", Json::Object({{"phases.profiling.concurrency", level.concurrency()}})},
       {"cli_command", ShellLine({result.command().begin(), result.command().end()})}});
}

// The HTTP status of a class like "http_503", or of the example (an in-band error's code).
Json FailureCode(const std::string& failure_class, const v1::FailureExample* example) {
  int status = 0;
  absl::string_view digits = failure_class;
  if (absl::ConsumePrefix(&digits, "http_") && absl::SimpleAtoi(digits, &status)) return status;
  return example == nullptr || example->status() == 0 ? Json() : Json(example->status());
}

Json ErrorSummary(const v1::LevelResult& level) {
  Json summary = Json::Array();
  for (const v1::FailureCount& failure : level.failures()) {
    const v1::FailureExample* example = nullptr;
    for (const v1::FailureExample& candidate : level.examples()) {
      if (candidate.failure_class() == failure.failure_class()) {
        example = &candidate;
        break;
      }
    }
    const Json details = Json::Object({{"code", FailureCode(failure.failure_class(), example)},
                                       {"type", failure.failure_class()},
                                       {"message", example == nullptr ? "" : example->excerpt()}});
    summary.Append(Json::Object({{"error_details", details}, {"count", failure.count()}}));
  }
  return summary;
}

Json SlaJson(const v1::SlaResult& sla) {
  return Json::Object({{"metric_tag", sla.metric_tag()},
                       {"stat", sla.stat()},
                       {"op", sla.op()},
                       {"threshold", sla.threshold()},
                       {"observed", sla.observed_known() ? Json(sla.observed()) : Json()},
                       {"implied", sla.implied()},
                       {"verdict", VerdictName(sla.verdict())}});
}

// What AIPerf has no key for. It has none of the members by which readers know a metric.
Json OwnFacts(const v1::LevelResult& level) {
  Json slas = Json::Array();
  for (const v1::SlaResult& sla : level.slas()) slas.Append(SlaJson(sla));
  Json notes = Json::Array();
  for (const std::string& note : level.notes()) notes.Append(note);
  return Json::Object({{"level", level.level()},
                       {"concurrency", level.concurrency()},
                       {"attempt", level.attempt()},
                       {"verdict", VerdictName(level.verdict())},
                       {"verdict_reason", level.verdict_reason()},
                       {"validity", ValidityName(level.validity())},
                       {"short_window", level.short_window()},
                       {"ended_by_cap", level.ended_by_cap()},
                       {"slas", std::move(slas)},
                       {"notes", std::move(notes)}});
}

std::string NameWithUnit(const AiperfMetric& metric) {
  // AIPerf leaves units of counting out of its row names.
  const bool counted = metric.unit == "requests";
  return counted ? metric.display_name : absl::StrCat(metric.display_name, " (", metric.unit, ")");
}

std::string Two(double value) { return FormatFixed(value, 2); }

std::string QuantileCell(const v1::MetricStatistics& statistics, absl::string_view name) {
  for (const v1::Quantile& quantile : statistics.quantiles()) {
    if (QuantileName(quantile.p()) == name) return Two(quantile.value());
  }
  return "";
}

std::vector<std::string> StatisticsRow(const AiperfMetric& metric) {
  const v1::MetricStatistics& s = *metric.statistics;
  std::vector<std::string> row = {NameWithUnit(metric), Two(s.avg()), Two(s.min()), Two(s.max()),
                                  Two(s.sum())};
  for (const char* name : {"p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}) {
    row.push_back(QuantileCell(s, name));
  }
  row.push_back(Two(s.std()));
  row.push_back(QuantileCell(s, "p99.9"));  // not AIPerf's, so behind its columns
  return row;
}

}  // namespace

std::string AiperfLevelJson(const v1::Result& result, const v1::LevelResult& level) {
  const bool cancelled = level.measured().cancelled() > 0;
  Json json = Json::Object({{"schema_version", kAiperfSchemaVersion},
                            {"tool", "tidemark"},
                            {"tool_version", result.tool_version()},
                            {"benchmark_id", result.job_id()}});
  for (const AiperfMetric& metric : AiperfMetrics(level))
    json.Set(metric.tag, AiperfMetricJson(metric));
  json.Set("input_config", InputConfig(result, level)).Set("run_info", RunInfo(result, level));
  json.Set("was_cancelled", cancelled).Set("is_complete", !cancelled);
  json.Set("error_summary", ErrorSummary(level));
  json.Set("start_time", level.started_at()).Set("end_time", level.ended_at());
  json.Set("tidemark", OwnFacts(level));
  return json.Dump(2) + "\n";
}

std::string AiperfLevelCsv(const v1::LevelResult& level) {
  std::string text = CsvLine({"Metric", "avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50",
                              "p75", "p90", "p95", "p99", "std", "p99.9"});
  const std::vector<AiperfMetric> metrics = AiperfMetrics(level);
  for (const AiperfMetric& metric : metrics) {
    if (metric.statistics != nullptr) text += CsvLine(StatisticsRow(metric));
  }
  absl::StrAppend(&text, "\n", CsvLine({"Metric", "Value"}));
  for (const AiperfMetric& metric : metrics) {
    if (metric.statistics == nullptr) text += CsvLine({NameWithUnit(metric), Two(metric.value)});
  }
  return text;
}

}  // namespace tidemark
