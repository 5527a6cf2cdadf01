#ifndef TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_PLANNING_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_PLANNING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "common/job/level_task.h"
#include "coordinator/core/job_spec/job_spec.h"

// From a job and a concurrency to the plan of a level. Pure functions: thread-safe.
namespace tidemark {

// `expected_latency` is the mean latency that a request is expected to have at this concurrency,
// ns: the slots' first starts are spread over it, and it sets the width of a slice.
LevelPlan PlanLevel(const JobSpec& spec, uint32_t concurrency, int64_t expected_latency);

// Expected latency at `concurrency` after `latency` was seen at `seen_at`: in proportion above it,
// for a saturated server queues what is more. `seen_at` 0: seen by the probe alone, and taken as it
// is.
int64_t ExpectedLatency(int64_t latency, uint32_t seen_at, uint32_t concurrency);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_PLANNING_H_
