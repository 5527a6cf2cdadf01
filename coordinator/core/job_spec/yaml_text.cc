#include "coordinator/core/job_spec/yaml_text.h"

#include <cctype>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <sstream>

#include <yaml-cpp/eventhandler.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "coordinator/core/job_spec/job_file.h"

namespace tidemark {
namespace {

constexpr int kMostNodes = 20'000;
constexpr int kMostDepth = 32;

absl::Status Problem(absl::string_view file_name, const YAML::Mark& mark,
                     absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(PlaceOf(file_name, mark), ": ", problem));
}

// Walks the text's events once, without building anything, and notes the first bound it exceeds.
class BoundsCheck final : public YAML::EventHandler {
 public:
  struct Excess {
    YAML::Mark mark;
    std::string problem;
  };
  const std::optional<Excess>& excess() const { return excess_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Note(mark, "a second document: a job file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Note(mark, "an alias (*name): write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    Count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Enter(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Enter(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void Note(const YAML::Mark& mark, absl::string_view problem) {
    if (!excess_) excess_ = Excess{mark, std::string(problem)};
  }
  void Count(const YAML::Mark& mark) {
    if (++nodes_ > kMostNodes) {
      Note(mark, absl::StrCat("more than ", kMostNodes, " values: this is no job file"));
    }
  }
  void Enter(const YAML::Mark& mark) {
    Count(mark);
    if (++depth_ > kMostDepth) {
      Note(mark, absl::StrCat("nested more than ", kMostDepth, " deep: this is no job file"));
    }
  }

  int documents_ = 0;
  int nodes_ = 0;
  int depth_ = 0;
  std::optional<Excess> excess_;
};

absl::Status CheckBounds(const std::string& text, absl::string_view file_name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  BoundsCheck check;
  while (!check.excess() && parser.HandleNextDocument(check)) {
  }
  if (check.excess()) return Problem(file_name, check.excess()->mark, check.excess()->problem);
  return absl::OkStatus();
}

absl::StatusOr<YAML::Node> Load(const std::string& text, absl::string_view file_name) {
  try {
    const absl::Status bounds = CheckBounds(text, file_name);
    if (!bounds.ok()) return bounds;
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    return Problem(file_name, error.mark, absl::StrCat("no valid YAML: ", error.msg));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": no valid YAML: ", error.what()));
  }
}

size_t SkipDigits(absl::string_view text, size_t at) {
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// JSON's grammar of numbers, exactly.
bool IsJsonNumber(absl::string_view text) {
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const size_t integer = at;
  at = SkipDigits(text, at);
  if (at == integer || (text[integer] == '0' && at > integer + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = at + 1;
    at = SkipDigits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t exponent = at;
    at = SkipDigits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

std::string ScalarToJson(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool plain = node.Tag() != "!";
  if (plain && (text == "null" || text == "~")) return "null";
  if (plain && (text == "true" || text == "false" || IsJsonNumber(text))) return text;
  return JsonString(text);
}

absl::StatusOr<std::string> MapToJson(const YAML::Node& node, absl::string_view file_name) {
  std::string json = "{";
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) return Problem(file_name, entry.first.Mark(), "a key that is no text");
    const std::string key = entry.first.Scalar();
    if (!seen.insert(key).second) {
      return Problem(file_name, entry.first.Mark(), absl::StrCat("key \"", key, "\" twice"));
    }
    absl::StatusOr<std::string> value = NodeToJson(entry.second, file_name);
    if (!value.ok()) return value;
    absl::StrAppend(&json, json.size() > 1 ? "," : "", JsonString(key), ":", *value);
  }
  return json + "}";
}

absl::StatusOr<std::string> ListToJson(const YAML::Node& node, absl::string_view file_name) {
  std::string json = "[";
  for (const YAML::Node& item : node) {
    absl::StatusOr<std::string> value = NodeToJson(item, file_name);
    if (!value.ok()) return value;
    absl::StrAppend(&json, json.size() > 1 ? "," : "", *value);
  }
  return json + "]";
}

// The bytes of the UTF-8 character at `at`; 0 when there is none.
size_t Utf8Length(absl::string_view text, size_t at) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const size_t length = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return 0;
  if (at + length > text.size()) return 0;
  for (size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xED && byte(at + 1) > 0x9F) return 0;
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) > 0x8F) return 0;
  return length;
}

std::string EscapeAscii(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) return std::string(1, c);
  char escaped[8];
  std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
  return escaped;
}

}  // namespace

std::string PlaceOf(absl::string_view file_name, const YAML::Mark& mark) {
  const absl::string_view colon = file_name.empty() ? "" : ":";
  if (mark.is_null()) return std::string(file_name);
  return absl::StrCat(file_name, colon, mark.line + 1, ":", mark.column + 1);
}

absl::StatusOr<YAML::Node> LoadBoundedMap(absl::string_view text, absl::string_view file_name) {
  if (text.size() > kLargestJobFile) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": ", text.size(), " bytes: at most ",
                                                   kLargestJobFile, " are a job file"));
  }
  absl::StatusOr<YAML::Node> node = Load(std::string(text), file_name);
  if (!node.ok()) return node;
  if (!node->IsMap()) {
    const absl::string_view what = node->IsDefined() && !node->IsNull() ? "no map of keys" : "empty";
    return absl::InvalidArgumentError(
        absl::StrCat(PlaceOf(file_name, YAML::Mark()), ": ", what,
                     ": want keys and values, as \"endpoint: {url: http://host:8000}\""));
  }
  return node;
}

absl::StatusOr<std::string> NodeToJson(const YAML::Node& node, absl::string_view file_name) {
  if (node.IsMap()) return MapToJson(node, file_name);
  if (node.IsSequence()) return ListToJson(node, file_name);
  if (node.IsScalar()) return ScalarToJson(node);
  return "null";
}

std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text, at);
    if (length == 0) {
      json += "\xEF\xBF\xBD";
    } else if (length == 1) {
      json += EscapeAscii(text[at]);
    } else {
      absl::StrAppend(&json, text.substr(at, length));
    }
    at += length == 0 ? 1 : length;
  }
  return json + "\"";
}

}  // namespace tidemark
