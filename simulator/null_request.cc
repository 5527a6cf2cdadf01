#include "simulator/null_request.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kMostHeadBytes = 64 * 1024;
constexpr size_t kMostBodyBytes = 64 * 1024 * 1024;
constexpr uint32_t kMostEvents = 10'000'000;
constexpr absl::string_view kHeadEnd = "\r\n\r\n";

// As much of the client's text as an error should repeat.
absl::string_view Shown(absl::string_view text) { return text.substr(0, 80); }

absl::Status CutLine(absl::string_view line, absl::string_view* method, absl::string_view* path) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == absl::string_view::npos || last == first || !absl::StartsWith(line.substr(last + 1), "HTTP/1.")) {
    return absl::InvalidArgumentError(
        absl::StrCat("request line '", Shown(line), "': send METHOD /path HTTP/1.1"));
  }
  *method = line.substr(0, first);
  *path = line.substr(first + 1, last - first - 1);
  *path = path->substr(0, path->find('?'));
  return absl::OkStatus();
}

class HeadReader {
 public:
  // `head`: all lines, without the empty one.
  absl::Status Read(absl::string_view head) {
    const size_t line_end = std::min(head.find("\r\n"), head.size());
    absl::Status status = CutLine(head.substr(0, line_end), &method_, &path_);
    request_.close = absl::EndsWith(head.substr(0, line_end), "HTTP/1.0");
    for (size_t at = line_end; status.ok() && at < head.size();) {
      at += 2;
      const size_t end = std::min(head.find("\r\n", at), head.size());
      status = ReadHeader(head.substr(at, end - at));
      at = end;
    }
    return status;
  }

  NullRequest::Kind kind() const {
    if (method_ == "POST") return path_ == "/v1/completions" ? NullRequest::Kind::kText : NullRequest::Kind::kChat;
    if (method_ != "GET") return NullRequest::Kind::kUnknownPath;
    if (path_ == "/v1/models") return NullRequest::Kind::kModels;
    return path_ == "/health" ? NullRequest::Kind::kHealth : NullRequest::Kind::kUnknownPath;
  }
  size_t length() const { return length_; }
  const NullRequest& request() const { return request_; }

 private:
  absl::Status ReadHeader(absl::string_view line) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos || colon == 0) {
      return absl::InvalidArgumentError(absl::StrCat("header '", Shown(line), "': send Name: value"));
    }
    const absl::string_view name = line.substr(0, colon);
    const absl::string_view value = absl::StripAsciiWhitespace(line.substr(colon + 1));
    if (absl::EqualsIgnoreCase(name, "content-length")) return ReadLength(value);
    if (absl::EqualsIgnoreCase(name, "transfer-encoding")) {
      return absl::InvalidArgumentError(
          absl::StrCat("transfer-encoding '", Shown(value), "': send the body with a content-length"));
    }
    if (absl::EqualsIgnoreCase(name, "expect")) request_.expects_continue = true;
    if (absl::EqualsIgnoreCase(name, "connection")) {
      if (absl::EqualsIgnoreCase(value, "close")) request_.close = true;
      if (absl::EqualsIgnoreCase(value, "keep-alive")) request_.close = false;
    }
    return absl::OkStatus();
  }

  absl::Status ReadLength(absl::string_view value) {
    uint64_t length = 0;
    const bool digits = !value.empty() && std::all_of(value.begin(), value.end(), absl::ascii_isdigit);
    if (!digits || !absl::SimpleAtoi(value, &length) || length > kMostBodyBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("content-length '", Shown(value), "': send a whole number up to ", kMostBodyBytes));
    }
    length_ = length;
    return absl::OkStatus();
  }

  absl::string_view method_, path_;
  NullRequest request_;
  size_t length_ = 0;
};

// The text after `"key":` and blanks; nothing when there is no such key.
std::optional<absl::string_view> ValueOf(absl::string_view quoted_key, absl::string_view body) {
  for (size_t at = body.find(quoted_key); at != absl::string_view::npos; at = body.find(quoted_key, at + 1)) {
    const absl::string_view rest = absl::StripLeadingAsciiWhitespace(body.substr(at + quoted_key.size()));
    if (absl::StartsWith(rest, ":")) return absl::StripLeadingAsciiWhitespace(rest.substr(1));
  }
  return std::nullopt;
}

absl::Status ReadEvents(absl::string_view body, uint32_t* events) {
  for (const absl::string_view key : {R"("max_completion_tokens")", R"("max_tokens")"}) {
    const std::optional<absl::string_view> value = ValueOf(key, body);
    if (!value.has_value() || absl::StartsWith(*value, "null")) continue;
    const auto* end = std::find_if_not(value->begin(), value->end(), absl::ascii_isdigit);
    const absl::string_view digits = value->substr(0, static_cast<size_t>(end - value->begin()));
    const bool whole = end == value->end() || (*end != '.' && *end != 'e' && *end != 'E');
    if (whole && absl::SimpleAtoi(digits, events) && *events >= 1 && *events <= kMostEvents) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(key, " is '", Shown(value->substr(0, 20)),
                                                   "': send a whole number from 1 to ", kMostEvents));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NullRequest> LookAtNullRequest(absl::string_view bytes) {
  const size_t head_end = bytes.substr(0, kMostHeadBytes).find(kHeadEnd);
  if (head_end == absl::string_view::npos) {
    if (bytes.size() < kMostHeadBytes) return NullRequest();
    return absl::InvalidArgumentError(absl::StrCat("head: no end in ", kMostHeadBytes, " bytes; send a shorter one"));
  }
  HeadReader head;
  absl::Status status = head.Read(bytes.substr(0, head_end));
  if (!status.ok()) return status;
  NullRequest request = head.request();
  request.bytes = head_end + kHeadEnd.size() + head.length();
  if (bytes.size() < request.bytes) return request;
  request.kind = head.kind();
  request.body = bytes.substr(head_end + kHeadEnd.size(), head.length());
  const bool streams = request.kind == NullRequest::Kind::kChat || request.kind == NullRequest::Kind::kText;
  if (streams) status = ReadEvents(request.body, &request.events);
  if (!status.ok()) return status;
  return request;
}

}  // namespace tidemark
