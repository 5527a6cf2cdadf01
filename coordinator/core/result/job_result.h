#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_JOB_RESULT_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_JOB_RESULT_H_

#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// The parts of a result that do not come from levels.
struct JobRecord {
  std::string job_id;
  std::string nonce;
  std::string tool_version;
  std::string started_at, ended_at;  // RFC 3339
  std::string job_yaml;              // resolved, no secrets
  std::vector<std::string> command;  // repeats the job, no secrets
  v1::Environment environment;
  std::vector<std::string> warnings;
  uint64_t late_messages = 0;
};

// Puts the result together from what was judged. `levels` in the order in which they ran. Names only
// levels that were measured. Secrets of the endpoint's headers are replaced. `answer` is left to AnswerFor
// (coordinator/report). Pure.
v1::Result BuildResult(const JobSpec& spec, const JobRecord& record,
                       const std::optional<ProbeFindings>& probe, std::vector<v1::LevelResult> levels,
                       const JobFinished& finished);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_JOB_RESULT_H_
