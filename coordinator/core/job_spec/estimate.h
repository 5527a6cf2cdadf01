// What a job will ask of an endpoint: levels, requests, tokens and, where a latency is known, time.
//
// Plain values and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ESTIMATE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ESTIMATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

struct LevelEstimate {
  uint32_t concurrency = 0;
  uint64_t measured = 0;          // planned requests; the time cap may end a level with fewer
  uint64_t sent = 0;              // with warm-up and fillers, about
  std::optional<double> seconds;  // nothing when the latency is not known
};

struct JobEstimate {
  std::vector<LevelEstimate> levels;  // of a search: those it visits at most, as if all passed
  bool upper_bound = false;           // a search: it mostly ends with less
  bool time_is_a_bound = false;       // no latency is known: only the time caps bound it
  uint64_t measured = 0;
  uint64_t sent = 0;                  // all, the probe's included
  double input_tokens = 0;            // of all sent
  double output_tokens = 0;
  std::optional<double> seconds;
};

// The mean request latency, in seconds, at a concurrency; nothing when it is not known.
using LatencyAt = std::function<std::optional<double>(uint32_t concurrency)>;

JobEstimate EstimateJob(const JobSpec& spec, const LatencyAt& latency_at);

// One line: "7 levels, 1,055 requests, 0.5M input and 0.1M output tokens, about 40 s".
std::string DescribeEstimate(const JobEstimate& estimate);

// One line of JSON; `seconds` is null when not known.
std::string EstimateJson(const JobEstimate& estimate);

// "850 ms", "42 s", "3 min 20 s", "2 h 5 min".
std::string DurationText(double seconds);

// "950", "12,345", "1.2M", "3.4G".
std::string CountText(double count);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ESTIMATE_H_
