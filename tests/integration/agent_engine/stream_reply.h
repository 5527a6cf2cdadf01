#ifndef TIDEMARK_TESTS_INTEGRATION_AGENT_ENGINE_STREAM_REPLY_H_
#define TIDEMARK_TESTS_INTEGRATION_AGENT_ENGINE_STREAM_REPLY_H_

#include <string>
#include <vector>

#include "tests/support/memory_transport.h"
#include "tests/support/scripted_server.h"

namespace tidemark {

// A streamed answer of three tokens over real sockets, the first after `first_millis`.
inline std::vector<ServerStep> StreamReply(int first_millis) {
  std::vector<ServerStep> steps = {ScriptedServer::Send(ScriptedServer::ChunkedHead()),
                                   ScriptedServer::Pause(first_millis)};
  for (const WireStep& step : MemoryTransport::Stream(3, 0, 0)) {
    if (step.kind == WireStep::Kind::kBody)
      steps.push_back(ScriptedServer::Send(ScriptedServer::Chunk(step.bytes)));
  }
  steps.back().bytes += ScriptedServer::Chunk("");
  return steps;
}

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_INTEGRATION_AGENT_ENGINE_STREAM_REPLY_H_
