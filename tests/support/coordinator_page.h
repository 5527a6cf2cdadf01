#ifndef TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_
#define TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_

#include "coordinator/exporter/coordinator_metrics.h"

namespace tidemark::testing {

// Fills every family: a job whose level 0 (concurrency 8) is judged and whose level 1 (concurrency 16) runs.
void FillCoordinatorMetrics(CoordinatorMetrics& metrics);

// The measured facts of level 1: 1,000 successes with latencies of every size, 3 failures.
MeasuredFacts FactsOfRunningLevel();

// A bucket of the exported histograms: from just above one bound to the next, seconds.
struct ExportedBucket {
  double above = 0, upto = 0;
};

// The one that holds this quantile of a histogram in microseconds.
ExportedBucket BucketOfQuantile(const Histogram& histogram, double p, bool fine);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_
