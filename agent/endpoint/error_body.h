#ifndef TIDEMARK_AGENT_ENDPOINT_ERROR_BODY_H_
#define TIDEMARK_AGENT_ENDPOINT_ERROR_BODY_H_

#include "absl/strings/string_view.h"

namespace tidemark {

// True when a 400's body says that the request was throttled, as SageMaker does: a type or message with
// "ThrottlingException", or an object whose message is null. Such a refusal counts as a 429. Thread-safe.
bool SaysThrottled(absl::string_view body);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_ERROR_BODY_H_
