// JSON of the control path: values, reading, writing. The one door to nlohmann-json, which only
// json.cc and json_parse.cc include (the per-event path of the agent parses with simdjson).
#ifndef TIDEMARK_COMMON_JSON_JSON_H_
#define TIDEMARK_COMMON_JSON_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// A JSON value. Objects keep the order in which their members were set. Integers stay exact over
// the ranges of int64_t and uint64_t. A plain value: copyable, thread-compatible.
//
//   Json level = Json::Object();
//   level.Set("concurrency", 16).Set("tags", Json::Array({"a", "b"}));
//   std::string text = level.Dump(2);
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;  // null
  // Not inline: g++ 12 otherwise takes the unused parts of a moved variant for uninitialized.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  // NOLINTBEGIN(google-explicit-constructor): a value is written as it is in JSON.
  Json(std::nullptr_t) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename View, std::enable_if_t<std::is_same_v<View, absl::string_view>, int> = 0>
  Json(View text) : value_(std::string(text)) {}
  template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Json(Number number) : value_(Widened(number)) {
    if constexpr (std::is_unsigned_v<Number> && sizeof(Number) == sizeof(uint64_t)) {
      if (number > uint64_t{INT64_MAX}) value_.template emplace<uint64_t>(number);
    }
  }
  // NOLINTEND(google-explicit-constructor)

  static Json Array(std::vector<Json> items = {});
  static Json Object(std::vector<Member> members = {});

  bool IsNull() const { return std::holds_alternative<std::monostate>(value_); }
  bool IsArray() const { return std::holds_alternative<std::vector<Json>>(value_); }
  bool IsObject() const { return std::holds_alternative<std::vector<Member>>(value_); }

  // Nothing when the value is of another kind, or a number out of the type's range. AsDouble reads
  // every number.
  std::optional<bool> AsBool() const;
  std::optional<int64_t> AsInt64() const;
  std::optional<uint64_t> AsUint64() const;
  std::optional<double> AsDouble() const;
  const std::string* AsString() const { return std::get_if<std::string>(&value_); }

  // Of an array; an empty list for every other kind.
  const std::vector<Json>& Items() const&;
  void Items() const&& = delete;  // it would dangle, in a range-for for one
  // Appends. REQUIRES: an array, or null, which becomes one.
  Json& Append(Json item);

  // Of an object; an empty list for every other kind.
  const std::vector<Member>& Members() const&;
  void Members() const&& = delete;
  // The member of that name; null when there is none or this is no object. The pointer lives until
  // the object changes.
  const Json* Find(absl::string_view name) const;
  Json* Find(absl::string_view name);
  // Sets a member: in place when it exists, else as the last. REQUIRES: an object, or null, which
  // becomes one.
  Json& Set(absl::string_view name, Json value);

  // Text: on one line when `indent` is 0, else one item or member a line. Numbers do not depend on
  // the locale and read back exactly; NaN and the infinities are written as null, for JSON has no
  // other word; bytes that are no UTF-8 become U+FFFD.
  std::string Dump(int indent = 0) const;
  // As Dump(2), but arrays of plain values, and small objects of them, stay on one line: for
  // documents that people read too.
  std::string DumpReadable() const;

  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }
  friend bool operator!=(const Json& a, const Json& b) { return !(a == b); }

 private:
  template <typename Number>
  static auto Widened(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return number;
    } else if constexpr (std::is_floating_point_v<Number>) {
      return static_cast<double>(number);
    } else {
      return static_cast<int64_t>(number);
    }
  }

  // Holds uint64_t only beyond int64_t, so that equal integers are equal values.
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;
};

// Reads one JSON document. `what` names it in errors ("result.json").
// Error: InvalidArgument with what, line, column and the reason; also for a member named twice and
// for nesting over 200 deep.
absl::StatusOr<Json> ParseJson(absl::string_view text, absl::string_view what);

// The text as a JSON string, quotes included.
std::string QuoteJson(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_JSON_JSON_H_
