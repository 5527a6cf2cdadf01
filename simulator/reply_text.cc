#include "simulator/reply_text.h"

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr const char* kWords[] = {" tide", " mark",   " high", " water", " moon", " ebb",
                                  " flow", " spring", " neap", " shore", " wave", " sand",
                                  " salt", " wind",   " gull", " rock"};
constexpr uint64_t kWordCount = sizeof(kWords) / sizeof(kWords[0]);

const char* FinishJson(FinishReason finish) {
  switch (finish) {
    case FinishReason::kStop:
      return "\"stop\"";
    case FinishReason::kLength:
      return "\"length\"";
    case FinishReason::kNone:
      break;
  }
  return "null";
}

std::string UsageJson(int64_t prompt_tokens, int64_t completion_tokens) {
  return absl::StrCat("{\"prompt_tokens\":", prompt_tokens,
                      ",\"total_tokens\":", prompt_tokens + completion_tokens,
                      ",\"completion_tokens\":", completion_tokens, "}");
}

}  // namespace

std::string ErrorBody(int code, absl::string_view type, absl::string_view message) {
  return absl::StrCat("{\"error\":{\"message\":", JsonQuote(message), ",\"type\":", JsonQuote(type),
                      ",\"param\":null,\"code\":", code, "}}");
}

ReplyText::ReplyText(const CompletionRequest& request, uint64_t id, int64_t created,
                     bool role_event)
    : chat_(request.api == CompletionApi::kChat), role_event_(role_event), id_(id) {
  name_ = absl::StrCat(chat_ ? "chatcmpl-" : "cmpl-", absl::Hex(id, absl::kZeroPad16));
  identity_ = absl::StrCat(",\"created\":", created, ",\"model\":", JsonQuote(request.model),
                           ",\"choices\":[");
  head_ = absl::StrCat("data: {\"id\":\"", name_, "\",\"object\":\"",
                       chat_ ? "chat.completion.chunk" : "text_completion", "\"", identity_);
}

absl::string_view ReplyText::Token(int64_t index) const {
  return kWords[(id_ * 7 + static_cast<uint64_t>(index)) % kWordCount];
}

void ReplyText::AppendTokenEvent(int64_t index, FinishReason finish, std::string* out) const {
  const bool role = chat_ && index == 0;
  if (role && role_event_) {
    absl::StrAppend(out, head_,
                    "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
                    "\"logprobs\":null,\"finish_reason\":null}]}\n\n");
  }
  const char* open = !chat_                 ? "{\"index\":0,\"text\":\""
                     : role && !role_event_ ? "{\"index\":0,\"delta\":{\"role\":\"assistant\","
                                              "\"content\":\""
                                            : "{\"index\":0,\"delta\":{\"content\":\"";
  absl::StrAppend(out, head_, open, Token(index));
  absl::StrAppend(out, chat_ ? "\"}" : "\"",
                  ",\"logprobs\":null,\"finish_reason\":", FinishJson(finish), "}]}\n\n");
}

void ReplyText::AppendUsageEvent(int64_t prompt_tokens, int64_t completion_tokens,
                                 std::string* out) const {
  absl::StrAppend(out, head_, "],\"usage\":", UsageJson(prompt_tokens, completion_tokens), "}\n\n");
}

void ReplyText::AppendErrorEvent(std::string* out) {
  absl::StrAppend(out, "data: ",
                  ErrorBody(500, "InternalServerError", "fault injected by the simulator"), "\n\n");
}

void ReplyText::AppendDone(std::string* out) { absl::StrAppend(out, "data: [DONE]\n\n"); }

std::string ReplyText::Body(absl::string_view text, FinishReason finish, int64_t prompt_tokens,
                            int64_t completion_tokens) const {
  const std::string quoted = JsonQuote(text);
  const std::string choice =
      chat_ ? absl::StrCat("\"message\":{\"role\":\"assistant\",\"content\":", quoted, "}")
            : absl::StrCat("\"text\":", quoted);
  return absl::StrCat("{\"id\":\"", name_, "\",\"object\":\"",
                      chat_ ? "chat.completion" : "text_completion", "\"", identity_,
                      "{\"index\":0,", choice,
                      ",\"logprobs\":null,\"finish_reason\":", FinishJson(finish),
                      "}],\"usage\":", UsageJson(prompt_tokens, completion_tokens), "}");
}

}  // namespace tidemark
