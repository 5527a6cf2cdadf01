#ifndef TIDEMARK_COORDINATOR_CORE_JOB_PROBE_JUDGEMENT_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_PROBE_JUDGEMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/job/job_machine.h"

namespace tidemark {

struct ProbeRefusal {
  std::string failure_class;
  std::string reason;  // URL, status, excerpt, and what to change
};

struct ProbeJudgement {
  std::optional<ProbeRefusal> refusal;  // the job cannot go on
  std::vector<Say> says;
};

// What the probe's findings mean for the job, and fills in what it found: the model, the
// calibration of prompts, and whether the endpoint holds output lengths. Pure.
ProbeJudgement ApplyProbe(const v1::Probed& report, JobSpec* spec);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_PROBE_JUDGEMENT_H_
