#ifndef TIDEMARK_COORDINATOR_DRIVER_LEVEL_MESSAGES_H_
#define TIDEMARK_COORDINATOR_DRIVER_LEVEL_MESSAGES_H_

#include <cstdint>

#include "common/session/fencing.h"
#include "coordinator/core/job/job_machine.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

// The job machine's effects as messages to the agent. `clock_offset` is the agent's CLOCK_MONOTONIC minus
// the coordinator's, ns. Pure.
v1::CoordinatorMessage ProbeMessage(const SendProbe& probe, const SessionEpoch& epoch);
v1::CoordinatorMessage PrepareMessage(const SendPrepare& prepare, const SessionEpoch& epoch);
v1::CoordinatorMessage ArmMessage(const SendArm& arm, int64_t clock_offset);
v1::CoordinatorMessage MeasureMessage(const SendMeasure& measure, int64_t clock_offset);
v1::CoordinatorMessage StopMessage(const SendStop& stop);
v1::CoordinatorMessage CancelMessage(const SendCancel& cancel);
v1::CoordinatorMessage PullRecordsMessage(const SendPullRecords& pull);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_LEVEL_MESSAGES_H_
