// What people read of jobs and agents of a cluster.
//
// Pure functions: thread-safe. Each ends with a line end; no text of others reaches the terminal with control
// characters.
#ifndef TIDEMARK_CLI_JOB_SCREENS_H_
#define TIDEMARK_CLI_JOB_SCREENS_H_

#include <string>
#include <vector>

#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// One job a row, `width` columns at most where that can be.
std::string JobsTable(const std::vector<v1::Job>& jobs, size_t width);

// One job: its state, times, answer and notes.
std::string JobText(const v1::Job& job);

// One agent a row, then their sum.
std::string AgentsTable(const v1::ListAgentsResponse& agents, size_t width);

// "4 agents of prod (host:7070), up to 12,000 concurrent requests".
std::string AgentsSummary(const v1::ListAgentsResponse& agents, const std::string& cluster);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_JOB_SCREENS_H_
