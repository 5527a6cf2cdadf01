#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_SPEC_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_SPEC_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/job/level_task.h"
#include "coordinator/core/search/planner.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {

// Per-request records (profile_export.jsonl).
enum class RecordExport { kAuto, kAll, kSample, kNone };

struct SearchParameters {
  std::string recipe = "max-concurrency-under-sla";
  std::string planner = "monotonic";
  SearchSpec spec;
  bool max_given = false;  // a concurrency_max not given is lowered to the capacity, and said
};

// A job, validated: every default is filled in. Plain value.
struct JobSpec {
  std::string name;
  EndpointSpec endpoint;           // urls resolved; model may be empty: the probe names it
  WorkloadSpec workload;
  TimeLimits limits;

  std::vector<uint32_t> concurrency;         // a list sweep; empty for a search
  std::optional<SearchParameters> search;
  std::vector<Sla> slas;                     // of BuildSlas

  std::optional<uint64_t> request_count;     // a level's; nothing: max(100, 5·N), capped in time
  double level_cap_seconds = 60;             // only without request_count
  bool fill = true;
  double level_cooldown_seconds = 0.2;
  std::optional<double> grace_period_seconds;  // of measured requests after the last measured start
  double wait_ready_seconds = 0;
  std::optional<double> agent_wait_seconds;  // of a cluster's job, for agents that it lacks; nothing: as its coordinator says

  RecordExport records = RecordExport::kAuto;
  uint64_t record_one_in = 1;                // of kSample
  bool user_timestamps = false;              // arrival times are the event loop's own, not the kernel's
  std::map<std::string, std::string> labels;
  bool accept_undecided = false;

  std::vector<std::string> notes;            // accepted but without effect, said at the start
};

// The measured requests of a level at this concurrency: request_count, else max(100, 5·N).
uint64_t RequestCountAt(const JobSpec& spec, uint32_t concurrency);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_SPEC_H_
