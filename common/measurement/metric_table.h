#ifndef TIDEMARK_COMMON_MEASUREMENT_METRIC_TABLE_H_
#define TIDEMARK_COMMON_MEASUREMENT_METRIC_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark {

// The request metrics of docs/metrics.md: one histogram each. The order is that of the reports.
enum class Metric : uint8_t {
  kTimeToFirstToken,
  kTimeToSecondToken,
  kTimeToFirstOutputToken,
  kTimeToFirstEvent,
  kRequestLatency,
  kInterTokenLatency,
  kInterChunkLatency,
  kTokensPerChunk,
  kOutputTokenThroughputPerUser,
  kInputSequenceLength,
  kOutputSequenceLength,
  kReasoningTokenCount,
  kScheduleDelay,
  kEffectiveLatency,
  kConnectTime,
  kTlsTime,
  kTimeToFirstByte,
};
inline constexpr size_t kMetricCount = static_cast<size_t>(Metric::kTimeToFirstByte) + 1;

struct MetricInfo {
  Metric metric;
  absl::string_view tag;           // "time_to_first_token"
  absl::string_view display_name;  // "Time to First Token"
  absl::string_view unit;          // as shown, AIPerf's: "ms", "tokens", "tokens/sec/user"
  uint32_t units_per_display;      // fixed-point units in one displayed unit: 1,000 us in 1 ms
  bool streaming_only;
  bool larger_is_better;
  absl::string_view formula;  // docs/metrics.md's
  absl::string_view when;     // when it exists
};

// Every metric, in enum order.
absl::Span<const MetricInfo> MetricTable();

const MetricInfo& InfoOf(Metric metric);

// The metric whose tag is `tag`; nothing when there is none.
std::optional<Metric> MetricByTag(absl::string_view tag);

// Fixed-point to displayed unit and back (rounded to nearest; what is negative or not a number
// gives 0, what no histogram can hold gives Histogram::kMaxRecordable).
double ToDisplay(Metric metric, uint64_t fixed_point);
uint64_t FromDisplay(Metric metric, double displayed);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MEASUREMENT_METRIC_TABLE_H_
