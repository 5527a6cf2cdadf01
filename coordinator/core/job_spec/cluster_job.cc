#include "coordinator/core/job_spec/cluster_job.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/job/secret_header.h"
#include "coordinator/core/job_spec/secrets.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {
namespace {

absl::Status RefuseSecrets(const ResolvedJob& job) {
  const std::string secret = SecretOf(job);
  if (secret.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      secret,
      ", but secrets do not travel to a cluster: give its agents the secret (--secrets-dir or --secret-env) "
      "and name it with --api-key-env"));
}

}  // namespace

std::string SecretOf(const ResolvedJob& job) {
  if (!job.command.api_key.empty()) return "--api-key (or TIDEMARK_API_KEY) is given";
  for (const auto& [name, value] : job.spec.endpoint.headers) {
    if (IsSecretHeader(name)) return absl::StrCat("the header ", Printable(name), " holds a secret");
  }
  for (const std::string& url : job.spec.endpoint.urls) {
    const std::string shown = RedactUrl(url);
    if (shown != url) return absl::StrCat("the URL ", shown, " holds a secret");
  }
  return "";
}

absl::Status PrepareForCluster(ResolvedJob& job) {
  const EndpointSpec& endpoint = job.spec.endpoint;
  if (endpoint.urls.empty()) return absl::InvalidArgumentError("a cluster has no built-in simulator: give --url");
  if (job.command.capacity || job.command.loops > 0 || !job.command.source_addresses.empty()) {
    return absl::InvalidArgumentError(
        "capacity, loops and source_address are about this host: a cluster's agents have their own "
        "(tidemark-agent --capacity, --loops, --source-address)");
  }
  if (!job.command.http.empty()) {
    return absl::InvalidArgumentError(
        "http serves the metrics of a run on this host: those of a cluster are its coordinator's (tidemark-coordinator --http)");
  }
  if (!endpoint.api_key_env.empty()) {
    job.spec.notes.push_back(
        absl::StrCat("api_key_env is ", endpoint.api_key_env,
                     ": the name of a secret that the agents hold, not a variable of this host"));
  }
  if (!endpoint.ca_cert.empty()) {
    job.spec.notes.push_back(absl::StrCat("ca_cert is ", endpoint.ca_cert, ": a file on the agents' hosts"));
  }
  return RefuseSecrets(job);
}

}  // namespace tidemark
