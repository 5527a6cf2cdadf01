#include "agent/endpoint/openai_adapter.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/decode/sse_decoder.h"
#include "agent/endpoint/json_text.h"
#include "agent/endpoint/openai_event.h"
#include "simdjson.h"

namespace tidemark {
namespace {

constexpr uint64_t kMaxChoices = 64;  // choices are kept as bit sets

// The user's extra inputs: their keys, and their members as they were written.
struct ExtraInputs {
  std::set<std::string> keys;
  std::string members;  // without the braces
  uint32_t choices = 1;

  bool Has(const char* key) const { return keys.count(key) != 0; }
};

absl::Status BadExtra(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("extra_inputs ", what));
}

// As much of the user's text as an error should repeat.
std::string Shown(absl::string_view text) {
  std::string shown;
  AppendValidUtf8(text, 80, &shown);
  if (shown.size() < text.size()) shown += "…";
  return shown;
}

absl::Status AddKey(simdjson::dom::key_value_pair field, ExtraInputs* extra) {
  const std::string key(field.key);
  if (key == "messages" || key == "prompt" || key == "stream") {
    return BadExtra(absl::StrCat("sets \"", key, "\": the workload owns it; leave it out"));
  }
  if (!extra->keys.insert(key).second) return BadExtra(absl::StrCat("sets \"", key, "\" twice"));
  if (key != "n") return absl::OkStatus();
  uint64_t n = 0;
  if (field.value.get(n) != simdjson::SUCCESS || n < 1 || n > kMaxChoices) {
    return BadExtra(absl::StrCat("sets \"n\" to ", Shown(std::string(simdjson::minify(field.value))),
                                 ": give 1 to ", kMaxChoices));
  }
  extra->choices = static_cast<uint32_t>(n);
  return absl::OkStatus();
}

absl::StatusOr<ExtraInputs> ParseExtraInputs(const std::string& json) {
  ExtraInputs extra;
  const absl::string_view text = absl::StripAsciiWhitespace(json);
  if (text.empty()) return extra;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(text.data(), text.size(), true).get(root);
  if (error != simdjson::SUCCESS) {
    return BadExtra(absl::StrCat("is no JSON (", simdjson::error_message(error), "): ", Shown(text),
                                 "; give an object like {\"temperature\":0}"));
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return BadExtra(absl::StrCat("is ", Shown(text), ": give an object like {\"temperature\":0}"));
  }
  for (const simdjson::dom::key_value_pair field : object) {
    if (absl::Status s = AddKey(field, &extra); !s.ok()) return s;
  }
  extra.members = std::string(absl::StripAsciiWhitespace(text.substr(1, text.size() - 2)));
  return extra;
}

// A body cut at what differs between requests: before_prompt PROMPT after_prompt LENGTHS rest.
struct BodyPieces {
  std::string before_prompt, after_prompt, rest;
  bool max_tokens = true, min_tokens = true, ignore_eos = true;  // not set by the extra inputs
};

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  AppendJsonEscaped(text, &out);
  out.push_back('"');
  return out;
}

BodyPieces RenderPieces(OpenAiApi api, const RequestTemplate& request, const ExtraInputs& extra) {
  BodyPieces pieces;
  pieces.before_prompt = "{";
  if (!request.model.empty() && !extra.Has("model")) {
    absl::StrAppend(&pieces.before_prompt, "\"model\":", Quoted(request.model), ",");
  }
  const bool chat = api == OpenAiApi::kChat;
  pieces.before_prompt += chat ? R"("messages":[{"role":"user","content":")" : R"("prompt":")";
  pieces.after_prompt = chat ? R"("}])" : R"(")";
  pieces.rest = request.streaming ? R"(,"stream":true)" : R"(,"stream":false)";
  if (request.streaming && !extra.Has("stream_options")) {
    pieces.rest += R"(,"stream_options":{"include_usage":true})";
  }
  if (!extra.members.empty()) absl::StrAppend(&pieces.rest, ",", extra.members);
  pieces.rest.push_back('}');
  pieces.max_tokens = !extra.Has("max_tokens") && !extra.Has("max_completion_tokens");
  pieces.min_tokens = request.fixed_output_length && !extra.Has("min_tokens");
  pieces.ignore_eos = request.fixed_output_length && !extra.Has("ignore_eos");
  return pieces;
}

class OpenAiAdapter final : public EndpointAdapter {
 public:
  OpenAiAdapter(OpenAiApi api, BodyPieces pieces, uint32_t choices_asked)
      : api_(api), pieces_(std::move(pieces)), choices_asked_(choices_asked) {}

  absl::string_view name() const override {
    return api_ == OpenAiApi::kChat ? "openai-chat" : "openai-completions";
  }
  absl::string_view path() const override {
    return api_ == OpenAiApi::kChat ? "/v1/chat/completions" : "/v1/completions";
  }
  absl::string_view content_type(bool streaming) const override {
    return streaming ? "text/event-stream" : "application/json";
  }
  uint32_t choices_asked() const override { return choices_asked_; }

  void BuildBody(const RequestContent& content, std::string* body) const override {
    body->assign(pieces_.before_prompt);
    AppendJsonEscaped(content.prompt, body);
    body->append(pieces_.after_prompt);
    if (content.output_tokens > 0) AppendLengths(content.output_tokens, body);
    body->append(pieces_.rest);
  }

  absl::Status ParseEvent(const StreamEvent& event, bool keep_output, ParsedEvent* parsed) override {
    Clear(parsed);
    const bool error_event = event.type == "error";
    if (!error_event && absl::StripAsciiWhitespace(event.data) == "[DONE]") {
      parsed->end_of_stream = true;
      return absl::OkStatus();
    }
    absl::Status status = reader_.Read(event.data, error_event, keep_output, parsed);
    // An error is an error, also when a proxy words it as plain text.
    if (status.ok() || !error_event) return status;
    parsed->error = true;
    return absl::OkStatus();
  }

  absl::Status ParseBody(absl::string_view body, bool keep_output, ParsedEvent* parsed) override {
    Clear(parsed);
    return reader_.Read(body, /*error_event=*/false, keep_output, parsed);
  }

  std::unique_ptr<StreamDecoder> NewDecoder() const override {
    return std::make_unique<SseDecoder>();
  }

 private:
  // Keeps the output's capacity.
  static void Clear(ParsedEvent* parsed) {
    std::string output = std::move(parsed->output);
    output.clear();
    *parsed = ParsedEvent();
    parsed->output = std::move(output);
  }

  void AppendLengths(uint32_t tokens, std::string* body) const {
    if (pieces_.max_tokens) absl::StrAppend(body, ",\"max_tokens\":", tokens);
    if (pieces_.min_tokens) absl::StrAppend(body, ",\"min_tokens\":", tokens);
    if (pieces_.ignore_eos) body->append(",\"ignore_eos\":true");
  }

  const OpenAiApi api_;
  const BodyPieces pieces_;
  const uint32_t choices_asked_;
  OpenAiEventReader reader_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EndpointAdapter>> NewOpenAiAdapter(OpenAiApi api,
                                                                  RequestTemplate request) {
  absl::StatusOr<ExtraInputs> extra = ParseExtraInputs(request.extra_inputs_json);
  if (!extra.ok()) return extra.status();
  return std::make_unique<OpenAiAdapter>(api, RenderPieces(api, request, *extra), extra->choices);
}

}  // namespace tidemark
