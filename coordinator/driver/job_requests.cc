#include "coordinator/driver/job_requests.h"

#include "absl/strings/str_cat.h"
#include "common/job/secret_header.h"
#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/resolve.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

constexpr char kByReference[] =
    "a job of a cluster only names secrets: give api_key_env the name of one that the agents hold";

absl::Status CheckNoSecret(const EndpointSpec& endpoint) {
  for (const auto& [name, value] : endpoint.headers) {
    if (IsSecretHeader(name)) {
      return absl::InvalidArgumentError(absl::StrCat("endpoint.headers: ", name, " holds a secret; ", kByReference));
    }
  }
  for (const std::string& url : endpoint.urls) {
    const std::string shown = RedactUrl(url);
    if (shown != url) {
      return absl::InvalidArgumentError(absl::StrCat("endpoint.url is ", shown, ": it holds a secret; ", kByReference));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobSpec> ParseClusterJob(const std::string& job_yaml) {
  const absl::StatusOr<Settings> settings = ParseJobFile(job_yaml, "job_yaml");
  if (!settings.ok()) return settings.status();
  absl::StatusOr<ResolvedJob> job = Resolve({*settings});
  if (!job.ok()) return job.status();
  if (job->spec.endpoint.urls.empty()) {
    return absl::InvalidArgumentError("endpoint.url is missing: a cluster has no built-in simulator");
  }
  absl::Status status = CheckNoSecret(job->spec.endpoint);
  if (!job->command.api_key.empty()) {
    status = absl::InvalidArgumentError(absl::StrCat("api_key is a secret; ", kByReference));
  }
  if (!status.ok()) return status;
  return std::move(job->spec);
}

}  // namespace tidemark
