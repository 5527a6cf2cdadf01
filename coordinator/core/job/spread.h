#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPREAD_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPREAD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "coordinator/core/registry.h"
#include "coordinator/core/search/planner.h"

// An INVALID level is measured again with less on the agents that were its limit, where others have room for
// the rest. Pure functions: thread-safe.
namespace tidemark {

// The agents with no more capacity than the levels so far say that they carry: less than was ever too much,
// but what was valid at least.
std::vector<AgentInfo> LowerToCarried(std::vector<AgentInfo> agents, const std::vector<LevelOutcome>& history);

// Whether `outcome`, which follows `history`, is to be measured again: agents were its limit, what `agents`
// carry is enough for it, and it was spread anew at most twice before.
bool CanSpread(const std::vector<AgentInfo>& agents, const std::vector<LevelOutcome>& history,
               const LevelOutcome& outcome);

// The agents that were its limit: "agent-2 carries about 340 of the 500 requests that it had"; "" when none was.
std::string DescribeLimit(const LevelOutcome& outcome);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPREAD_H_
