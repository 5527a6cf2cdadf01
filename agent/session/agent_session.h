#ifndef TIDEMARK_AGENT_SESSION_AGENT_SESSION_H_
#define TIDEMARK_AGENT_SESSION_AGENT_SESSION_H_

#include <functional>
#include <memory>
#include <string>

#include <grpcpp/channel.h>

#include "agent/core/session_machine/session_step.h"
#include "agent/engine/engine.h"
#include "agent/session/prober.h"
#include "common/clock/clock.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

struct AgentSessionOptions {
  v1::Hello hello;                         // of host_facts
  std::shared_ptr<grpc::Channel> channel;  // to the coordinator
  Engine* engine = nullptr;                // must outlive the session
  ProberOptions prober;                    // `cancelled` is set by the session
  std::function<void(const std::string& reason, bool failed)> exited;  // posted from the session's thread
  std::function<void(const SessionStep&)> observe;  // each turn, on the session's thread: quick. May be null
};

// An agent's life: keeps the session with the coordinator, and runs what it is told on the engine.
// One thread of its own owns the pure machine (agent/core/session_machine); probes and record
// uploads run on threads that end with the session. Thread-safe.
class AgentSession {
 public:
  // Starts at once. `clock` must outlive it.
  AgentSession(AgentSessionOptions options, const Clock* clock);
  // Leaves: gives up what runs, says so, and waits for its threads. Bounded.
  ~AgentSession();

  // Starts to leave; `exited` follows.
  void Leave(const std::string& reason);

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_AGENT_SESSION_H_
