#ifndef TIDEMARK_CLIENT_CALL_ERROR_H_
#define TIDEMARK_CLIENT_CALL_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace tidemark {

// What a failed call to the coordinator at `address` says to a user: what failed, and what to give or look at. The
// code stays, but a handshake that no repetition can mend becomes FailedPrecondition. `plaintext`: how this side
// talks. Pure.
absl::Status ExplainCallError(const absl::Status& status, const std::string& address, bool plaintext);

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_CALL_ERROR_H_
