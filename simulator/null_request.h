// The little that the null endpoint reads of a request.
#ifndef TIDEMARK_SIMULATOR_NULL_REQUEST_H_
#define TIDEMARK_SIMULATOR_NULL_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

struct NullRequest {
  enum class Kind { kIncomplete, kChat, kText, kModels, kHealth, kUnknownPath };

  Kind kind = Kind::kIncomplete;
  size_t bytes = 0;             // of head and body; of an incomplete one, how many are needed, 0: not known yet
  bool expects_continue = false;  // known as soon as the head is there
  bool close = false;           // the connection is not to be kept
  uint32_t events = 128;        // max_completion_tokens, else max_tokens
  absl::string_view body;       // of a whole request: part of the bytes that were looked at
};

// Looks at the first request in `bytes`, without a JSON parser: the two keys are searched for in the body as text,
// which a prompt cannot fake, for its quotes are escaped. InvalidArgument says what is malformed.
absl::StatusOr<NullRequest> LookAtNullRequest(absl::string_view bytes);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_REQUEST_H_
