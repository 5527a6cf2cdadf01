#ifndef TIDEMARK_COORDINATOR_DRIVER_JOB_REQUESTS_H_
#define TIDEMARK_COORDINATOR_DRIVER_JOB_REQUESTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

// A job file that came from a client, or from the store, as a job of a cluster. InvalidArgument: what Resolve
// refuses; no URL (a cluster has no built-in simulator); a secret in a header or URL, for a job only names
// secrets. Pure.
absl::StatusOr<JobSpec> ParseClusterJob(const std::string& job_yaml);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_JOB_REQUESTS_H_
