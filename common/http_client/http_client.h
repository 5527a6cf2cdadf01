#ifndef TIDEMARK_COMMON_HTTP_CLIENT_HTTP_CLIENT_H_
#define TIDEMARK_COMMON_HTTP_CLIENT_HTTP_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// HTTP of the control path: lists of models, versions, metrics pages. Nothing measured goes through
// here. Blocks; every function is thread-safe.
namespace tidemark {

struct HttpOptions {
  uint64_t connect_timeout_ms = 30'000;  // name lookup and TLS included
  uint64_t total_timeout_ms = 60'000;
  std::string ca_cert;  // path of a PEM file; empty: the system's
  std::string client_cert, client_key;  // paths of PEM files; empty: none is shown
  bool insecure_skip_verify = false;
  // "1.2.3.4:80", "[::1]:80": what the URL's host stands for, instead of asking the resolver. Empty: ask it.
  std::vector<std::string> addresses;
  size_t max_body_bytes = 1 << 20;  // a larger answer is an error
  // Asked about each second; true ends the request. May be null.
  std::function<bool()> cancelled;
};

struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // in the order of the wire
  std::string body;
  std::string tls_version;  // "TLSv1.3"; empty without TLS
  std::string address;      // "1.2.3.4:80", "[::1]:80": where it went

  // The first header of that name, in any case; empty when there is none.
  absl::string_view Header(absl::string_view name) const;
};

// GETs `url` (http or https). Redirects are not followed and the environment's proxies not used:
// what is asked must be what will be measured. Any status is an answer. `headers` are whole lines,
// "Name: value" (they may hold a secret; no error repeats them).
//
// Errors carry a failure class (HttpFailureOf) and say why in words: Unavailable for what may pass
// (dns, connect, connection_reset), DeadlineExceeded for timeout_connect and timeout_total,
// FailedPrecondition for tls, ResourceExhausted for an answer over max_body_bytes, Cancelled,
// InvalidArgument for a URL or header that is none, Internal for protocol_error.
absl::StatusOr<HttpResponse> HttpGet(const std::string& url,
                                     const std::vector<std::string>& headers,
                                     const HttpOptions& options);

// The failure class of an error of HttpGet, in the words of docs/metrics.md: "dns", "connect",
// "tls", "connection_reset", "timeout_connect", "timeout_total", "protocol_error"; empty for the
// others.
std::string HttpFailureOf(const absl::Status& status);

// "libcurl/7.88.1 OpenSSL/3.0.15": what measures, for the record.
std::string CurlVersion();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_CLIENT_HTTP_CLIENT_H_
