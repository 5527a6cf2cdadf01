#include "coordinator/report/aiperf_sweep.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json/json.h"
#include "coordinator/report/aiperf_metrics.h"
#include "coordinator/report/csv.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

using Levels = std::vector<const v1::LevelResult*>;

Levels ValidLevels(const v1::Result& result) {
  Levels levels;
  for (const v1::LevelResult* level : LatestVisits(result)) {
    if (!IsInvalid(*level)) levels.push_back(level);
  }
  return levels;
}

Json Parameters(const v1::LevelResult& level) {
  return Json::Object({{"concurrency", level.concurrency()}});
}

// The spread of a single trial is none; min and max are those of its requests, as in AIPerf.
Json AggregateJson(const AiperfMetric& metric) {
  const v1::MetricStatistics* statistics = metric.statistics;
  Json json = Json::Object({{"mean", metric.value},
                            {"avg", metric.value},
                            {"std", 0.0},
                            {"min", statistics == nullptr ? metric.value : statistics->min()},
                            {"max", statistics == nullptr ? metric.value : statistics->max()},
                            {"cv", 0.0},
                            {"ci_low", metric.value},
                            {"ci_high", metric.value},
                            {"unit", metric.unit}});
  if (statistics == nullptr) return json;
  for (const v1::Quantile& quantile : statistics->quantiles())
    json.Set(QuantileName(quantile.p()), quantile.value());
  return json.Set("count", statistics->count()).Set("sum", statistics->sum());
}

Json Combination(const v1::LevelResult& level) {
  Json metrics = Json::Object();
  for (const AiperfMetric& metric : AiperfMetrics(level))
    metrics.Set(metric.tag, AggregateJson(metric));
  return Json::Object({{"parameters", Parameters(level)}, {"metrics", std::move(metrics)}});
}

struct Best {
  std::string name;  // AIPerf's key
  std::string title;
  const v1::LevelResult* level = nullptr;
  double value = 0;
  std::string unit;
};

// AIPerf's latency of choice is TTFT's p99, and that of requests where there is no TTFT.
absl::string_view LatencyTag(const Levels& levels) {
  for (const v1::LevelResult* level : levels) {
    if (FindMetric(*level, "time_to_first_token") != nullptr) return "time_to_first_token";
  }
  return "request_latency";
}

std::vector<Best> BestConfigurations(const Levels& levels) {
  Best throughput{"best_throughput", "Best Throughput", nullptr, 0, "requests/sec"};
  Best latency{"best_latency_p99", "Best Latency P99", nullptr, 0, "ms"};
  const absl::string_view tag = LatencyTag(levels);
  for (const v1::LevelResult* level : levels) {
    if (level->has_request_throughput() &&
        (throughput.level == nullptr || level->request_throughput() > throughput.value)) {
      throughput.level = level;
      throughput.value = level->request_throughput();
    }
    const std::optional<double> p99 = QuantileOf(*level, tag, 0.99);
    if (p99.has_value() && (latency.level == nullptr || *p99 < latency.value)) {
      latency.level = level;
      latency.value = *p99;
    }
  }
  std::vector<Best> found;
  if (throughput.level != nullptr) found.push_back(throughput);
  if (latency.level != nullptr) found.push_back(latency);
  return found;
}

// Levels that no other beats in throughput and latency at once.
Levels ParetoOptimal(const Levels& levels) {
  struct Point {
    const v1::LevelResult* level;
    double throughput;
    double latency;
  };
  std::vector<Point> points;
  const absl::string_view tag = LatencyTag(levels);
  for (const v1::LevelResult* level : levels) {
    const std::optional<double> p99 = QuantileOf(*level, tag, 0.99);
    if (level->has_request_throughput() && p99.has_value())
      points.push_back({level, level->request_throughput(), *p99});
  }
  const auto beats = [](const Point& a, const Point& b) {
    return a.throughput >= b.throughput && a.latency <= b.latency &&
           (a.throughput > b.throughput || a.latency < b.latency);
  };
  Levels optimal;
  for (const Point& point : points) {
    bool beaten = false;
    for (const Point& other : points) beaten = beaten || beats(other, point);
    if (!beaten) optimal.push_back(point.level);
  }
  return optimal;
}

uint64_t InvalidRuns(const v1::Result& result) {
  uint64_t count = 0;
  for (const v1::LevelResult& level : result.levels()) count += IsInvalid(level) ? 1 : 0;
  return count;
}

Json FailedRuns(const v1::Result& result) {
  Json failed = Json::Array();
  for (const v1::LevelResult& level : result.levels()) {
    if (!IsInvalid(level)) continue;
    failed.Append(Json::Object({{"label", absl::StrCat("concurrency_", level.concurrency())},
                                {"error", level.verdict_reason()}}));
  }
  return failed;
}

Json SlaConstraints(const Levels& levels) {
  Json filters = Json::Array();
  uint64_t feasible = 0;
  for (const v1::LevelResult* level : levels) {
    feasible += level->verdict() == v1::PASS ? 1 : 0;
    if (level != levels.front()) continue;
    for (const v1::SlaResult& sla : level->slas()) {
      filters.Append(Json::Object({{"metric_tag", sla.metric_tag()},
                                   {"stat", sla.stat()},
                                   {"op", sla.op()},
                                   {"threshold", sla.threshold()}}));
    }
  }
  return Json::Object({{"active_filters", std::move(filters)},
                       {"feasible_count", feasible},
                       {"infeasible_count", levels.size() - feasible}});
}

