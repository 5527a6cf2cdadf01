#include "coordinator/report/aiperf_metrics.h"

#include <algorithm>

#include "absl/strings/strip.h"
#include "common/measurement/metric_table.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

using Figure = std::optional<double>;

template <typename Number>
Figure Known(bool has, Number value) {
  return has ? Figure(static_cast<double>(value)) : std::nullopt;
}

Figure InputThroughput(const v1::LevelResult& l) {
  return Known(l.has_total_token_throughput() && l.has_output_token_throughput(),
               l.total_token_throughput() - l.output_token_throughput());
}

struct FigureInfo {
  absl::string_view tag;
  absl::string_view display_name;
  absl::string_view unit;
  Figure (*of)(const v1::LevelResult&);
};

constexpr FigureInfo kFigures[] = {
    {"request_throughput", "Request Throughput", "requests/sec",
     [](const v1::LevelResult& l) {
       return Known(l.has_request_throughput(), l.request_throughput());
     }},
    {"request_count", "Request Count", "requests",
     [](const v1::LevelResult& l) { return Known(true, l.measured().ok()); }},
    {"output_token_throughput", "Output Token Throughput", "tokens/sec",
     [](const v1::LevelResult& l) {
       return Known(l.has_output_token_throughput(), l.output_token_throughput());
     }},
    {"total_output_tokens", "Total Output Tokens", "tokens",
     [](const v1::LevelResult& l) { return Known(true, l.total_output_tokens()); }},
    {"benchmark_duration", "Benchmark Duration", "sec",
     [](const v1::LevelResult& l) {
       return Known(l.has_benchmark_duration_s(), l.benchmark_duration_s());
     }},
    {"total_isl", "Total Input Sequence Length", "tokens",
     [](const v1::LevelResult& l) { return Known(true, l.total_input_tokens()); }},
    {"total_osl", "Total Output Sequence Length", "tokens",
     [](const v1::LevelResult& l) { return Known(true, l.total_output_tokens()); }},
    {"error_request_count", "Error Request Count", "requests",
     [](const v1::LevelResult& l) { return Known(true, l.measured().failed()); }},
    {"completed_request_count", "Completed Requests (Success + Error)", "requests",
     [](const v1::LevelResult& l) { return Known(true, CompletedRequests(l)); }},
    {"request_error_rate", "Request Error Rate", "%",
     [](const v1::LevelResult& l) { return Known(true, 100 * l.error_rate()); }},
    {"total_token_throughput", "Total Token Throughput", "tokens/sec",
     [](const v1::LevelResult& l) {
       return Known(l.has_total_token_throughput(), l.total_token_throughput());
     }},
    {"input_token_throughput", "Input Token Throughput", "tokens/sec", InputThroughput},
    {"goodput", "Goodput", "requests/sec",
     [](const v1::LevelResult& l) { return Known(l.has_goodput(), l.goodput()); }},
    {"good_request_fraction", "Good Request Fraction", "ratio",
     [](const v1::LevelResult& l) {
       return Known(l.has_good_request_fraction(), l.good_request_fraction());
     }},
    {"effective_concurrency", "Effective Concurrency", "requests",
     [](const v1::LevelResult& l) {
       return Known(l.has_effective_concurrency(), l.effective_concurrency());
     }},
    {"error_rate", "Error Rate", "ratio",
     [](const v1::LevelResult& l) { return Known(true, l.error_rate()); }},
    {"little_residual", "Little's Law Residual", "ratio",
     [](const v1::LevelResult& l) { return Known(l.has_little_residual(), l.little_residual()); }},
    {"failed_tokens", "Failed Tokens", "tokens",
     [](const v1::LevelResult& l) { return Known(true, l.failed_tokens()); }},
};

// AIPerf's first keys, in its order; the rest follows in the order of the tables.
constexpr absl::string_view kFirst[] = {"request_throughput",
                                        "request_latency",
                                        "request_count",
                                        "time_to_first_token",
                                        "time_to_second_token",
                                        "inter_token_latency",
                                        "output_token_throughput",
                                        "output_token_throughput_per_user",
                                        "output_sequence_length",
                                        "input_sequence_length",
                                        "output_token_count",
                                        "inter_chunk_latency",
                                        "total_output_tokens",
                                        "benchmark_duration",
                                        "total_isl",
                                        "total_osl"};

size_t Rank(absl::string_view tag) {
  return static_cast<size_t>(std::find(std::begin(kFirst), std::end(kFirst), tag) -
                             std::begin(kFirst));
}

AiperfMetric RequestMetric(const v1::MetricStatistics& statistics) {
  const std::optional<Metric> known = MetricByTag(statistics.tag());
  return {statistics.tag(), std::string(known ? InfoOf(*known).display_name : statistics.tag()),
          statistics.unit(), &statistics, statistics.avg()};
}

// AIPerf's output_token_count leaves reasoning tokens out; where there are none it is the length.
std::optional<AiperfMetric> OutputTokenCount(const v1::LevelResult& level) {
  const v1::MetricStatistics* reasoning = FindMetric(level, "reasoning_token_count");
  const v1::MetricStatistics* length = FindMetric(level, "output_sequence_length");
  if (length == nullptr || (reasoning != nullptr && reasoning->sum() > 0)) return std::nullopt;
  return AiperfMetric{"output_token_count", "Output Token Count", length->unit(), length,
                      length->avg()};
}

}  // namespace

std::vector<AiperfMetric> AiperfMetrics(const v1::LevelResult& level) {
  std::vector<AiperfMetric> metrics;
  for (const v1::MetricStatistics& statistics : level.metrics()) {
    if (statistics.count() > 0) metrics.push_back(RequestMetric(statistics));
  }
  if (auto metric = OutputTokenCount(level)) metrics.push_back(*std::move(metric));
  for (const FigureInfo& figure : kFigures) {
    if (const Figure value = figure.of(level)) {
      metrics.push_back({std::string(figure.tag), std::string(figure.display_name),
                         std::string(figure.unit), nullptr, *value});
    }
  }
  std::stable_sort(
      metrics.begin(), metrics.end(),
      [](const AiperfMetric& a, const AiperfMetric& b) { return Rank(a.tag) < Rank(b.tag); });
  return metrics;
}

std::optional<double> LevelFigure(const v1::LevelResult& level, absl::string_view tag) {
  for (const FigureInfo& figure : kFigures) {
    if (figure.tag == tag) return figure.of(level);
  }
  return std::nullopt;
}

std::vector<std::string> LevelFigureTags() {
  std::vector<std::string> tags;
  for (const FigureInfo& figure : kFigures) tags.emplace_back(figure.tag);
  return tags;
}

Json AiperfMetricJson(const AiperfMetric& metric) {
  Json json = Json::Object({{"unit", metric.unit}, {"avg", metric.value}});
  if (metric.statistics == nullptr) return json;
  for (const v1::Quantile& quantile : metric.statistics->quantiles()) {
    json.Set(QuantileName(quantile.p()), quantile.value());
  }
  json.Set("min", metric.statistics->min()).Set("max", metric.statistics->max());
  json.Set("std", metric.statistics->std()).Set("count", metric.statistics->count());
  return json.Set("sum", metric.statistics->sum());
}

std::string AiperfEndpointType(absl::string_view api) {
  return std::string(absl::StripPrefix(api, "openai-"));
}

}  // namespace tidemark
