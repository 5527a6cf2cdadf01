// Jobs of the cluster's tests, and what is looked at in their results.
#ifndef TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_JOB_H_
#define TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark::testing {

struct ClusterJob {
  std::string url = {};
  std::vector<int> concurrency = {};
  int requests = 0;    // of each level
  int answer = 4;      // tokens
  std::string more = {};    // ", key: value" of parameters
};

// The text of a job file.
std::string JobText(const ClusterJob& job);

// "http://endpoint.test:PORT", what agents of WithName ask for.
inline constexpr char kEndpointName[] = "endpoint.test";
std::string NamedUrl(int port);

// Of agents with slots, in order.
std::vector<std::string> AgentsOf(const v1::LevelResult& level);
// That level's shares sum exactly, whatever the agents: what was measured is what was asked.
void ExpectExactly(uint64_t requests, const v1::LevelResult& level);

// Lines of profile_export.jsonl of that concurrency.
std::vector<std::string> Records(const std::string& folder, int concurrency);

const v1::MetricStatistics& Metric(const v1::LevelResult& level, const std::string& tag);
double QuantileOf(const v1::MetricStatistics& metric, double p);

// The reasons for which a level is not VALID; empty when it is.
std::string WhyNotValid(const v1::LevelResult& level);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_JOB_H_
