#ifndef TIDEMARK_AGENT_SESSION_PROBER_H_
#define TIDEMARK_AGENT_SESSION_PROBER_H_

#include <functional>
#include <string>

#include "agent/engine/target_access.h"
#include "common/clock/clock.h"
#include "common/job/level_task.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

struct ProberOptions {
  TargetAccess access;  // the same as the engine's
  // Returns true when the probe should end (the process is going down); asked at least each second.
  std::function<bool()> cancelled;
};

// Tries the endpoint before any load is sent: finds the model, sends one real request as a level would,
// and calibrates prompt lengths (docs/metrics.md). Blocks: for a thread of its own. Bounded by the task's
// limits, times the number of requests, and by wait_ready_ms. Everything it finds, failures too, is in
// the answer; job_id and epoch are left to the session machine.
v1::Probed ProbeEndpoint(const ProbeTask& task, const ProberOptions& options, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_PROBER_H_
