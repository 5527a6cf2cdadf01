// A run on a cluster.
#ifndef TIDEMARK_CLI_CLUSTER_RUNNER_H_
#define TIDEMARK_CLI_CLUSTER_RUNNER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/runner.h"
#include "cli/sweep.h"
#include "client/benchmark_client.h"

namespace tidemark {

// Makes the job on the coordinator, watches it, and fetches its result and files. When the command ends before the
// job does, the job goes on there, and the status of Run says how to come back to it. `name`: the cluster's, for
// people.
std::unique_ptr<Runner> NewClusterRunner(std::unique_ptr<BenchmarkClient> client, const std::string& name);

// Makes the client that the flags mean, and asks it for the cluster's agents: a wrong address or credential shows
// before anything is made. `say` must outlive the runner. Errors: MakeClusterClient's and BenchmarkClient's.
absl::StatusOr<ClusterRun> ConnectToCluster(const ClusterSettings& cluster,
                                            const std::vector<std::string>& environment, const Clock* clock,
                                            const BenchmarkClientLimits& limits,
                                            const std::function<void(const std::string&)>& say);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_CLUSTER_RUNNER_H_
