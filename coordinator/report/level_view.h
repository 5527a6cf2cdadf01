// What every writer asks of a result: its levels, a level's figures, its SLAs in words.
//
// Pure functions: thread-safe. Pointers point into the message they came from.
#ifndef TIDEMARK_COORDINATOR_REPORT_LEVEL_VIEW_H_
#define TIDEMARK_COORDINATOR_REPORT_LEVEL_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Each concurrency once, ascending. Of a level that a search visited again, the latest visit.
std::vector<const v1::LevelResult*> LatestVisits(const v1::Result& result);
const v1::LevelResult* LatestVisit(const v1::Result& result, uint32_t concurrency);

// The level measured at this concurrency that the visit index names, or null.
const v1::LevelResult* VisitByIndex(const v1::Result& result, uint32_t level);

// Null when the metric is absent or has no value.
const v1::MetricStatistics* FindMetric(const v1::LevelResult& level, absl::string_view tag);
// Of successes, in the metric's display unit.
std::optional<double> QuantileOf(const v1::LevelResult& level, absl::string_view tag, double p);

bool IsInvalid(const v1::LevelResult& level);
bool HasSlas(const v1::Result& result);
// Successes and failures among the measured requests.
uint64_t CompletedRequests(const v1::LevelResult& level);

absl::string_view VerdictName(v1::Verdict verdict);     // "PASS" …; "" when no SLA was asked
absl::string_view ValidityName(v1::Validity validity);  // "valid", "suspect", "invalid"; ""

// "p95", "p99.9": the name of the quantile of order p.
std::string QuantileName(double p);
// "TTFT", "TPOT", "latency", "error rate"; the metric table's name, or the tag itself.
std::string ShortMetricName(absl::string_view tag);
// "latency p99 < 2,000 ms".
std::string DescribeSla(const v1::SlaResult& sla);
// "1,843 ms"; "no value"; "beyond every limit" when failures alone break a quantile.
std::string DescribeObserved(const v1::SlaResult& sla);
// A value of the metric with its unit.
std::string DescribeValue(absl::string_view tag, double value);

// The first SLA that the level fails, or null.
const v1::SlaResult* FirstBreach(const v1::LevelResult& level);

// More than half of the failures are HTTP 429.
bool MostlyThrottled(const v1::LevelResult& level);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_LEVEL_VIEW_H_
