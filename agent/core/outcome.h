#ifndef TIDEMARK_AGENT_CORE_OUTCOME_H_
#define TIDEMARK_AGENT_CORE_OUTCOME_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// The four disjoint ends of a request, and being under way.
enum class Outcome : uint8_t { kInFlight, kOk, kFailed, kCancelled, kUnfinished };

// Why a request failed: exactly one class each (docs/metrics.md).
enum class FailureClass : uint8_t {
  kNone,
  kDns,
  kConnect,
  kTls,
  kConnectionReset,
  kTimeoutConnect,
  kTimeoutFirstToken,
  kTimeoutIdle,
  kTimeoutTotal,
  kHttpStatus,  // named "http_<status>"
  kStreamError,
  kTruncated,
  kEmptyResponse,
  kProtocolError,
  kCredentials,
  kTimeoutDrain,
};

// "dns", "http_429", …; `status` matters only for kHttpStatus. Empty for kNone.
std::string FailureClassName(FailureClass failure, int status);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_OUTCOME_H_
