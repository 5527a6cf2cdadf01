// The bytes of a completion's answer in the shapes of vLLM's OpenAI server: events of a stream, or
// one body. Shares nothing with the agent that decodes them.
#ifndef TIDEMARK_SIMULATOR_REPLY_TEXT_H_
#define TIDEMARK_SIMULATOR_REPLY_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "simulator/request_json.h"

namespace tidemark {

enum class FinishReason { kNone, kStop, kLength };

// The error object of the OpenAI API.
std::string ErrorBody(int code, absl::string_view type, absl::string_view message);

// The texts of one request. What varies from token to token is the content alone, so the rest of
// an event is laid out once. Thread-compatible.
class ReplyText {
 public:
  // `created` is in seconds since 1970. `role_event`: the role comes in an event of its own before
  // the first token's, not inside it.
  ReplyText(const CompletionRequest& request, uint64_t id, int64_t created, bool role_event);

  // The text of token `index`: one word, with a space before it.
  absl::string_view Token(int64_t index) const;

  void AppendTokenEvent(int64_t index, FinishReason finish, std::string* out) const;
  void AppendUsageEvent(int64_t prompt_tokens, int64_t completion_tokens, std::string* out) const;
  static void AppendErrorEvent(std::string* out);
  static void AppendDone(std::string* out);

  // The whole answer of a request that does not stream.
  std::string Body(absl::string_view text, FinishReason finish, int64_t prompt_tokens,
                   int64_t completion_tokens) const;

 private:
  const bool chat_;
  const bool role_event_;
  const uint64_t id_;
  std::string identity_;  // ,"created":…,"model":…,"choices":[{"index":0,
  std::string name_;      // the id of the answer
  std::string head_;      // an event up to where its delta or text begins
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_REPLY_TEXT_H_
