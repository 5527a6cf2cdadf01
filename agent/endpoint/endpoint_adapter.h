#ifndef TIDEMARK_AGENT_ENDPOINT_ENDPOINT_ADAPTER_H_
#define TIDEMARK_AGENT_ENDPOINT_ENDPOINT_ADAPTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/decode/stream_decoder.h"

namespace tidemark {

// What one request asks for.
struct RequestContent {
  absl::string_view prompt;
  uint32_t output_tokens = 0;   // the asked output length
};

// What is the same for all requests of a job.
struct RequestTemplate {
  std::string model;
  bool streaming = true;
  bool fixed_output_length = true;  // min_tokens and ignore_eos beside max_tokens
  // Object merged into the body, its top-level keys instead of ours; empty: none. It may not set what the
  // workload owns: messages, prompt, stream.
  std::string extra_inputs_json;
};

// What one event, or a whole non-streaming body, says.
struct ParsedEvent {
  bool text = false;        // non-empty text in any choice
  bool reasoning = false;   // non-empty reasoning text
  bool tool_call = false;   // a non-empty tool-call or function-call fragment
  bool end_of_stream = false;       // [DONE] or the API's own end
  bool error = false;               // an in-band error
  int error_code = 0;               // numeric, when there was one
  uint32_t choices = 0;             // choices in this event
  // Choice indices (0…63) that said a finish_reason in this event, and that appeared, as bit sets.
  uint64_t finished_choices = 0;
  uint64_t seen_choices = 0;
  std::optional<uint64_t> prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens;
  std::string output;               // text, kept only when asked (tests, records)

  bool token() const { return text || reasoning || tool_call; }
};

// An API: builds request bodies and understands its events. Pure and thread-compatible: one a loop.
class EndpointAdapter {
 public:
  virtual ~EndpointAdapter() = default;

  // "openai-chat".
  virtual absl::string_view name() const = 0;
  // Path appended to a base URL: "/v1/chat/completions".
  virtual absl::string_view path() const = 0;
  // How many choices a request asks for (`n` of the extra inputs): so many finish_reasons are its end.
  virtual uint32_t choices_asked() const = 0;
  // Expected content type of a success, lower case without parameters.
  virtual absl::string_view content_type(bool streaming) const = 0;

  // Writes the request body into `body` (its old content is dropped, its capacity kept).
  virtual void BuildBody(const RequestContent& content, std::string* body) const = 0;

  // `parsed` is reset first. InvalidArgument when `event.data` is not what the API sends (not JSON where JSON belongs).
  virtual absl::Status ParseEvent(const StreamEvent& event, bool keep_output, ParsedEvent* parsed) = 0;

  // A whole non-streaming response body.
  virtual absl::Status ParseBody(absl::string_view body, bool keep_output, ParsedEvent* parsed) = 0;

  virtual std::unique_ptr<StreamDecoder> NewDecoder() const = 0;
};

// `api` of WIRE's list; InvalidArgument names the known ones for an unknown or not yet supported
// one, and an extra_inputs_json that is no object.
absl::StatusOr<std::unique_ptr<EndpointAdapter>> NewEndpointAdapter(absl::string_view api,
                                                                    RequestTemplate request);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_ENDPOINT_ADAPTER_H_
