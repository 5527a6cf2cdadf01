#include "agent/engine/target_setup.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/engine/level_room.h"
#include "agent/http/resolve.h"
#include "common/clock/clock.h"

namespace tidemark {
namespace {

constexpr char kBearer[] = "Authorization: Bearer ";

absl::Status Denied(const std::string& name, absl::string_view why) {
  return absl::PermissionDeniedError(absl::StrCat("api_key_env \"", name, "\": ", why));
}

}  // namespace

// Each request may go to any of the URLs.
absl::StatusOr<std::string> KeyFor(const EndpointSpec& endpoint, const TargetAccess& access) {
  const std::string& name = endpoint.api_key_env;
  if (!access.secret) return Denied(name, "this agent may use no secrets");
  std::string key;
  for (const std::string& url : endpoint.urls) {
    const absl::StatusOr<UrlParts> parts = ParseUrl(url);
    if (!parts.ok()) return parts.status();
    absl::StatusOr<std::string> value = access.secret(name, {parts->host, parts->port, !parts->tls || endpoint.insecure_skip_verify});
    if (!value.ok()) return value.status();
    key = *std::move(value);
  }
  if (key.empty()) return Denied(name, "it is not set, or empty");
  if (key.find_first_of("\r\n") != std::string::npos) return Denied(name, "its value has a line end; it must be one line");
  return key;
}

absl::StatusOr<TransportOptions> SetUpTransport(const EndpointSpec& endpoint,
                                                const TimeLimits& limits,
                                                const TargetAccess& access) {
  TransportOptions options;
  options.sources = access.sources;
  options.connect_timeout = static_cast<int64_t>(limits.connect_ms) * kNanosPerMilli;
  if (endpoint.urls.empty())
    return absl::InvalidArgumentError("endpoint.urls: empty; it needs one URL at least");
  bool authorized = endpoint.api_key_env.empty();
  for (const auto& header : endpoint.headers) {
    options.headers.push_back(absl::StrCat(header.first, ": ", header.second));
    authorized = authorized || absl::EqualsIgnoreCase(header.first, "Authorization");
  }
  if (!authorized) {
    const absl::StatusOr<std::string> key = KeyFor(endpoint, access);
    if (!key.ok()) return key.status();
    options.headers.push_back(absl::StrCat(kBearer, *key));
  }
  for (const std::string& url : endpoint.urls) {
    absl::StatusOr<TransportTarget> target = ResolveTarget(url, access.address);
    if (!target.ok()) return target.status();
    target->insecure_skip_verify = endpoint.insecure_skip_verify;
    target->ca_cert = endpoint.ca_cert;
    options.targets.push_back(*std::move(target));
  }
  if (absl::Status families = CheckFamilies(options.targets, options.sources); !families.ok()) return families;
  return options;
}

Redactor SetUpRedactor(const EndpointSpec& endpoint, const std::vector<std::string>& headers) {
  absl::string_view key;
  for (const std::string& header : headers) {
    if (absl::StartsWith(header, kBearer)) key = absl::string_view(header).substr(sizeof(kBearer) - 1);
  }
  return Redactor(endpoint, key);
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
