#include "coordinator/report/result_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/json/json.h"

namespace tidemark {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int64_t kExactInDouble = int64_t{1} << 53;

bool Is64Bit(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

Json Tidied(const Json& value, const FieldDescriptor& field);

Json TidiedMessage(const Json& value, const Descriptor& type) {
  Json tidy = Json::Object();
  for (const auto& [name, member] : value.Members()) {
    const FieldDescriptor* field = type.FindFieldByName(name);
    tidy.Set(name, field == nullptr ? member : Tidied(member, *field));
  }
  return tidy;
}

// Protobuf's maps have no order; ours in the file is that of the keys.
Json TidiedMap(const Json& value, const FieldDescriptor& field) {
  std::vector<Json::Member> members = value.Members();
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Json tidy = Json::Object();
  for (const auto& [key, member] : members) {
    tidy.Set(key, Tidied(member, *field.message_type()->map_value()));
  }
  return tidy;
}

Json TidiedScalar(const Json& value, const FieldDescriptor& field) {
  const std::string* text = value.AsString();
  int64_t number = 0;
  if (text == nullptr || !Is64Bit(field) || !absl::SimpleAtoi(*text, &number)) return value;
  return number < kExactInDouble && number > -kExactInDouble ? Json(number) : value;
}

Json Tidied(const Json& value, const FieldDescriptor& field) {
  if (field.is_map()) return TidiedMap(value, field);
  if (value.IsArray()) {
    Json tidy = Json::Array();
    for (const Json& item : value.Items()) {
      tidy.Append(field.message_type() == nullptr ? TidiedScalar(item, field)
                                                  : TidiedMessage(item, *field.message_type()));
    }
    return tidy;
  }
  if (field.message_type() != nullptr) return TidiedMessage(value, *field.message_type());
  return TidiedScalar(value, field);
}

absl::string_view Major(absl::string_view version) { return version.substr(0, version.find('.')); }

absl::Status CheckSchema(const Json& document) {
  const Json* version = document.Find("schema_version");
  if (version == nullptr || version->AsString() == nullptr) {
    return absl::InvalidArgumentError(
        "result.json: schema_version is missing: this is no Tidemark result");
  }
  if (Major(*version->AsString()) == Major(kResultSchemaVersion)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("result.json: schema_version ", QuoteJson(*version->AsString()),
                   " is of another major; this build reads ", Major(kResultSchemaVersion),
                   ".x: use the tidemark that wrote it"));
}

}  // namespace

std::string MessageJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  // Fails only for strings that are not UTF-8, which the result builder never lets in.
  (void)google::protobuf::util::MessageToJsonString(message, &text, options);
  const absl::StatusOr<Json> document = ParseJson(text, "result.json");
  if (!document.ok()) return text;
  return TidiedMessage(*document, *message.GetDescriptor()).DumpReadable() + "\n";
}

std::string ResultJson(const v1::Result& result) { return MessageJson(result); }

absl::StatusOr<v1::Result> ReadResultJson(absl::string_view text) {
  const absl::StatusOr<Json> document = ParseJson(text, "result.json");
  if (!document.ok()) return document.status();
  if (absl::Status status = CheckSchema(*document); !status.ok()) return status;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::Result result;
  const auto status =
      google::protobuf::util::JsonStringToMessage(std::string(text), &result, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("result.json: ", std::string(status.message())));
  }
  return result;
}

}  // namespace tidemark
