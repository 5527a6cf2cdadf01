#include "agent/http/response_head.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace tidemark {
namespace {

// The number in "HTTP/1.1 200 OK"; 0 when there is none.
int StatusOf(absl::string_view line) {
  const size_t blank = line.find(' ');
  int status = 0;
  if (blank == absl::string_view::npos) return 0;
  return absl::SimpleAtoi(line.substr(blank + 1, 3), &status) ? status : 0;
}

}  // namespace

void ResponseHead::OnLine(absl::string_view line, int64_t now, ResponseHandler* handler) {
  line = absl::StripTrailingAsciiWhitespace(line);
  if (state_ == State::kEnded) return;
  if (state_ == State::kStatus) {
    if (!absl::StartsWith(line, "HTTP/")) return;
    const int status = StatusOf(line);
    state_ = status >= 100 && status < 200 ? State::kInterim : State::kHeaders;
    if (state_ == State::kHeaders) handler->OnStatus(status, now);
    return;
  }
  if (line.empty()) {
    const bool interim = state_ == State::kInterim;
    state_ = interim ? State::kStatus : State::kEnded;
    if (!interim) handler->OnHeadersEnd(now);
    return;
  }
  const size_t colon = line.find(':');
  if (state_ != State::kHeaders || colon == absl::string_view::npos) return;
  handler->OnHeader(line.substr(0, colon),
                    absl::StripLeadingAsciiWhitespace(line.substr(colon + 1)));
}

}  // namespace tidemark
