#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_AGENT_VALIDITY_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_AGENT_VALIDITY_H_

#include <cstdint>
#include <vector>

#include "coordinator/core/job/job_machine.h"
#include "proto/tidemark/v1/result.pb.h"

// One agent's measures of itself against their thresholds (docs/validity.md). Pure functions: thread-safe.
namespace tidemark {

// Every measure of an agent with slots, causes before what they lead to. A measure that nothing was seen of is left out:
// no kernel stamps, no send that was due at a time, a limit that the agent does not know.
std::vector<v1::ValidityCheck> CheckAgent(const AgentPart& part);

// How many slots this agent carries, reckoned from a level that was too much for it: its slots by the share of
// its time that it could work in, its event loop at 70 % of a core, and no more than it kept busy. Below its
// slots, and at least 1 of two or more. REQUIRES: it had slots.
uint32_t CarriedSlots(const AgentPart& part);

// |mean in flight - arrivals x mean sojourn - edge| / mean in flight of one window (Little's law, exact
// for correct book-keeping); 0 when nothing was in flight.
double LittleResidual(const WindowFacts& window);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_AGENT_VALIDITY_H_
