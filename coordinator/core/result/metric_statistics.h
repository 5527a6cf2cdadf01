#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_METRIC_STATISTICS_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_METRIC_STATISTICS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/measurement/facts.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Count, sum, avg, std, min, max and the quantiles p1 … p99.9 of one metric's merged histogram, in the
// metric's display unit. `evidence` is the metric's index among the level's evidence: with it every quantile
// (but of inter_chunk_latency, whose evidence is of requests, not of gaps) has its 95 % interval, discounted for correlation between requests of `concurrency` slots.
v1::MetricStatistics StatisticsOf(Metric metric, const MeasuredFacts& facts, std::optional<size_t> evidence,
                                  uint32_t concurrency);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_METRIC_STATISTICS_H_
