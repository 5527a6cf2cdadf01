// The coordinator that the flags and the environment mean.
#ifndef TIDEMARK_CLI_CLUSTER_CLIENT_H_
#define TIDEMARK_CLI_CLUSTER_CLIENT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/benchmark_client.h"
#include "client/connection.h"
#include "common/clock/clock.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {

struct ClusterClient {
  std::unique_ptr<BenchmarkClient> client;
  std::string name;  // "prod (tidemark.example:7070)", or the address
};

// What `cluster` and `environment` ("K=V": TIDEMARK_TOKEN, XDG_CONFIG_HOME, HOME) say. Pure.
ConnectionFlags ConnectionFlagsOf(const ClusterSettings& cluster, const std::vector<std::string>& environment);

// `use_current`: without --coordinator and --context the current context is meant. `say` gets warnings and, while the
// coordinator cannot be reached, one sentence a call; it must outlive the client. Errors: InvalidArgument; nothing is
// dialled yet.
absl::StatusOr<ClusterClient> MakeClusterClient(const ClusterSettings& cluster,
                                                const std::vector<std::string>& environment, bool use_current,
                                                const Clock* clock, const BenchmarkClientLimits& limits,
                                                const std::function<void(const std::string&)>& say);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_CLUSTER_CLIENT_H_
