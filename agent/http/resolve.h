#ifndef TIDEMARK_AGENT_HTTP_RESOLVE_H_
#define TIDEMARK_AGENT_HTTP_RESOLVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/http/transport.h"

namespace tidemark {

struct UrlParts {
  bool tls = false;
  std::string host;  // without brackets
  uint16_t port = 0;
  std::string path;  // from the first '/', with the query; "/" when there is none
};

// InvalidArgument names the URL (without user and password) and what is wrong with it.
absl::StatusOr<UrlParts> ParseUrl(absl::string_view url);

// "1.2.3.4:80", "[::1]:80".
std::string HostPort(absl::string_view ip, uint16_t port);

// Whether requests to `host` of a URL may go to `ip`, one of its addresses; an error says why not.
using AddressCheck = std::function<absl::Status(const std::string& host, const std::string& ip, uint16_t port)>;

// The target of `url` with all A and AAAA addresses its name has now, once `check` (may be null) has allowed every
// one of them: nothing is sent to any before. Where a name has addresses of
// both families and only one family takes connections (localhost with a server on 127.0.0.1), only
// that family's are used. Blocks, at most as long as the system's resolver does and half a second.
// NotFound when the name has no address; the error of `check`.
absl::StatusOr<TransportTarget> ResolveTarget(absl::string_view url, const AddressCheck& check = nullptr);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_RESOLVE_H_
