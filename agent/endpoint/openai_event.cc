#include "agent/endpoint/openai_event.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::key_value_pair;
using simdjson::dom::object;

constexpr int kMaxErrorCode = 999'999;
constexpr double kMaxCount = 1e9;

// The string of `value`; empty when it is none (null, a number …).
std::string_view TextOf(element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<object> ObjectOf(element value) {
  object found;
  if (value.get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<array> ArrayOf(element value) {
  array found;
  if (value.get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

// A count; some servers write it as a float. What is larger than any count is none: sums and products
// of counts must not wrap, whatever a server says.
std::optional<uint64_t> CountOf(element value) {
  double number = 0;  // holds every count exactly
  if (value.get(number) != simdjson::SUCCESS) return std::nullopt;
  if (!(number >= 0 && number <= kMaxCount)) return std::nullopt;
  return static_cast<uint64_t>(number);
}

// A numeric code, given as a number or a string; 0 when it is neither ("rate_limit_exceeded").
int CodeOf(element value) {
  int64_t code = 0;
  if (value.get(code) != simdjson::SUCCESS) {
    const std::string_view text = TextOf(value);
    if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &code)) return 0;
  }
  return code >= 0 && code <= kMaxErrorCode ? static_cast<int>(code) : 0;
}

// What an `error` field says: null, false and "" say nothing.
bool IsError(element value) {
  if (value.is_null()) return false;
  bool flag = false;
  if (value.get(flag) == simdjson::SUCCESS) return flag;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return !text.empty();
  return true;
}

void Keep(std::string_view text, bool keep_output, ParsedEvent* parsed) {
  if (keep_output) parsed->output.append(text.data(), text.size());
}

void ReadText(element value, bool keep_output, ParsedEvent* parsed);

// Content given in parts: [{"type":"text","text":"…"}].
void ReadTextParts(array parts, bool keep_output, ParsedEvent* parsed) {
  for (const element part : parts) {
    const std::optional<object> fields = ObjectOf(part);
    if (!fields) continue;
    for (const key_value_pair field : *fields) {
      if (field.key == "text") ReadText(field.value, keep_output, parsed);
    }
  }
}

void ReadText(element value, bool keep_output, ParsedEvent* parsed) {
  const std::string_view text = TextOf(value);
  if (!text.empty()) {
    parsed->text = true;
    Keep(text, keep_output, parsed);
  } else if (const std::optional<array> parts = ArrayOf(value)) {
    ReadTextParts(*parts, keep_output, parsed);
  }
}

void ReadReasoning(element value, bool keep_output, ParsedEvent* parsed) {
  const std::string_view text = TextOf(value);
  if (text.empty()) return;
  parsed->reasoning = true;
  Keep(text, keep_output, parsed);
}

// {"name":"f","arguments":"{…"}: output when either is not empty.
void ReadFunction(element value, bool keep_output, ParsedEvent* parsed) {
  const std::optional<object> function = ObjectOf(value);
  if (!function) return;
  for (const key_value_pair field : *function) {
    if (field.key != "name" && field.key != "arguments") continue;
    const std::string_view text = TextOf(field.value);
    const std::optional<object> whole = ObjectOf(field.value);
    if (text.empty() && !(whole && whole->size() > 0)) continue;
    parsed->tool_call = true;
    Keep(text, keep_output, parsed);
  }
}

void ReadToolCalls(element value, bool keep_output, ParsedEvent* parsed) {
  const std::optional<array> calls = ArrayOf(value);
  if (!calls) return;
  for (const element call : *calls) {
    const std::optional<object> fields = ObjectOf(call);
    if (!fields) continue;
    for (const key_value_pair field : *fields) {
      if (field.key == "function") ReadFunction(field.value, keep_output, parsed);
    }
  }
}

// A `delta` (streaming) or `message` (not).
void ReadMessage(element value, bool keep_output, ParsedEvent* parsed) {
  const std::optional<object> message = ObjectOf(value);
  if (!message) return;
  for (const key_value_pair field : *message) {
    if (field.key == "content" || field.key == "refusal") {
      ReadText(field.value, keep_output, parsed);
    } else if (field.key == "reasoning_content" || field.key == "reasoning") {
      ReadReasoning(field.value, keep_output, parsed);
    } else if (field.key == "tool_calls") {
      ReadToolCalls(field.value, keep_output, parsed);
    } else if (field.key == "function_call") {
      ReadFunction(field.value, keep_output, parsed);
    }
  }
}

// True when the choice ended. "error" and "abort" are how some servers say that the engine failed.
bool ReadFinishReason(element value, ParsedEvent* parsed) {
  const std::string_view reason = TextOf(value);
  if (reason == "error" || reason == "abort") parsed->error = true;
  return !reason.empty();
}

void ReadChoice(element value, uint64_t position, bool keep_output, ParsedEvent* parsed) {
  const std::optional<object> choice = ObjectOf(value);
  if (!choice) return;
  uint64_t index = position;
  bool finished = false;
  for (const key_value_pair field : *choice) {
    if (field.key == "index") {
      index = CountOf(field.value).value_or(position);
    } else if (field.key == "delta" || field.key == "message") {
      ReadMessage(field.value, keep_output, parsed);
    } else if (field.key == "text") {
      ReadText(field.value, keep_output, parsed);
    } else if (field.key == "finish_reason") {
      finished = ReadFinishReason(field.value, parsed);
    }
  }
  const uint64_t bit = uint64_t{1} << std::min<uint64_t>(index, 63);
  ++parsed->choices;
  parsed->seen_choices |= bit;
  if (finished) parsed->finished_choices |= bit;
}

void ReadChoices(element value, bool keep_output, ParsedEvent* parsed) {
  const std::optional<array> choices = ArrayOf(value);
  if (!choices) return;
  uint64_t position = 0;
  for (const element choice : *choices) ReadChoice(choice, position++, keep_output, parsed);
}

// {"reasoning_tokens":3}: one count of a details object.
void ReadDetail(element value, std::string_view name, std::optional<uint64_t>* count) {
  const std::optional<object> details = ObjectOf(value);
  if (!details) return;
  for (const key_value_pair field : *details) {
    if (field.key != name) continue;
    if (const std::optional<uint64_t> found = CountOf(field.value)) *count = found;
  }
}

void ReadUsage(element value, ParsedEvent* parsed) {
  const std::optional<object> usage = ObjectOf(value);
  if (!usage) return;
  for (const key_value_pair field : *usage) {
    if (field.key == "prompt_tokens") {
      parsed->prompt_tokens = CountOf(field.value);
    } else if (field.key == "completion_tokens") {
      parsed->completion_tokens = CountOf(field.value);
    } else if (field.key == "reasoning_tokens") {
      parsed->reasoning_tokens = CountOf(field.value);
    } else if (field.key == "completion_tokens_details") {
      ReadDetail(field.value, "reasoning_tokens", &parsed->reasoning_tokens);
    } else if (field.key == "prompt_tokens_details") {
      ReadDetail(field.value, "cached_tokens", &parsed->cached_tokens);
    }
  }
}

// The `error` field: an object whose code may be numeric, or a string.
void ReadError(element value, ParsedEvent* parsed) {
  if (!IsError(value)) return;
  parsed->error = true;
  const std::optional<object> error = ObjectOf(value);
  if (!error) return;
  for (const key_value_pair field : *error) {
    if (field.key == "code") parsed->error_code = CodeOf(field.value);
  }
}

void ReadRoot(object root, bool error_event, bool keep_output, ParsedEvent* parsed) {
  parsed->error = error_event;
  bool error_object = false;  // {"object":"error","message":…,"code":400}
  int top_code = 0;
  for (const key_value_pair field : root) {
    if (field.key == "choices") {
      ReadChoices(field.value, keep_output, parsed);
    } else if (field.key == "usage") {
      ReadUsage(field.value, parsed);
    } else if (field.key == "error") {
      ReadError(field.value, parsed);
    } else if (field.key == "error_type") {
      if (IsError(field.value)) parsed->error = true;
    } else if (field.key == "object") {
      error_object = TextOf(field.value) == "error";
    } else if (field.key == "code") {
      top_code = CodeOf(field.value);
    }
  }
  if (error_object) parsed->error = true;
  if (parsed->error_code == 0 && (error_event || error_object)) parsed->error_code = top_code;
}

}  // namespace

absl::Status OpenAiEventReader::Read(absl::string_view json, bool error_event, bool keep_output,
                                     ParsedEvent* parsed) {
  const size_t needed = json.size() + simdjson::SIMDJSON_PADDING;
  if (padded_.size() < needed) padded_.resize(std::max(needed, padded_.size() * 2));
  std::memcpy(padded_.data(), json.data(), json.size());
  element root;
  const simdjson::error_code error =
      parser_.parse(padded_.data(), json.size(), /*realloc_if_needed=*/false).get(root);
  if (error != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON: ", simdjson::error_message(error)));
  }
  const std::optional<object> fields = ObjectOf(root);
  if (!fields) return absl::InvalidArgumentError("JSON, but not an object");
  ReadRoot(*fields, error_event, keep_output, parsed);
  return absl::OkStatus();
}

}  // namespace tidemark
