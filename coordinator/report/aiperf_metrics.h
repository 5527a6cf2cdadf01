// A level's figures under AIPerf's names and units, shared by its JSON and CSV files.
//
// Pure functions: thread-safe. Pointers point into the level.
#ifndef TIDEMARK_COORDINATOR_REPORT_AIPERF_METRICS_H_
#define TIDEMARK_COORDINATOR_REPORT_AIPERF_METRICS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/json/json.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// The AIPerf release whose files ours are laid out like, and its schema's number.
inline constexpr absl::string_view kAiperfSchemaVersion = "1.4";

struct AiperfMetric {
  std::string tag;
  std::string display_name;
  std::string unit;
  const v1::MetricStatistics* statistics = nullptr;  // null: one figure a level
  double value = 0;                                  // that figure, or the average
};

// Those that exist, the ones AIPerf leads with first, in its order.
std::vector<AiperfMetric> AiperfMetrics(const v1::LevelResult& level);

// A level's one figure by its AIPerf (or Tidemark) tag; nothing when it cannot be had.
std::optional<double> LevelFigure(const v1::LevelResult& level, absl::string_view tag);
// The tags of all of them, in order.
std::vector<std::string> LevelFigureTags();

// {"unit", "avg", "p1" … "p99", "p99.9", "min", "max", "std", "count", "sum"}, or {"unit", "avg"}.
Json AiperfMetricJson(const AiperfMetric& metric);

// "chat" of "openai-chat".
std::string AiperfEndpointType(absl::string_view api);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_AIPERF_METRICS_H_
