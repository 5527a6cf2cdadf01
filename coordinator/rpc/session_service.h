#ifndef TIDEMARK_COORDINATOR_RPC_SESSION_SERVICE_H_
#define TIDEMARK_COORDINATOR_RPC_SESSION_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/rpc/authorizer.h"
#include "proto/tidemark/v1/agent_session.grpc.pb.h"

namespace tidemark {

// One agent's stream, as the coordinator sees it. Thread-safe. Outlives the call: after it has
// closed, Send does nothing.
class AgentStream {
 public:
  virtual ~AgentStream() = default;
  virtual void Send(v1::CoordinatorMessage message) = 0;
  // The handler is done with the last message: the next one may come. Once for each OnMessage; what the agent sends
  // meanwhile waits in the network's windows, not here.
  virtual void ReadNext() = 0;
  // Ends the call; SessionHandler::OnClosed follows.
  virtual void Close(const std::string& reason) = 0;
};

// What comes in. Calls come on gRPC's threads, for one stream one at a time: implementations only post
// to their owner's queue.
class SessionHandler {
 public:
  virtual ~SessionHandler() = default;
  // Before any message of the stream. `agent_id`: the only one that the agent's certificate allows it to
  // be; empty: any.
  virtual void OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) = 0;
  // The next follows only after stream->ReadNext().
  virtual void OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) = 0;
  virtual void OnClosed(const std::shared_ptr<AgentStream>& stream) = 0;
  // A chunk of records, of an agent that may be the one it says. `kept` is to be called once, on any thread, with the
  // offset up to which everything is kept; an error ends the upload. Its next chunk comes after that.
  virtual void OnRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) = 0;
};

// The AgentSession service: thin reactors that hand everything to `handler`. Calls that `authorizer` refuses
// the role agent end with its status and reach nobody; null, of the server inside one process: everyone is
// an agent. Both must outlive the server that the service is registered with.
std::unique_ptr<v1::AgentSession::CallbackService> NewSessionService(SessionHandler* handler, Authorizer* authorizer);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_SESSION_SERVICE_H_
