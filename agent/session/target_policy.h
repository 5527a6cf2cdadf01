#ifndef TIDEMARK_AGENT_SESSION_TARGET_POLICY_H_
#define TIDEMARK_AGENT_SESSION_TARGET_POLICY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/session/host_pattern.h"

namespace tidemark {

// Where a cluster's agent may send requests: the jobs of others choose its targets, and it may stand where
// they could not reach. Pure; immutable: thread-safe.
class TargetPolicy {
 public:
  // `allowed`: --allow-target, each a HostPattern; none: everywhere but to link-local addresses.
  // InvalidArgument names the flag and the pattern.
  static absl::StatusOr<TargetPolicy> Create(const std::vector<std::string>& allowed);

  // OK when requests to `host` of a URL may go to `ip`, one of the addresses that it stands for now: asked
  // after the name is resolved, so that a name cannot lead elsewhere. FailedPrecondition names the host, the
  // address, and the flag that would allow it. Link-local addresses are allowed only by a pattern of addresses.
  absl::Status Check(const std::string& host, const std::string& ip, uint16_t port) const;

 private:
  explicit TargetPolicy(std::vector<HostPattern> allowed);
  std::string Allowed() const;

  std::vector<HostPattern> allowed_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_TARGET_POLICY_H_
