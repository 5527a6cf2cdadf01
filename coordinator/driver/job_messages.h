#ifndef TIDEMARK_COORDINATOR_DRIVER_JOB_MESSAGES_H_
#define TIDEMARK_COORDINATOR_DRIVER_JOB_MESSAGES_H_

#include <string>

#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/core/result/job_result.h"
#include "coordinator/driver/live_view.h"
#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// What the coordinator knows as messages of the public API. Pure.
v1::JobUpdate JobChanged(v1::Job job);
v1::JobUpdate LevelDone(const v1::LevelResult& level);
v1::JobUpdate Progress(const LiveLevel& live);
v1::Agent ToProto(const AgentStatus& agent);

// One sentence: the model, how fast it answered, how long prompts are.
std::string DescribeProbe(const JobSpec& spec, const v1::Probed& probe);

// Of a job that ended before it ran, with its answer.
v1::Result ResultOfNoLevel(const JobSpec& spec, const JobRecord& record, const JobFinished& finished);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_JOB_MESSAGES_H_
