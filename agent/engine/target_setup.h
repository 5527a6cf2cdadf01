#ifndef TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_
#define TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agent/endpoint/endpoint_adapter.h"
#include "agent/endpoint/redactor.h"
#include "agent/http/transport.h"
#include "common/job/level_task.h"

namespace tidemark {

using SecretResolver = std::function<std::string(const std::string& name)>;

// Where an endpoint's requests go and with which headers: names resolved (blocks), the key taken
// from `secret`. `slots` is left 0. NotFound for a name without address, PermissionDenied for a key
// that is not allowed or not set.
absl::StatusOr<TransportOptions> SetUpTransport(const EndpointSpec& endpoint,
                                                const TimeLimits& limits,
                                                const SecretResolver& secret);

// Knows all secrets that go to the endpoint.
Redactor SetUpRedactor(const EndpointSpec& endpoint, const SecretResolver& secret);

absl::StatusOr<std::unique_ptr<EndpointAdapter>> SetUpAdapter(const EndpointSpec& endpoint,
                                                              const WorkloadSpec& workload);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_TARGET_SETUP_H_
