#ifndef TIDEMARK_AGENT_ENGINE_TARGET_ACCESS_H_
#define TIDEMARK_AGENT_ENGINE_TARGET_ACCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/http/resolve.h"
#include "common/local_address/source_address.h"

namespace tidemark {

// Where a secret would go.
struct SecretDestination {
  std::string host;  // as the URL has it, without brackets
  uint16_t port = 0;
  bool unprotected = false;  // http://, or a certificate that nobody verifies: others could read it on its way
};

// What this agent may use of its own for whom, where it may go, and from where. Both are asked at each level's start and
// for each request of a probe, on any thread.
struct TargetAccess {
  // The value of the endpoint's api_key_env for requests to a URL; PermissionDenied with a sentence that does not
  // hold it. Null: no secret may be used.
  std::function<absl::StatusOr<std::string>(const std::string& name, const SecretDestination& to)> secret;
  // Whether the addresses of a target may be reached. Null: all.
  AddressCheck address;
  // Where its connections come from, in turn; empty: as the system chooses.
  std::vector<SourceAddress> sources;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_TARGET_ACCESS_H_
