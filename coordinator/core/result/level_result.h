#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RESULT_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RESULT_H_

#include <string>

#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/core/search/planner.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Wall-clock times of a level, RFC 3339.
struct LevelTimes {
  std::string started_at;
  std::string ended_at;
};

struct LevelJudgement {
  v1::LevelResult result;
  LevelOutcome outcome;  // for the planner
};

// Merges the parts of a completed attempt, derives every figure from the merged facts, and judges it. Pure.
// An invalid measurement has verdict INVALID, never PASS or FAIL.
LevelJudgement JudgeMeasurement(const JobSpec& spec, const LevelMeasurement& measurement,
                                const LevelTimes& times);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RESULT_H_
