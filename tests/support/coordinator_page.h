#ifndef TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_
#define TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_

#include "coordinator/exporter/coordinator_metrics.h"

namespace tidemark::testing {

// Fills every family: a job whose level 0 (concurrency 8) is judged and whose level 1 (concurrency 16) runs.
void FillCoordinatorMetrics(CoordinatorMetrics& metrics);

// The measured facts of level 1: 1,000 successes with latencies of every size, 3 failures.
MeasuredFacts FactsOfRunningLevel();

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_COORDINATOR_PAGE_H_
