#ifndef TIDEMARK_AGENT_ENDPOINT_OPENAI_EVENT_H_
#define TIDEMARK_AGENT_ENDPOINT_OPENAI_EVENT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/endpoint/endpoint_adapter.h"
#include "simdjson.h"

namespace tidemark {

// Reads a chunk or a whole body of OpenAI's chat and completions APIs and of the servers that speak them
// with their own quirks. One parser and one padded buffer, re-used: nothing is allocated in the steady
// state. The whole text is validated (simdjson's DOM: its on-demand parser would pass over garbage in
// what it skips, and is no faster on chunks of this size). Thread-compatible.
class OpenAiEventReader {
 public:
  // Fills `parsed` (reset by the caller). `error_event`: it came under `event: error`. InvalidArgument
  // when `json` is no JSON object.
  absl::Status Read(absl::string_view json, bool error_event, bool keep_output, ParsedEvent* parsed);

 private:
  std::vector<char> padded_;
  simdjson::dom::parser parser_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_OPENAI_EVENT_H_
