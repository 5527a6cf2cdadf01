#include "coordinator/driver/job_requests.h"

#include "absl/strings/str_cat.h"
#include "coordinator/core/job_spec/cluster_job.h"
#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {

absl::StatusOr<JobSpec> ParseClusterJob(const std::string& job_yaml) {
  const absl::StatusOr<Settings> settings = ParseJobFile(job_yaml, "job_yaml");
  if (!settings.ok()) return settings.status();
  absl::StatusOr<ResolvedJob> job = Resolve({*settings});
  if (!job.ok()) return job.status();
  if (job->spec.endpoint.urls.empty()) {
    return absl::InvalidArgumentError("endpoint.url is missing: a cluster has no built-in simulator");
  }
  if (const std::string secret = SecretOf(*job); !secret.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "endpoint: ", secret,
        "; a job of a cluster only names secrets: give api_key_env the name of one that the agents hold"));
  }
  return std::move(job->spec);
}

}  // namespace tidemark
