// The simulator's only door to its JSON library: what it reads (request bodies, scripts) and the
// quoting of what it writes.
#ifndef TIDEMARK_SIMULATOR_REQUEST_JSON_H_
#define TIDEMARK_SIMULATOR_REQUEST_JSON_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "simulator/script.h"

namespace tidemark {

enum class CompletionApi { kChat, kCompletions };

// One completion request, checked. Counts are tokens.
struct CompletionRequest {
  CompletionApi api = CompletionApi::kChat;
  std::string model;
  int64_t prompt_words = 0;  // whitespace separated, over all messages
  uint64_t prompt_hash = 0;  // of all that the model would read: equal prompts, equal hashes
  int64_t max_tokens = 128;
  int64_t min_tokens = 0;
  bool ignore_eos = false;
  bool stream = false;
  bool include_usage = false;
};

// InvalidArgument with a text fit for the error body: names the field, its value, and what would
// be right.
absl::StatusOr<CompletionRequest> ParseCompletionRequest(CompletionApi api, absl::string_view body);

// Errors name the field, as in "response.script[2].at_ms".
absl::StatusOr<Script> ParseScript(absl::string_view text);

// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string JsonQuote(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_REQUEST_JSON_H_
