#include "simulator/request_json.h"

#include <cctype>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

using Json = nlohmann::json;

std::string Shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

absl::Status Refuse(absl::string_view field, const Json& value, absl::string_view right) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", field, "' is ", Shown(value), "; it must be ", right));
}

const Json* Find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Reads an optional integer of [low, high] into *out, which keeps its value where none is given.
absl::Status ReadCount(const Json& object, const char* key, const std::string& field, int64_t low,
                       int64_t high, int64_t* out) {
  const Json* value = Find(object, key);
  if (value == nullptr) return absl::OkStatus();
  const bool whole =
      value->is_number_integer() &&
      (!value->is_number_unsigned() ||
       value->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  if (!whole || value->get<int64_t>() < low || value->get<int64_t>() > high) {
    return Refuse(field, *value, absl::StrCat("a whole number from ", low, " to ", high));
  }
  *out = value->get<int64_t>();
  return absl::OkStatus();
}

absl::Status ReadBool(const Json& object, const char* key, bool* out) {
  const Json* value = Find(object, key);
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_boolean()) return Refuse(key, *value, "true or false");
  *out = value->get<bool>();
  return absl::OkStatus();
}

uint64_t HashOf(const Json& prompt) {
  return std::hash<std::string>()(prompt.dump(-1, ' ', false, Json::error_handler_t::replace));
}

int64_t CountWords(const std::string& text) {
  int64_t words = 0;
  bool inside = false;
  for (const unsigned char c : text) {
    const bool space = std::isspace(c) != 0;
    if (!space && !inside) ++words;
    inside = !space;
  }
  return words;
}

// Words of a message's content: a string, or a list of parts of which those of type text count.
absl::StatusOr<int64_t> ContentWords(const Json& content, const std::string& field) {
  if (content.is_string()) return CountWords(content.get_ref<const std::string&>());
  if (!content.is_array()) return Refuse(field, content, "a string or a list of parts");
  int64_t words = 0;
  for (const Json& part : content) {
    if (!part.is_object()) return Refuse(field, part, "a list of objects");
    const Json* text = Find(part, "text");
    if (text != nullptr && text->is_string()) words += CountWords(text->get<std::string>());
  }
  return words;
}

absl::StatusOr<int64_t> MessageWords(const Json& body) {
  const Json* messages = Find(body, "messages");
  if (messages == nullptr) {
    return absl::InvalidArgumentError("'messages' is missing; it must be a list of messages");
  }
  if (!messages->is_array() || messages->empty()) {
    return Refuse("messages", *messages, "a list of at least one message");
  }
  int64_t words = 0;
  for (size_t i = 0; i < messages->size(); ++i) {
    const Json& message = (*messages)[i];
    const std::string field = absl::StrCat("messages[", i, "]");
    if (!message.is_object()) return Refuse(field, message, "an object with role and content");
    const Json* role = Find(message, "role");
    if (role == nullptr || !role->is_string()) {
      return Refuse(field + ".role", role == nullptr ? Json() : *role, "a string");
    }
    const Json* content = Find(message, "content");
    if (content == nullptr) continue;  // as an assistant's message of tool calls has it
    absl::StatusOr<int64_t> each = ContentWords(*content, field + ".content");
    if (!each.ok()) return each;
    words += *each;
  }
  return words;
}

absl::StatusOr<int64_t> PromptWords(const Json& body) {
  const Json* prompt = Find(body, "prompt");
  if (prompt == nullptr) {
    return absl::InvalidArgumentError("'prompt' is missing; it must be a string or token ids");
  }
  const Json* one = prompt;
  if (prompt->is_array() && prompt->size() == 1 && !(*prompt)[0].is_number()) one = &(*prompt)[0];
  if (one->is_string()) return CountWords(one->get_ref<const std::string&>());
  bool ids = one->is_array() && !one->empty();
  for (size_t i = 0; ids && i < one->size(); ++i) ids = (*one)[i].is_number_integer();
  if (ids) return static_cast<int64_t>(one->size());
  return Refuse("prompt", *prompt, "one string or one list of token ids");
}

