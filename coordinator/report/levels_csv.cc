#include "coordinator/report/levels_csv.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "coordinator/report/aiperf_metrics.h"
#include "coordinator/report/csv.h"
#include "coordinator/report/format.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

constexpr absl::string_view kMetrics[] = {
    "time_to_first_token",   "time_to_second_token",  "inter_token_latency",
    "inter_chunk_latency",   "request_latency",       "output_token_throughput_per_user",
    "input_sequence_length", "output_sequence_length"};
constexpr double kQuantiles[] = {0.5, 0.9, 0.95, 0.99, 0.999};

std::string Cell(const std::optional<double>& value) {
  return value.has_value() ? FormatExact(*value) : "";
}

std::vector<std::string> Header() {
  std::vector<std::string> cells = {"level",    "concurrency",      "attempt",      "verdict",
                                    "validity", "requests_planned", "short_window", "ended_by_cap"};
  for (std::string& tag : LevelFigureTags()) cells.push_back(std::move(tag));
  for (const absl::string_view tag : kMetrics) {
    cells.push_back(absl::StrCat(tag, "_avg"));
    for (const double p : kQuantiles) cells.push_back(absl::StrCat(tag, "_", QuantileName(p)));
  }
  return cells;
}

std::vector<std::string> Row(const v1::LevelResult& level) {
  std::vector<std::string> cells = {absl::StrCat(level.level()),
                                    absl::StrCat(level.concurrency()),
                                    absl::StrCat(level.attempt()),
                                    std::string(VerdictName(level.verdict())),
                                    std::string(ValidityName(level.validity())),
                                    absl::StrCat(level.request_count()),
                                    level.short_window() ? "true" : "false",
                                    level.ended_by_cap() ? "true" : "false"};
  for (const std::string& tag : LevelFigureTags()) cells.push_back(Cell(LevelFigure(level, tag)));
  for (const absl::string_view tag : kMetrics) {
    const v1::MetricStatistics* metric = FindMetric(level, tag);
    cells.push_back(metric == nullptr ? "" : FormatExact(metric->avg()));
    for (const double p : kQuantiles) cells.push_back(Cell(QuantileOf(level, tag, p)));
  }
  return cells;
}

}  // namespace

std::string LevelsCsv(const v1::Result& result) {
  std::string text = CsvLine(Header());
  for (const v1::LevelResult& level : result.levels()) text += CsvLine(Row(level));
  return text;
}

}  // namespace tidemark
