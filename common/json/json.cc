#include "common/json/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kReadableWidth = 120;

const std::vector<Json>& NoItems() {
  static const std::vector<Json>* const none = new std::vector<Json>();
  return *none;
}

const std::vector<Json::Member>& NoMembers() {
  static const std::vector<Json::Member>* const none = new std::vector<Json::Member>();
  return *none;
}

// Doubles outside of [-2^63, 2^63) have no int64_t.
constexpr double kTwoTo63 = 9223372036854775808.0;

std::string DoubleText(double number) {
  if (!std::isfinite(number)) return "null";
  return nlohmann::json(number).dump();
}

std::string ScalarText(const Json& value) {
  if (value.IsNull()) return "null";
  if (const auto flag = value.AsBool()) return *flag ? "true" : "false";
  if (const std::string* text = value.AsString()) return QuoteJson(*text);
  return "";
}

bool IsScalar(const Json& value) { return !value.IsArray() && !value.IsObject(); }

bool AllScalar(const Json& value) {
  for (const Json& item : value.Items()) {
    if (!IsScalar(item)) return false;
  }
  for (const auto& [name, member] : value.Members()) {
    if (!IsScalar(member)) return false;
  }
  return true;
}

// Writes a value tree as text.
class Writer {
 public:
  // `readable` joins short rows of plain values.
  Writer(int indent, bool readable) : indent_(indent), readable_(readable) {}

  std::string Take() { return std::move(out_); }

  void Write(const Json& value, int depth) {
    if (value.IsArray()) return WriteArray(value, depth);
    if (value.IsObject()) return WriteObject(value, depth);
    out_ += value.Dump();
  }

 private:
  void WriteArray(const Json& value, int depth) {
    if (value.Items().empty()) return out_.append("[]"), void();
    const bool one_line = indent_ == 0 || (readable_ && AllScalar(value));
    absl::string_view separator = "";
    out_ += '[';
    for (const Json& item : value.Items()) {
      out_.append(separator.data(), separator.size());
      separator = one_line && indent_ > 0 ? ", " : ",";
      if (!one_line) NewLine(depth + 1);
      Write(item, depth + 1);
    }
    if (!one_line) NewLine(depth);
    out_ += ']';
  }

  void WriteObject(const Json& value, int depth) {
    if (value.Members().empty()) return out_.append("{}"), void();
    if (readable_ && AllScalar(value) && WriteShortObject(value, depth)) return;
    absl::string_view separator = "";
    out_ += '{';
    for (const auto& [name, member] : value.Members()) {
      out_.append(separator.data(), separator.size());
      separator = ",";
      if (indent_ > 0) NewLine(depth + 1);
      absl::StrAppend(&out_, QuoteJson(name), indent_ > 0 ? ": " : ":");
      Write(member, depth + 1);
    }
    if (indent_ > 0) NewLine(depth);
    out_ += '}';
  }

  // On one line, if it fits there.
  bool WriteShortObject(const Json& value, int depth) {
    std::string line = "{";
    for (const auto& [name, member] : value.Members()) {
      absl::StrAppend(&line, line.size() > 1 ? ", " : "", QuoteJson(name), ": ", member.Dump());
      if (line.size() + static_cast<size_t>(indent_ * depth) > kReadableWidth) return false;
    }
    absl::StrAppend(&out_, line, "}");
    return true;
  }

  void NewLine(int depth) {
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * static_cast<size_t>(depth), ' ');
  }

  const int indent_;
  const bool readable_;
  std::string out_;
};

}  // namespace

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::Array(std::vector<Json> items) {
  Json value;
  value.value_ = std::move(items);
  return value;
}

Json Json::Object(std::vector<Member> members) {
  Json value;
  value.value_ = std::move(members);
  return value;
}

std::optional<bool> Json::AsBool() const {
  const bool* flag = std::get_if<bool>(&value_);
  return flag == nullptr ? std::nullopt : std::optional<bool>(*flag);
}

std::optional<int64_t> Json::AsInt64() const {
  if (const auto* number = std::get_if<int64_t>(&value_)) return *number;
  if (const auto* number = std::get_if<double>(&value_)) {
    if (*number == std::trunc(*number) && *number >= -kTwoTo63 && *number < kTwoTo63) {
      return static_cast<int64_t>(*number);
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> Json::AsUint64() const {
  if (const auto* number = std::get_if<uint64_t>(&value_)) return *number;
  const std::optional<int64_t> number = AsInt64();
  if (!number.has_value() || *number < 0) return std::nullopt;
  return static_cast<uint64_t>(*number);
}

std::optional<double> Json::AsDouble() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* number = std::get_if<uint64_t>(&value_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<int64_t>(&value_)) return static_cast<double>(*number);
  return std::nullopt;
}

const std::vector<Json>& Json::Items() const& {
  const auto* items = std::get_if<std::vector<Json>>(&value_);
  return items == nullptr ? NoItems() : *items;
}

Json& Json::Append(Json item) {
  if (IsNull()) value_ = std::vector<Json>();
  std::get<std::vector<Json>>(value_).push_back(std::move(item));
  return *this;
}

const std::vector<Json::Member>& Json::Members() const& {
  const auto* members = std::get_if<std::vector<Member>>(&value_);
  return members == nullptr ? NoMembers() : *members;
}

const Json* Json::Find(absl::string_view name) const {
  for (const auto& [key, value] : Members()) {
    if (key == name) return &value;
  }
  return nullptr;
}

Json* Json::Find(absl::string_view name) {
  return const_cast<Json*>(static_cast<const Json*>(this)->Find(name));
}

Json& Json::Set(absl::string_view name, Json value) {
  if (IsNull()) value_ = std::vector<Member>();
  if (Json* existing = Find(name)) {
    *existing = std::move(value);
  } else {
    std::get<std::vector<Member>>(value_).emplace_back(std::string(name), std::move(value));
  }
  return *this;
}

std::string Json::Dump(int indent) const {
  if (const auto* number = std::get_if<int64_t>(&value_)) return absl::StrCat(*number);
  if (const auto* number = std::get_if<uint64_t>(&value_)) return absl::StrCat(*number);
  if (const auto* number = std::get_if<double>(&value_)) return DoubleText(*number);
  if (IsScalar(*this)) return ScalarText(*this);
  Writer writer(indent, /*readable=*/false);
  writer.Write(*this, 0);
  return writer.Take();
}

std::string Json::DumpReadable() const {
  Writer writer(2, /*readable=*/true);
  writer.Write(*this, 0);
  return writer.Take();
}

std::string QuoteJson(absl::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tidemark
