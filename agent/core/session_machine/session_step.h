#ifndef TIDEMARK_AGENT_CORE_SESSION_MACHINE_SESSION_STEP_H_
#define TIDEMARK_AGENT_CORE_SESSION_MACHINE_SESSION_STEP_H_

#include <cstdint>
#include <vector>

#include "agent/core/session_machine/agent_machine.h"

namespace tidemark {

// One turn of the agent's machine, for who looks on (metrics). Valid during the call only.
struct SessionStep {
  const AgentEvent& event;
  const std::vector<AgentEffect>& effects;  // not yet carried out
  const AgentMachine& machine;              // after the turn
  int64_t now = 0;                          // CLOCK_MONOTONIC, ns
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_SESSION_MACHINE_SESSION_STEP_H_
