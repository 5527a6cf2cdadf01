#ifndef TIDEMARK_COORDINATOR_CORE_JOB_JOB_FIGURES_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_JOB_FIGURES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/job/level_machine.h"

// Small figures that the job machine decides by. Pure functions: thread-safe.
namespace tidemark {

std::unique_ptr<Planner> PlannerOf(const JobSpec& spec);

// Concurrency: the most that the job is sure to ask for.
uint64_t NeededConcurrency(const JobSpec& spec);

// Of a search's range; its start follows. Never below its lower end. REQUIRES: a search.
void LowerMaxTo(uint64_t max, SearchSpec& search);

// No request is open for longer, ns.
int64_t RequestLimit(const JobSpec& spec);
// What a probe may take in all, ns.
int64_t ProbeLimit(const JobSpec& spec, const JobMachineOptions& options);
LevelTimes TimesOf(const JobSpec& spec, const JobMachineOptions& options);

// Of a list's concurrencies, those that `history` has no level of.
std::vector<uint32_t> LevelsNotRun(const JobSpec& spec, const std::vector<LevelOutcome>& history);

// Mean latency of the successes, ns; nothing when there was none.
std::optional<int64_t> MeanLatency(const LevelMeasurement& level);
// Of the probe's real request, or what is taken for it when the probe failed, ns.
int64_t LatencyOf(const v1::Probed& report);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_JOB_FIGURES_H_
