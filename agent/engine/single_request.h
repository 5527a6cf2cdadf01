#ifndef TIDEMARK_AGENT_ENGINE_SINGLE_REQUEST_H_
#define TIDEMARK_AGENT_ENGINE_SINGLE_REQUEST_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "agent/core/request_record.h"
#include "agent/engine/target_setup.h"
#include "common/clock/clock.h"
#include "common/job/level_task.h"

namespace tidemark {

struct SingleRequest {
  EndpointSpec endpoint;
  WorkloadSpec workload;
  TimeLimits limits;
  std::string prompt;
  uint32_t output_tokens = 1;
  bool keep_output = false;
  // Asked at least each second; true ends the request as cancelled. May be null.
  std::function<bool()> cancelled;
};

struct SingleResult {
  RequestRecord record;
  std::string output;       // when asked for
  std::string detail;       // what failed, in words; empty on success
  std::string tls_version;  // "TLSv1.3"; empty without TLS
};

// Sends one real request, the way the load sends it, and waits for its end: at most limits.total_ms
// and a second beyond the system's resolver. Blocks; thread-safe. A name that has no address is a
// record of class dns, not an error; errors are what cannot be tried at all: a malformed URL, an
// unknown API, a key or a target that is not allowed, an unreadable CA file.
absl::StatusOr<SingleResult> RunSingleRequest(const SingleRequest& request,
                                              const TargetAccess& access, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_SINGLE_REQUEST_H_
