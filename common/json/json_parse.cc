#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/json.h"

namespace tidemark {
namespace {

constexpr size_t kMaxDepth = 200;

// Takes nlohmann's events and builds the tree; stops at the first fault.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Put(Json()); }
  bool boolean(bool value) override { return Put(Json(value)); }
  bool number_integer(int64_t value) override { return Put(Json(value)); }
  bool number_unsigned(uint64_t value) override { return Put(Json(value)); }
  bool number_float(double value, const std::string&) override { return Put(Json(value)); }
  bool string(std::string& value) override { return Put(Json(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) override { return Fail("binary data"); }
  bool start_object(size_t) override { return Open(Json::Object()); }
  bool start_array(size_t) override { return Open(Json::Array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    if (open_.back().value.Find(name) != nullptr) {
      return Fail(absl::StrCat("member ", QuoteJson(name), " is there twice"));
    }
    open_.back().member = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_position_ = position;
    return Fail(WithoutPrefix(error.what()));
  }

  Json Take() { return std::move(root_); }
  const std::string& error() const { return error_; }
  size_t error_position() const { return error_position_; }  // 0: not known

 private:
  struct Container {
    Json value;
    std::string member;
  };

  // Inlined where the value's kind is known, GCC 12 warns of the kinds that it is not.
  [[gnu::noinline]] bool Put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.IsArray()) {
      open_.back().value.Append(std::move(value));
    } else {
      open_.back().value.Set(open_.back().member, std::move(value));
    }
    return true;
  }

  bool Open(Json container) {
    if (open_.size() >= kMaxDepth) return Fail(absl::StrCat("nested over ", kMaxDepth, " deep"));
    open_.push_back({std::move(container), ""});
    return true;
  }

  bool Close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return Put(std::move(value));
  }

  bool Fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  // nlohmann says "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error
  // while parsing value - …"; the place is ours to say.
  static std::string WithoutPrefix(const std::string& what) {
    const size_t colon = what.find(": ");
    return colon == std::string::npos ? what : what.substr(colon + 2);
  }

  Json root_;
  std::vector<Container> open_;
  std::string error_;
  size_t error_position_ = 0;
};

std::string Place(absl::string_view text, size_t position) {
  const absl::string_view before =
      text.substr(0, std::min(position == 0 ? 0 : position - 1, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n');
  const size_t column =
      line_start == absl::string_view::npos ? before.size() : before.size() - line_start - 1;
  return absl::StrCat("line ", lines + 1, ", column ", column + 1);
}

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text, absl::string_view what) {
  TreeBuilder builder;
  // A SAX parse reports through the builder and throws nothing of its own.
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.Take();
  const std::string place = builder.error_position() == 0
                                ? ""
                                : absl::StrCat(Place(text, builder.error_position()), ": ");
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", place, builder.error()));
}

}  // namespace tidemark
