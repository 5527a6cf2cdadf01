#ifndef TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_
#define TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_

#include "agent/core/session_machine/session_step.h"

namespace tidemark {

// Writes to the log what an operator wants to see of a session: when it stands, and each level. From one thread.
class SessionLog {
 public:
  void OnStep(const SessionStep& step);

 private:
  bool connected_ = false;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_PROGRAM_SESSION_LOG_H_
