#ifndef TIDEMARK_COMMON_URL_URL_H_
#define TIDEMARK_COMMON_URL_URL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// Where requests go, worked out from what the user gave as --url.
struct ResolvedUrl {
  std::string url;         // full, with path and query: "http://localhost:8000/v1/chat/completions"
  std::string models_url;  // where the served models are listed: "http://localhost:8000/v1/models"
  std::string host;        // lower case, without brackets
  uint16_t port = 0;       // also when the URL does not say it
  bool tls = false;
  bool ipv6_literal = false;
};

// Resolves `given`, which may be host:port, a base, a base ending in /v1, or the full path, for the API
// whose requests go to `api_path` ("/v1/chat/completions"). Without a scheme it is http for loopback
// (localhost, 127.0.0.0/8, [::1]). The query is kept.
//
// InvalidArgument says what would be right: for another host without a scheme, a doubled /v1, another
// API's path, a user name or password (never repeated), a bad host or port, a fragment. Thread-safe.
absl::StatusOr<ResolvedUrl> ResolveUrl(absl::string_view given, absl::string_view api_path);

// True for localhost, names under .localhost, 127.0.0.0/8 and ::1 (without brackets).
bool IsLoopbackHost(absl::string_view host);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_URL_URL_H_
