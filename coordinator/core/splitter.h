#ifndef TIDEMARK_COORDINATOR_CORE_SPLITTER_H_
#define TIDEMARK_COORDINATOR_CORE_SPLITTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/job/level_task.h"
#include "coordinator/core/registry.h"

// One level over many agents. Pure functions: thread-safe.
namespace tidemark {

struct AgentShare {
  std::string agent;
  Share share;
  friend bool operator==(const AgentShare&, const AgentShare&) = default;
};

// Streams that may be planned for an agent: its capacity, of a selftest's at most 70 %, for that was
// measured with nothing else to do.
uint32_t UsableCapacity(const AgentInfo& agent);
uint64_t TotalCapacity(absl::Span<const AgentInfo> agents);

// Why `concurrency` does not fit: "concurrency 900 is more than the 600 of 2 agents: needs 1 more
// agent (of 300 each)". OK when it fits.
absl::Status CheckCapacity(absl::Span<const AgentInfo> agents, uint64_t concurrency);

// A share for each of `agents` (the order in which they joined), also for those that get no slots.
// Slots: by largest remainder over weight, capped at the usable capacity, what a cap cuts off goes to
// the others by weight again. Equal weights differ by at most 1 unless capped. Requests: by largest
// remainder over the slots, and at least 1 for each agent with slots when there are that many. Both sum
// exactly; slots and requests are numbered on from agent to agent without gaps. Ties go to the one
// that joined first, so agents that join later take slots away but never reorder.
// ResourceExhausted: see CheckCapacity. REQUIRES: concurrency > 0.
absl::StatusOr<std::vector<AgentShare>> SplitLevel(absl::Span<const AgentInfo> agents,
                                                   uint32_t concurrency, uint64_t request_count);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SPLITTER_H_