absl::Status ReadModel(const Json& body, CompletionRequest* out) {
  const Json* model = Find(body, "model");
  if (model == nullptr) {
    return absl::InvalidArgumentError("'model' is missing; it must be a served model's name");
  }
  if (!model->is_string()) return Refuse("model", *model, "a string");
  out->model = model->get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadLengths(const Json& body, CompletionRequest* out) {
  constexpr int64_t kMost = 10'000'000;
  absl::Status read = ReadCount(body, "max_tokens", "max_tokens", 1, kMost, &out->max_tokens);
  if (read.ok() && out->api == CompletionApi::kChat) {
    read = ReadCount(body, "max_completion_tokens", "max_completion_tokens", 1, kMost,
                     &out->max_tokens);
  }
  if (read.ok()) read = ReadCount(body, "min_tokens", "min_tokens", 0, kMost, &out->min_tokens);
  if (!read.ok()) return read;
  if (out->min_tokens > out->max_tokens) {
    return Refuse("min_tokens", out->min_tokens,
                  absl::StrCat("at most max_tokens, which is ", out->max_tokens));
  }
  int64_t choices = 1;
  return ReadCount(body, "n", "n", 1, 1, &choices);
}

absl::Status ReadStreaming(const Json& body, CompletionRequest* out) {
  absl::Status read = ReadBool(body, "stream", &out->stream);
  if (read.ok()) read = ReadBool(body, "ignore_eos", &out->ignore_eos);
  if (!read.ok()) return read;
  const Json* options = Find(body, "stream_options");
  if (options == nullptr) return absl::OkStatus();
  if (!options->is_object()) return Refuse("stream_options", *options, "an object");
  if (!out->stream) return Refuse("stream_options", *options, "left out unless stream is true");
  return ReadBool(*options, "include_usage", &out->include_usage);
}

absl::Status ReadHeaders(const Json& response, Script* out) {
  const Json* headers = Find(response, "headers");
  if (headers == nullptr) return absl::OkStatus();
  if (!headers->is_object()) return Refuse("response.headers", *headers, "an object");
  for (const auto& [name, value] : headers->items()) {
    const std::string field = absl::StrCat("response.headers.", name);
    if (!value.is_string()) return Refuse(field, value, "a string");
    if (absl::EqualsIgnoreCase(name, "content-length") ||
        absl::EqualsIgnoreCase(name, "transfer-encoding")) {
      return Refuse(field, value, "left out: the player frames the body itself");
    }
    out->headers.emplace_back(name, value.get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status CheckStepKeys(const Json& step, const std::string& field) {
  if (!step.is_object()) return Refuse(field, step, "an object with at_ms and what to do");
  for (const auto& [name, value] : step.items()) {
    static constexpr const char* kKeys[] = {"at_ms", "send",  "send_b64",
                                            "close", "reset", "repeat_kib"};
    bool known = false;
    for (const char* key : kKeys) known = known || name == key;
    if (!known) {
      return Refuse(absl::StrCat(field, ".", name), value,
                    "one of at_ms, send, send_b64, close, reset, repeat_kib");
    }
  }
  if (!step.contains("at_ms")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", field, ".at_ms' is missing; it must be milliseconds"));
  }
  return absl::OkStatus();
}

absl::Status ReadSend(const Json& step, const std::string& field, ScriptStep* out) {
  const Json* text = Find(step, "send");
  const Json* base64 = Find(step, "send_b64");
  if (text != nullptr && !text->is_string()) return Refuse(field + ".send", *text, "a string");
  if (text != nullptr) out->send = text->get<std::string>();
  if (base64 == nullptr) return absl::OkStatus();
  if (text != nullptr) return Refuse(field + ".send_b64", *base64, "left out beside send");
  if (!base64->is_string() || !absl::Base64Unescape(base64->get<std::string>(), &out->send)) {
    return Refuse(field + ".send_b64", *base64, "base64 text");
  }
  return absl::OkStatus();
}

absl::Status ReadStep(const Json& step, const std::string& field, Script* script) {
  absl::Status read = CheckStepKeys(step, field);
  if (!read.ok()) return read;
  if (script->end != ScriptEnd::kKeepOpen) {
    return Refuse(field, step, "left out: the step before it ends the connection");
  }
  const int64_t earliest = script->steps.empty() ? 0 : script->steps.back().at_ms;
  ScriptStep out;
  read = ReadCount(step, "at_ms", field + ".at_ms", earliest, 86'400'000, &out.at_ms);
  if (read.ok()) read = ReadSend(step, field, &out);
  if (read.ok()) {
    read = ReadCount(step, "repeat_kib", field + ".repeat_kib", 0, 1 << 20, &out.repeat_kib);
  }
  bool close = false, reset = false;
  if (read.ok()) read = ReadBool(step, "close", &close);
  if (read.ok()) read = ReadBool(step, "reset", &reset);
  if (!read.ok()) return read;
  if (close && reset) return Refuse(field, step, "close or reset, not both");
  if (close) script->end = ScriptEnd::kClose;
  if (reset) script->end = ScriptEnd::kReset;
  script->end_at_ms = out.at_ms;
  script->steps.push_back(std::move(out));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompletionRequest> ParseCompletionRequest(CompletionApi api,
                                                         absl::string_view body) {
  const Json json = Json::parse(body.begin(), body.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) {
    return absl::InvalidArgumentError("the body is no JSON object");
  }
  CompletionRequest out;
  out.api = api;
  absl::Status read = ReadModel(json, &out);
  if (!read.ok()) return read;
  absl::StatusOr<int64_t> words =
      api == CompletionApi::kChat ? MessageWords(json) : PromptWords(json);
  if (!words.ok()) return words.status();
  out.prompt_words = *words;
  out.prompt_hash = HashOf(*Find(json, api == CompletionApi::kChat ? "messages" : "prompt"));
  read = ReadLengths(json, &out);
  if (read.ok()) read = ReadStreaming(json, &out);
  if (!read.ok()) return read;
  return out;
}

absl::StatusOr<Script> ParseScript(absl::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) {
    return absl::InvalidArgumentError("the file is no JSON object; it must be one case");
  }
  const Json* response = Find(json, "response");
  if (response == nullptr || !response->is_object()) {
    return absl::InvalidArgumentError("'response' is missing or no object");
  }
  Script script;
  int64_t status = 200;
  absl::Status read = ReadCount(*response, "status", "response.status", 200, 599, &status);
  script.status = static_cast<int>(status);
  if (read.ok()) read = ReadHeaders(*response, &script);
  if (!read.ok()) return read;
  const Json* steps = Find(*response, "script");
  if (steps == nullptr || !steps->is_array()) {
    return absl::InvalidArgumentError("'response.script' is missing or no list of steps");
  }
  for (size_t i = 0; i < steps->size(); ++i) {
    read = ReadStep((*steps)[i], absl::StrCat("response.script[", i, "]"), &script);
    if (!read.ok()) return read;
  }
  return script;
}

std::string JsonQuote(absl::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tidemark
