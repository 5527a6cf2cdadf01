#ifndef TIDEMARK_COORDINATOR_EXPORTER_LATENCY_BUCKETS_H_
#define TIDEMARK_COORDINATOR_EXPORTER_LATENCY_BUCKETS_H_

#include "absl/types/span.h"
#include "common/exposition/metric_page.h"
#include "common/measurement/histogram.h"

namespace tidemark {

// The bounds of a classic Prometheus histogram of a time, seconds: a quarter of an octave each, from 1 ms (0.25 ms
// where `fine`) to 2,684 s. Each is the largest value of one of our own histogram's buckets (so 0.001023, not 0.001):
// no bucket of ours lies on both sides of a bound, and a count below one is exact.
absl::Span<const double> LatencyBounds(bool fine);

// `histogram`, in microseconds, by these bounds. Exact: a value above 4 h is in count (and +Inf) only.
BucketCounts CountByLatency(const Histogram& histogram, bool fine);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_EXPORTER_LATENCY_BUCKETS_H_
