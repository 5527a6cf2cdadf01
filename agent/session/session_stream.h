#ifndef TIDEMARK_AGENT_SESSION_SESSION_STREAM_H_
#define TIDEMARK_AGENT_SESSION_SESSION_STREAM_H_

#include <functional>
#include <memory>
#include <string>

#include "proto/tidemark/v1/agent_session.grpc.pb.h"

namespace tidemark {

// What a stream brings. Called on gRPC's threads, one at a time: only post to the owner's queue.
struct SessionStreamEvents {
  std::function<void(v1::CoordinatorMessage)> message;
  // Last, also after Close. Nothing of gRPC is held for the call any more, so a channel may go when the
  // last stream has told this; it must not hold the channel itself.
  std::function<void(std::string reason)> lost;
};

// The agent's end of one Session call. Thread-safe. Dropping it cancels the call if it has not ended.
class SessionStream {
 public:
  virtual ~SessionStream() = default;
  virtual void Send(v1::AgentMessage message) = 0;
  // Ends the call in good order: what was sent still arrives. `lost` follows when the other side is there.
  virtual void Close() = 0;
};

// Starts the call; it may be sent to at once. `stub` must outlive the stream's last event.
std::unique_ptr<SessionStream> OpenSessionStream(v1::AgentSession::Stub* stub, SessionStreamEvents events);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_SESSION_STREAM_H_
