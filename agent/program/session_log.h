#ifndef TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_
#define TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/core/session_machine/session_step.h"

namespace tidemark {

// Writes to the log what an operator wants to see of a session: when it stands, each level, and what may be wrong with
// certificates where it does not stand. From one thread.
class SessionLog {
 public:
  explicit SessionLog(bool tls) : tls_(tls) {}

  void OnStep(const SessionStep& step);

 private:
  void Hint(const std::string& reason);

  const bool tls_;
  bool connected_ = false;
  std::string hint_;  // said since it was last connected
};

// What to look at when a stream could not be opened because of `reason` (gRPC's and OpenSSL's words), which leave the
// one who has to mend it alone. Empty where there is nothing to add. Pure.
std::string HandshakeHint(absl::string_view reason, bool tls);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_
