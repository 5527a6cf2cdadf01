// One service-level agreement (SLA) on a metric of a level: what is compared with what.
//
// Plain values and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark {

// kRate is the one figure of a metric that has no distribution (error_rate, request_throughput).
enum class SlaStat { kAvg, kP1, kP5, kP10, kP25, kP50, kP75, kP90, kP95, kP99, kP999, kRate };
enum class SlaOp { kLt, kLe, kGt, kGe };

// A metric that an SLA may name. The caller lists them, from its metric table.
struct SlaMetric {
  std::string tag;
  bool per_request = true;      // false: one figure a level, judged as it is (stat `rate`)
  bool streaming_only = false;  // exists only when responses are streamed
  bool is_fraction = false;     // a threshold over 1 is surely a percentage by mistake
};

struct Sla {
  std::string metric_tag;
  SlaStat stat = SlaStat::kP95;
  SlaOp op = SlaOp::kLt;
  double threshold = 0;  // in the metric's display unit (ms, tokens/s, a fraction)
  bool implied = false;  // not asked for: every search judges the error rate

  friend bool operator==(const Sla&, const Sla&) = default;
};

// An upper limit: values over the threshold violate it. Otherwise values below do.
bool IsUpperLimit(SlaOp op);

// Whether `observed op threshold` holds. NaN never does.
bool Holds(double observed, SlaOp op, double threshold);

// The quantile's order in thousandths (p95: 950, p99.9: 999), exact so that ranks are; nothing for
// avg and rate.
std::optional<int> QuantilePerMille(SlaStat stat);

// "avg", "p1" … "p99", "p99.9", "rate"; "lt", "le", "gt", "ge"; and "<", "<=", ">", ">=".
absl::string_view SlaStatName(SlaStat stat);
absl::string_view SlaOpName(SlaOp op);
absl::string_view SlaOpSymbol(SlaOp op);

// Reads a statistic's name. Error: InvalidArgument listing the names there are.
absl::StatusOr<SlaStat> ParseSlaStat(absl::string_view name);

// Reads "tag:stat:op:threshold", e.g. "time_to_first_token:p95:lt:600". A metric with one figure a
// level takes stat `rate`, or `avg` as AIPerf spells it; both give kRate.
// Error: InvalidArgument naming the text, the part that is wrong, and what would be right.
absl::StatusOr<Sla> ParseSla(absl::string_view text, absl::Span<const SlaMetric> known);

// "time_to_first_token p95 < 600"; an implied one ends in " (implied)".
std::string DescribeSla(const Sla& sla);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_H_
