#ifndef TIDEMARK_AGENT_ENDPOINT_JSON_TEXT_H_
#define TIDEMARK_AGENT_ENDPOINT_JSON_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// Appends `text` as the inside of a JSON string. Bytes that are no UTF-8 become U+FFFD, so that the
// result is always valid JSON. Thread-safe.
void AppendJsonEscaped(absl::string_view text, std::string* out);

// Appends the longest prefix of `text` that is at most `limit` bytes as valid UTF-8: bytes that are none
// become U+FFFD, and a character that the limit would cut is left out.
void AppendValidUtf8(absl::string_view text, size_t limit, std::string* out);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_JSON_TEXT_H_
