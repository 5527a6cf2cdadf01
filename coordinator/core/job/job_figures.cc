#include "coordinator/core/job/job_figures.h"

#include <algorithm>
#include <vector>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

// Requests of a probe: the real one, the same without ignore_eos, the models, three calibrations.
constexpr int64_t kProbeRequests = 6;
// When the probe failed nothing is known of the first level's latency.
constexpr int64_t kUnknownLatency = kNanosPerSecond;
// No request is open for longer, whatever an agent says.
constexpr uint64_t kLongestLatencyUs = uint64_t{365} * 86'400'000'000;

int64_t SecondsToNanos(double seconds) {
  return static_cast<int64_t>(seconds * static_cast<double>(kNanosPerSecond));
}

}  // namespace

std::unique_ptr<Planner> PlannerOf(const JobSpec& spec) {
  if (spec.search) return std::make_unique<MonotonicPlanner>();
  return std::make_unique<ListPlanner>(
      std::vector<uint64_t>(spec.concurrency.begin(), spec.concurrency.end()));
}

uint64_t NeededConcurrency(const JobSpec& spec) {
  if (spec.search) return spec.search->max_given ? spec.search->spec.max : spec.search->spec.min;
  if (spec.concurrency.empty()) return 1;
  return *std::max_element(spec.concurrency.begin(), spec.concurrency.end());
}

void LowerMaxTo(uint64_t max, SearchSpec& search) {
  search.max = std::max(max, search.min);
  if (search.start) search.start = std::min(*search.start, search.max);
}

int64_t RequestLimit(const JobSpec& spec) {
  constexpr uint64_t kYear = uint64_t{86'400'000} * 365;
  return static_cast<int64_t>(std::min(spec.limits.total_ms, kYear)) * kNanosPerMilli;
}

int64_t ProbeLimit(const JobSpec& spec, const JobMachineOptions& options) {
  return SecondsToNanos(spec.wait_ready_seconds) + kProbeRequests * RequestLimit(spec) +
         options.barrier_deadline;
}

LevelTimes TimesOf(const JobSpec& spec, const JobMachineOptions& options) {
  LevelTimes times;
  times.start_lead = options.start_lead;
  times.barrier_deadline = options.barrier_deadline;
  times.request_limit = RequestLimit(spec);
  if (spec.grace_period_seconds) times.grace = SecondsToNanos(*spec.grace_period_seconds);
  return times;
}

std::vector<uint32_t> LevelsNotRun(const JobSpec& spec, const std::vector<LevelOutcome>& history) {
  std::vector<uint32_t> levels;
  for (uint32_t level : spec.concurrency) {
    const bool run = std::any_of(history.begin(), history.end(),
                                 [level](const LevelOutcome& outcome) { return outcome.level == level; });
    if (!run) levels.push_back(level);
  }
  return levels;
}

std::optional<int64_t> MeanLatency(const LevelMeasurement& level) {
  double sum = 0, count = 0;
  for (const AgentPart& part : level.parts) {
    const Histogram& latency = part.facts.histogram(Metric::kRequestLatency);
    sum += static_cast<double>(latency.sum());
    count += static_cast<double>(latency.count());
  }
  if (count == 0) return std::nullopt;
  const double mean_us = std::min(sum / count, static_cast<double>(kLongestLatencyUs));
  return static_cast<int64_t>(mean_us * static_cast<double>(kNanosPerMicro));
}

int64_t LatencyOf(const v1::Probed& report) {
  const bool known = !report.has_failure() && report.latency_us() > 0;
  return known ? static_cast<int64_t>(std::min(report.latency_us(), kLongestLatencyUs)) * kNanosPerMicro : kUnknownLatency;
}

}  // namespace tidemark
