// What of a job can go to a cluster.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_CLUSTER_JOB_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_CLUSTER_JOB_H_

#include <string>

#include "absl/status/status.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {

// What in the job holds a secret itself instead of its name, as a clause without the secret ("the header X holds a
// secret"); empty: nothing does. Only names of secrets travel to a cluster.
std::string SecretOf(const ResolvedJob& job);

// InvalidArgument for what cannot: no URL (a cluster has no built-in simulator), a secret itself instead of its
// name, what is about this host. Notes in the job what its agents must have themselves.
absl::Status PrepareForCluster(ResolvedJob& job);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_CLUSTER_JOB_H_
