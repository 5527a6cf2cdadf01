#include "agent/endpoint/error_body.h"

#include <simdjson.h>

#include <string>

#include "absl/strings/match.h"

namespace tidemark {

bool SaysThrottled(absl::string_view body) {
  if (absl::StrContains(body, "ThrottlingException")) return true;
  // Error bodies are rare and short: a parser of its own is cheaper than one kept for them.
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(body.data(), body.size(), true).get(object) != simdjson::SUCCESS) return false;
  for (const simdjson::dom::key_value_pair field : object) {
    if ((field.key == "message" || field.key == "Message") && field.value.is_null()) return true;
  }
  return false;
}

}  // namespace tidemark