Json Metadata(const v1::Result& result, const Levels& levels) {
  Json values = Json::Array();
  for (const v1::LevelResult* level : levels) values.Append(level->concurrency());
  Json metadata = Json::Object(
      {{"sweep_parameters",
        Json::Array({Json::Object({{"name", "concurrency"}, {"values", std::move(values)}})})},
       {"num_combinations", levels.size()}});
  if (HasSlas(result)) metadata.Set("sla_constraints", SlaConstraints(levels));
  metadata.Set("sweep_mode", "repeated")
      .Set("confidence_level", 0.95)
      .Set("num_trials_per_value", 1);
  metadata.Set("pareto_axes", Json::Object({{"x_metric", LatencyTag(levels)},
                                            {"x_stat", "p99"},
                                            {"x_minimize", true},
                                            {"y_metric", "request_throughput"},
                                            {"y_stat", "avg"},
                                            {"y_maximize", true},
                                            {"series_keys", Json::Array()}}));
  metadata.Set("aggregation_type", "sweep").Set("tool", "tidemark");
  return metadata.Set("tool_version", result.tool_version());
}

std::string Two(double value) { return FormatFixed(value, 2); }

// One row a level; five columns a metric, in the order of the tags.
std::string CombinationsCsv(const Levels& levels) {
  std::set<std::string> tags;
  std::vector<std::map<std::string, AiperfMetric>> rows;
  for (const v1::LevelResult* level : levels) {
    rows.emplace_back();
    for (const AiperfMetric& metric : AiperfMetrics(*level)) {
      tags.insert(metric.tag);
      rows.back()[metric.tag] = metric;
    }
  }
  std::vector<std::string> header = {"concurrency"};
  for (const std::string& tag : tags) {
    for (const char* column : {"_mean", "_std", "_min", "_max", "_cv"})
      header.push_back(tag + column);
  }
  std::string text = CsvLine(header);
  for (size_t i = 0; i < levels.size(); ++i) {
    std::vector<std::string> cells = {absl::StrCat(levels[i]->concurrency())};
    for (const std::string& tag : tags) {
      const auto found = rows[i].find(tag);
      if (found == rows[i].end()) {
        cells.insert(cells.end(), 5, "");
        continue;
      }
      const AiperfMetric& metric = found->second;
      const v1::MetricStatistics* s = metric.statistics;
      cells.insert(cells.end(),
                   {Two(metric.value), "0.00", Two(s == nullptr ? metric.value : s->min()),
                    Two(s == nullptr ? metric.value : s->max()), "0.0000"});
    }
    text += CsvLine(cells);
  }
  return text;
}

}  // namespace

std::string AiperfSweepJson(const v1::Result& result) {
  const Levels levels = ValidLevels(result);
  Json combinations = Json::Array();
  for (const v1::LevelResult* level : levels) combinations.Append(Combination(*level));
  Json best = Json::Object();
  for (const Best& one : BestConfigurations(levels)) {
    best.Set(one.name, Json::Object({{"parameters", Parameters(*one.level)},
                                     {"metric", one.value},
                                     {"unit", one.unit}}));
  }
  Json pareto = Json::Array();
  for (const v1::LevelResult* level : ParetoOptimal(levels)) pareto.Append(Parameters(*level));
  const auto runs = static_cast<uint64_t>(result.levels_size());
  return Json::Object({{"aggregation_type", "sweep"},
                       {"num_profile_runs", runs},
                       {"num_successful_runs", runs - InvalidRuns(result)},
                       {"failed_runs", FailedRuns(result)},
                       {"metadata", Metadata(result, levels)},
                       {"per_combination_metrics", std::move(combinations)},
                       {"best_configurations", std::move(best)},
                       {"pareto_optimal", std::move(pareto)}})
             .Dump(2) +
         "\n";
}

std::string AiperfSweepCsv(const v1::Result& result) {
  const Levels levels = ValidLevels(result);
  std::string text = CombinationsCsv(levels);
  absl::StrAppend(&text, "\nBest Configurations\n",
                  CsvLine({"Configuration", "concurrency", "Metric", "Unit"}));
  for (const Best& best : BestConfigurations(levels)) {
    text +=
        CsvLine({best.title, absl::StrCat(best.level->concurrency()), Two(best.value), best.unit});
  }
  absl::StrAppend(&text, "\nPareto Optimal Points\n");
  const Levels pareto = ParetoOptimal(levels);
  text += CsvLine({pareto.empty() ? "None" : "concurrency"});
  for (const v1::LevelResult* level : pareto) text += CsvLine({absl::StrCat(level->concurrency())});
  absl::StrAppend(
      &text, "\nMetadata\n", CsvLine({"Field", "Value"}), CsvLine({"Aggregation Type", "sweep"}),
      CsvLine({"Sweep Parameters", "concurrency"}),
      CsvLine({"Number of Combinations", absl::StrCat(levels.size())}),
      CsvLine({"Number of Profile Runs", absl::StrCat(result.levels_size())}),
      CsvLine({"Number of Successful Runs",
               absl::StrCat(static_cast<uint64_t>(result.levels_size()) - InvalidRuns(result))}));
  return text;
}

}  // namespace tidemark
