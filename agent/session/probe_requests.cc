#include "agent/session/probe_requests.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/endpoint/exchange.h"
#include "agent/workload/prompts.h"
#include "common/url/url.h"

namespace tidemark {
namespace {

// Prompts of a level and attempt that no job has.
constexpr uint32_t kProbeLevel = UINT32_MAX;
constexpr int64_t kBetweenAttempts = kNanosPerSecond;
constexpr int64_t kLook = kNanosPerSecond / 10;
constexpr uint64_t kVersionMillis = 1'000;

bool IsAuthorization(const std::pair<std::string, std::string>& header) {
  return absl::EqualsIgnoreCase(header.first, "Authorization");
}

// "http://host:port" of a full URL.
std::string RootOf(const std::string& url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

}  // namespace

ProbeRequests::ProbeRequests(const ProbeTask& task, const ProberOptions& options,
                             const Clock* clock)
    : task_(task),
      options_(options),
      clock_(clock),
      ready_deadline_(clock->MonotonicNanos() +
                      static_cast<int64_t>(task.wait_ready_ms) * kNanosPerMilli) {}

ProbeRequests::Answer ProbeRequests::Send(const std::string& url, const EndpointSpec& endpoint,
                                          WorkloadSpec* workload, uint32_t words,
                                          uint32_t output_tokens) {
  Answer answer = SendOnce(url, endpoint, *workload, words, output_tokens);
  if (!answer.fault || !MayRefuseFixedLength(*answer.fault) || !workload->fixed_output_length)
    return answer;
  WorkloadSpec natural = *workload;
  natural.fixed_output_length = false;
  Answer again = SendOnce(url, endpoint, natural, words, output_tokens);
  // When both fail the first one's words are better: it is what the load would send.
  if (again.fault) return answer;
  workload->fixed_output_length = false;
  return again;
}

ProbeRequests::Answer ProbeRequests::SendOnce(const std::string& url, const EndpointSpec& endpoint,
                                              const WorkloadSpec& workload, uint32_t words,
                                              uint32_t output_tokens) {
  SingleRequest request;
  request.endpoint = endpoint;
  request.endpoint.urls = {url};
  request.workload = workload;
  request.limits = Limits();
  request.output_tokens = output_tokens;
  request.cancelled = options_.cancelled;
  PromptSource(workload, kProbeLevel, 0).WriteText(next_index_++, words, &request.prompt);
  ++counts_.requests;
  absl::StatusOr<SingleResult> result = RunSingleRequest(request, options_.access, clock_);
  if (!result.ok()) return {FaultOf(url, result.status()), {}};
  Count(*result, words);
  Answer answer;
  if (!result->record.ok()) answer.fault = FaultOf(url, *result);
  answer.result = *std::move(result);
  return answer;
}

void ProbeRequests::Count(const SingleResult& result, uint32_t words) {
  const RequestRecord& record = result.record;
  counts_.input_tokens += record.usage_prompt_tokens.value_or(record.ok() ? words : 0);
  counts_.output_tokens += OutputSequenceLength(record);
}

ProbeFault ProbeRequests::FaultOf(const std::string& url, const absl::Status& status) const {
  ProbeFault fault;
  fault.url = url;
  fault.reason = RedactorFor(url).Apply(status.message());
  fault.failure_class = HttpFailureOf(status);
  if (!fault.failure_class.empty()) return fault;
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      fault.failure_class = "dns";
      break;
    case absl::StatusCode::kPermissionDenied:
      fault.failure_class = "credentials";
      break;
    case absl::StatusCode::kCancelled:
      fault.failure_class = "cancelled";
      break;
    case absl::StatusCode::kResourceExhausted:
      fault.failure_class = "protocol_error";
      break;
    default:
      fault.failure_class = "configuration";
  }
  return fault;
}

ProbeFault ProbeRequests::FaultOf(const std::string& url, const SingleResult& result) const {
  const RequestRecord& record = result.record;
  ProbeFault fault;
  fault.url = url;
  fault.status = record.status;
  fault.failure_class = record.outcome == Outcome::kCancelled
                            ? "cancelled"
                            : FailureClassName(record.failure, record.status);
  fault.reason = RedactorFor(url).Apply(result.detail);
  // Where there was no body the record keeps the detail in its place.
  if (record.excerpt != fault.reason) fault.excerpt = record.excerpt;
  if (fault.reason.empty() && record.status >= 300) {
    fault.reason = absl::StrCat("HTTP status ", record.status);
  }
  if (fault.reason.empty()) fault.reason = fault.failure_class;
  return fault;
}

ProbeRequests::Models ProbeRequests::ListModels(const std::string& url, uint64_t limit_ms) {
  Models models;
  const auto adapter = SetUpAdapter(task_.endpoint, task_.workload);
  if (!adapter.ok()) {
    models.fault = FaultOf(url, adapter.status());
    return models;
  }
  // A URL of the user's own form has no known place for a list.
  const absl::StatusOr<ResolvedUrl> resolved = ResolveUrl(url, (*adapter)->path());
  if (!resolved.ok()) return models;
  HttpResponse response;
  models.fault = Get(resolved->models_url, url, limit_ms, &response);
  if (models.fault || response.status != 200) return models;
  absl::StatusOr<std::vector<ServedModel>> served = ParseModelList(response.body);
  if (!served.ok()) return models;
  models.listed = true;
  models.served = *std::move(served);
  return models;
}

std::string ProbeRequests::ServerVersion(const std::string& url) {
  HttpResponse response;
  if (Get(RootOf(url) + "/version", url, kVersionMillis, &response)) return "";
  return response.status == 200 ? Shortened(ParseServerVersion(response.body), 100) : "";
}

// No answer is a fault, and so are the statuses that every other request would get too; others only
// say that this endpoint has no such thing.
std::optional<ProbeFault> ProbeRequests::Get(const std::string& url, const std::string& target,
                                             uint64_t limit_ms, HttpResponse* response) {
  const EndpointSpec endpoint = EndpointAt(target);
  // Names are resolved, and headers made, as for the load.
  const absl::StatusOr<TransportOptions> setup =
      SetUpTransport(endpoint, task_.limits, options_.access);
  if (!setup.ok()) return FaultOf(url, setup.status());
  HttpOptions options;
  const TimeLimits limits = Limits();
  options.total_timeout_ms = std::min(limit_ms, limits.total_ms);
  options.connect_timeout_ms = std::min(limits.connect_ms, options.total_timeout_ms);
  options.ca_cert = endpoint.ca_cert;
  options.insecure_skip_verify = endpoint.insecure_skip_verify;
  options.cancelled = options_.cancelled;
  options.addresses = setup->targets[0].addresses;
  absl::StatusOr<HttpResponse> got = HttpGet(url, setup->headers, options);
  if (!got.ok()) return FaultOf(url, got.status());
  *response = *std::move(got);
  const int status = response->status;
  if (status != 401 && status != 403 && status != 429 && status < 500) return std::nullopt;
  return ProbeFault{absl::StrCat("http_", status), status, url,
                    absl::StrCat("HTTP status ", status),
                    RedactorFor(target).Apply(response->body, Exchange::kExcerptBytes)};
}

void ProbeRequests::UntilReady(const std::function<std::optional<ProbeFault>()>& attempt) {
  for (;;) {
    const std::optional<ProbeFault> fault = attempt();
    const int64_t now = clock_->MonotonicNanos();
    if (!fault || !MayComeUp(*fault) || now >= ready_deadline_) return;
    const int64_t next = std::min(now + kBetweenAttempts, ready_deadline_);
    while (clock_->MonotonicNanos() < next) {
      if (cancelled()) return;
      SleepFor(kLook);
    }
  }
}

// While readiness is waited for, one attempt to connect must not take all of the time.
TimeLimits ProbeRequests::Limits() const {
  TimeLimits limits = task_.limits;
  const int64_t left = (ready_deadline_ - clock_->MonotonicNanos()) / kNanosPerMilli;
  if (left > 0) {
    limits.connect_ms =
        std::min(limits.connect_ms, std::max<uint64_t>(1'000, static_cast<uint64_t>(left)));
  }
  return limits;
}

bool ProbeRequests::Authorized(const std::string& url) const {
  const auto& headers = task_.endpoint.headers;
  if (std::any_of(headers.begin(), headers.end(), IsAuthorization)) return true;
  return !task_.endpoint.api_key_env.empty() && KeyFor(EndpointAt(url), options_.access).ok();
}

EndpointSpec ProbeRequests::EndpointAt(const std::string& url) const {
  EndpointSpec endpoint = task_.endpoint;
  endpoint.urls = {url};
  return endpoint;
}

// No name is resolved for it.
Redactor ProbeRequests::RedactorFor(const std::string& url) const {
  if (task_.endpoint.api_key_env.empty()) return Redactor(task_.endpoint, "");
  return Redactor(task_.endpoint, KeyFor(EndpointAt(url), options_.access).value_or(""));
}

}  // namespace tidemark
