#ifndef TIDEMARK_AGENT_PROGRAM_AGENT_PROGRAM_H_
#define TIDEMARK_AGENT_PROGRAM_AGENT_PROGRAM_H_

#include "agent/program/agent_settings.h"
#include "common/clock/clock.h"
#include "common/daemon/termination.h"

namespace tidemark {

// Runs the agent until `termination` ends, and returns the exit code: then the level that runs is given up, and the
// coordinator told. Errors are of the start: InvalidArgument for settings that are wrong, others for what the host
// does not give. `clock` outlives it.
absl::StatusOr<int> RunAgent(const AgentSettings& settings, Termination* termination, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_PROGRAM_AGENT_PROGRAM_H_
