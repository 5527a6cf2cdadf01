#ifndef TIDEMARK_AGENT_HTTP_RESPONSE_HEAD_H_
#define TIDEMARK_AGENT_HTTP_RESPONSE_HEAD_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "agent/http/transport.h"

namespace tidemark {

// Turns the lines of a response's head into handler calls: interim (1xx) responses are passed over,
// and what comes after the head's end (trailers) is left out. Pure; thread-compatible.
class ResponseHead {
 public:
  void Reset() { state_ = State::kStatus; }
  // `line` with or without its line end.
  void OnLine(absl::string_view line, int64_t now, ResponseHandler* handler);
  bool ended() const { return state_ == State::kEnded; }

 private:
  enum class State { kStatus, kInterim, kHeaders, kEnded };
  State state_ = State::kStatus;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_RESPONSE_HEAD_H_
