#ifndef TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_
#define TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/endpoint/endpoint_adapter.h"
#include "agent/endpoint/redactor.h"
#include "agent/engine/target_access.h"
#include "agent/http/transport.h"
#include "common/job/level_task.h"

namespace tidemark {

// Where an endpoint's requests go and with which headers: names resolved (blocks), the key, which must be
// allowed for every one of the hosts, and the addresses by leave of `access`. Connections come from the
// addresses that `access` names. `slots` is left 0. NotFound for a
// name without address, PermissionDenied for a key that is not allowed or not set, FailedPrecondition for a
// target that is not, InvalidArgument for one that none of the source addresses reaches.
absl::StatusOr<TransportOptions> SetUpTransport(const EndpointSpec& endpoint,
                                                const TimeLimits& limits,
                                                const TargetAccess& access);

// The value of the endpoint's api_key_env, allowed for the host of every one of its URLs.
absl::StatusOr<std::string> KeyFor(const EndpointSpec& endpoint, const TargetAccess& access);

// Knows all secrets that go to the endpoint: those of its own headers, and the key that SetUpTransport has put
// among `headers`.
Redactor SetUpRedactor(const EndpointSpec& endpoint, const std::vector<std::string>& headers);

absl::StatusOr<std::unique_ptr<EndpointAdapter>> SetUpAdapter(const EndpointSpec& endpoint,
                                                              const WorkloadSpec& workload);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_
