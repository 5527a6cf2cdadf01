#include "tests/support/exported_bucket.h"

#include <algorithm>

#include "coordinator/exporter/latency_buckets.h"

namespace tidemark::testing {

ExportedBucket BucketOfQuantile(const Histogram& histogram, double p, bool fine) {
  const double seconds = static_cast<double>(histogram.Quantile(p)) / 1e6;
  const absl::Span<const double> bounds = LatencyBounds(fine);
  const auto upto = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  return {upto == bounds.begin() ? 0 : *(upto - 1), *upto};
}

}  // namespace tidemark::testing
