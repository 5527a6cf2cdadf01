#include "agent/session/probe_fault.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/endpoint/json_text.h"
#include "agent/http/resolve.h"

namespace tidemark {
namespace {

constexpr size_t kExcerptBytes = 300;
constexpr size_t kReasonBytes = 500;
constexpr size_t kModelsShown = 20;

bool SaysAny(const std::string& text, std::initializer_list<absl::string_view> words) {
  const std::string lower = absl::AsciiStrToLower(text);
  for (const absl::string_view word : words) {
    if (absl::StrContains(lower, word)) return true;
  }
  return false;
}

bool IsOneOf(absl::string_view failure, std::initializer_list<absl::string_view> classes) {
  for (const absl::string_view one : classes) {
    if (failure == one) return true;
  }
  return false;
}

std::string HostPortOf(const ProbeFault& fault) {
  const absl::StatusOr<UrlParts> parts = ParseUrl(fault.url);
  return parts.ok() ? HostPort(parts->host, parts->port) : fault.url;
}

std::string ListOf(const std::vector<std::string>& models) {
  const size_t shown = std::min(models.size(), kModelsShown);
  const std::vector<std::string> first(models.begin(), models.begin() + static_cast<long>(shown));
  return absl::StrCat(
      absl::StrJoin(first, ", "),
      shown < models.size() ? absl::StrCat(" and ", models.size() - shown, " more") : "");
}

std::string TlsHint(const ProbeFault& fault, const ProbeSubject& subject) {
  if (SaysAny(fault.reason,
              {"wrong version number", "record layer", "packet length", "http request"})) {
    return absl::StrCat(HostPortOf(fault), " speaks plain HTTP: give the URL with http://");
  }
  if (SaysAny(fault.reason, {"subject name", "hostname", "no alternative certificate"})) {
    return "the certificate is for another name: give the URL with the name it was made for, or "
           "--insecure "
           "for a test endpoint";
  }
  if (subject.ca_cert) {
    return "the CA given with --ca-cert did not sign this certificate: give the right one, or "
           "--insecure "
           "for a test endpoint";
  }
  return "give the CA that signed the endpoint's certificate with --ca-cert FILE, or --insecure "
         "for a test "
         "endpoint";
}

std::string ConnectionHint(const ProbeFault& fault, const ProbeSubject& subject) {
  const std::string host = HostPortOf(fault);
  if (fault.failure_class == "dns") {
    return absl::StrCat("check the host name in --url: the agent could not resolve it");
  }
  if (fault.failure_class == "connect") {
    return absl::StrCat("is the server up, and does it listen on ", host,
                        "? --wait-ready 60 waits for one that is starting");
  }
  if (fault.failure_class == "timeout_connect") {
    return absl::StrCat(
        host, " does not answer: check the address, and firewalls between this agent and it");
  }
  if (fault.failure_class == "tls") return TlsHint(fault, subject);
  if (fault.failure_class == "credentials") {
    return absl::StrCat("set ", subject.api_key_env,
                        " in the agent's environment (it is unset, empty, or not "
                        "for this host), or name another with --api-key-env");
  }
  if (fault.failure_class == "connection_reset" &&
      absl::StartsWithIgnoreCase(fault.url, "http://")) {
    return absl::StrCat(
        host,
        " closed the connection without an answer: if it speaks TLS, give the URL with "
        "https://");
  }
  return "";
}

std::string KeyHint(const ProbeSubject& subject) {
  if (subject.api_key_env.empty()) {
    if (subject.authorized) return "the endpoint did not accept the Authorization header: check it";
    return "the endpoint wants a key: put it in an environment variable and name that with "
           "--api-key-env";
  }
  if (!subject.authorized) {
    return absl::StrCat("set ", subject.api_key_env,
                        " in the agent's environment: it is unset or empty");
  }
  return absl::StrCat("the endpoint did not accept the key in ", subject.api_key_env,
                      ": check it, and that it may use this model");
}

std::string ModelHint(const ProbeSubject& subject) {
  if (!subject.served.empty()) {
    return absl::StrCat("name one of the served models with --model: ", ListOf(subject.served));
  }
  if (subject.model.empty()) return "name the served model with --model: the endpoint lists none";
  return absl::StrCat("the endpoint does not serve \"", subject.model,
                      "\": name a served model with --model");
}

std::string NotFoundHint(const ProbeFault& fault, const ProbeSubject& subject) {
  if (absl::StrContains(fault.url, "/v1/v1")) {
    return "/v1 is doubled in the URL's path: give --url without the second one";
  }
  if (SaysAny(fault.excerpt, {"model"})) return ModelHint(subject);
  return absl::StrCat("check the path of --url: nothing answers there for --api ", subject.api);
}

std::string BadRequestHint(const ProbeFault& fault, const ProbeSubject& subject) {
  if (SaysAny(fault.excerpt, {"chat template", "chat_template"})) {
    return "a base model without a chat template: use --api openai-completions";
  }
  if (SaysAny(fault.excerpt, {"http request was sent to https", "http request to an https"})) {
    return absl::StrCat(HostPortOf(fault), " speaks TLS: give the URL with https://");
  }
  if (SaysAny(fault.excerpt, {"context length", "context size", "context window", "maximum context",
                              "max_model_len", "maximum model length", "too long", "too large",
                              "max_tokens", "max_completion_tokens", "exceed"})) {
    return absl::StrCat("lower --isl (", subject.input_tokens, ") or --osl (",
                        subject.output_tokens,
                        "): input and output together must fit the model's context");
  }
  if (SaysAny(fault.excerpt, {"model"})) return ModelHint(subject);
  return absl::StrCat("the endpoint refused the body of the request: check --api ", subject.api,
                      " and the extra inputs");
}

std::string StatusHint(const ProbeFault& fault, const ProbeSubject& subject) {
  switch (fault.status) {
    case 400:
    case 413:
    case 422:
      return BadRequestHint(fault, subject);
    case 401:
    case 403:
      return KeyHint(subject);
    case 404:
      return NotFoundHint(fault, subject);
    case 405:
      return absl::StrCat("the path of --url takes no POST: check it against --api ", subject.api);
    case 429:
      return "a quota or a gateway's limit is reached already: the load will measure that limit";
    default:
      break;
  }
  if (fault.status >= 300 && fault.status < 400) {
    return "redirects are not followed: give the URL it points to (often https://)";
  }
  if (fault.status >= 500)
    return "the server is up but fails: --wait-ready 60 waits for one that is starting";
  return "";
}

}  // namespace

bool IsRefusal(const ProbeFault& fault) {
  if (IsOneOf(fault.failure_class,
              {"dns", "connect", "tls", "credentials", "configuration", "model", "cancelled"})) {
    return true;
  }
  // By its class, for a throttling that hides in a 400 is an http_429.
  if (!absl::StartsWith(fault.failure_class, "http_")) return false;
  if (IsOneOf(fault.failure_class, {"http_408", "http_425", "http_429"})) return false;
  return fault.status >= 300 && fault.status < 500;
}

bool MayComeUp(const ProbeFault& fault) {
  return IsOneOf(fault.failure_class,
                 {"dns", "connect", "connection_reset", "timeout_connect", "timeout_first_token",
                  "timeout_idle", "timeout_total", "http_404", "http_429"}) ||
         (absl::StartsWith(fault.failure_class, "http_5") && fault.status >= 500);
}

bool MayRefuseFixedLength(const ProbeFault& fault) {
  return IsOneOf(fault.failure_class, {"http_400", "http_422"});
}

std::string HintFor(const ProbeFault& fault, const ProbeSubject& subject) {
  if (fault.failure_class == "model") return ModelHint(subject);
  if (fault.failure_class == "http_429") return StatusHint({"", 429, "", "", ""}, subject);
  if (absl::StartsWith(fault.failure_class, "http_")) return StatusHint(fault, subject);
  if (IsOneOf(fault.failure_class, {"empty_response", "protocol_error"})) {
    return absl::StrCat("the answer is none of --api ", subject.api, ": check the path of --url");
  }
  return ConnectionHint(fault, subject);
}

v1::ProbeFailure EncodeProbeFault(const ProbeFault& fault, const ProbeSubject& subject) {
  v1::ProbeFailure failure;
  failure.set_failure_class(fault.failure_class);
  failure.set_refusal(IsRefusal(fault));
  failure.set_status(fault.status);
  failure.set_url(Shortened(fault.url, kReasonBytes));
  failure.set_reason(Shortened(fault.reason, kReasonBytes));
  failure.set_excerpt(Shortened(fault.excerpt, kExcerptBytes));
  failure.set_hint(Shortened(HintFor(fault, subject), 2 * kReasonBytes));
  return failure;
}

std::string Shortened(absl::string_view text, size_t limit) {
  std::string out;
  AppendValidUtf8(text, limit, &out);
  return out;
}

}  // namespace tidemark
