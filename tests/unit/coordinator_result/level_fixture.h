#ifndef TIDEMARK_TESTS_UNIT_COORDINATOR_RESULT_LEVEL_FIXTURE_H_
#define TIDEMARK_TESTS_UNIT_COORDINATOR_RESULT_LEVEL_FIXTURE_H_

#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

// A job with `request_latency p99 < threshold_ms`.
JobSpec SpecWithLatencySla(double threshold_ms);

// A level at concurrency `n` whose one agent measured these latencies (ms), each in a slice of its own,
// and `failures` failed requests; its generator was fine: full load over a window of 10 s.
LevelMeasurement MeasuredLevel(const JobSpec& spec, uint32_t n, const std::vector<double>& latencies_ms,
                               uint64_t failures);

// The window of `slots` full slots that measured `requests` over `seconds`.
WindowFacts FullWindow(uint32_t slots, uint64_t requests, double seconds);

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COORDINATOR_RESULT_LEVEL_FIXTURE_H_
