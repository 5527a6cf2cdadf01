#include "agent/engine/target_setup.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/http/resolve.h"
#include "common/clock/clock.h"

namespace tidemark {
namespace {

absl::StatusOr<std::string> AuthorizationHeader(const std::string& name,
                                                const SecretResolver& secret) {
  const std::string key = secret ? secret(name) : "";
  if (key.empty()) {
    return absl::PermissionDeniedError(
        absl::StrCat("api_key_env \"", name,
                     "\": not set, or not among the "
                     "secrets this agent may use (--secret-env, --secrets-dir)"));
  }
  if (key.find_first_of("\r\n") != std::string::npos) {
    return absl::PermissionDeniedError(absl::StrCat("api_key_env \"", name,
                                                    "\": its value has a line end; "
                                                    "it must be one line"));
  }
  return absl::StrCat("Authorization: Bearer ", key);
}

}  // namespace

absl::StatusOr<TransportOptions> SetUpTransport(const EndpointSpec& endpoint,
                                                const TimeLimits& limits,
                                                const SecretResolver& secret) {
  TransportOptions options;
  options.connect_timeout = static_cast<int64_t>(limits.connect_ms) * kNanosPerMilli;
  bool authorized = endpoint.api_key_env.empty();
  for (const auto& header : endpoint.headers) {
    options.headers.push_back(absl::StrCat(header.first, ": ", header.second));
    authorized = authorized || absl::EqualsIgnoreCase(header.first, "Authorization");
  }
  if (!authorized) {
    absl::StatusOr<std::string> header = AuthorizationHeader(endpoint.api_key_env, secret);
    if (!header.ok()) return header.status();
    options.headers.push_back(*std::move(header));
  }
  if (endpoint.urls.empty())
    return absl::InvalidArgumentError("endpoint.urls: empty; it needs one URL at least");
  for (const std::string& url : endpoint.urls) {
    absl::StatusOr<TransportTarget> target = ResolveTarget(url);
    if (!target.ok()) return target.status();
    target->insecure_skip_verify = endpoint.insecure_skip_verify;
    target->ca_cert = endpoint.ca_cert;
    options.targets.push_back(*std::move(target));
  }
  return options;
}

Redactor SetUpRedactor(const EndpointSpec& endpoint, const SecretResolver& secret) {
  const bool has_key = secret != nullptr && !endpoint.api_key_env.empty();
  return Redactor(endpoint, has_key ? secret(endpoint.api_key_env) : "");
}

absl::StatusOr<std::unique_ptr<EndpointAdapter>> SetUpAdapter(const EndpointSpec& endpoint,
                                                              const WorkloadSpec& workload) {
  RequestTemplate request;
  request.model = endpoint.model;
  request.streaming = workload.streaming;
  request.fixed_output_length = workload.fixed_output_length;
  request.extra_inputs_json = workload.extra_inputs_json;
  return NewEndpointAdapter(endpoint.api, std::move(request));
}

}  // namespace tidemark
