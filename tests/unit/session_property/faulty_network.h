#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAULTY_NETWORK_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAULTY_NETWORK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "common/rng/rng.h"
#include "coordinator/core/agents/agent_hub.h"
#include "tests/unit/session_property/simulated_time.h"

namespace tidemark {

struct NetworkOptions {
  bool gentle = false;  // small delays, and both ends soon know that a stream broke
};

// In-memory streams between agents and a coordinator that behave as gRPC's do: what one end writes arrives in order, or
// a first part of it when the stream breaks; each end learns of the break by itself, at once or much later, so that what
// was written on an old stream may arrive after its agent spoke on a new one. Thread-compatible.
class FaultyNetwork {
 public:
  struct CoordinatorEnd {
    std::function<void(StreamId)> opened;
    std::function<void(StreamId, const v1::AgentMessage&)> received;
    std::function<void(StreamId)> closed;
  };
  struct AgentEnd {
    std::function<void(const v1::CoordinatorMessage&)> said;
    std::function<void()> lost;  // last
  };

  FaultyNetwork(SimulatedTime* time, Rng rng, NetworkOptions options, CoordinatorEnd coordinator)
      : time_(time), rng_(rng), options_(options), coordinator_(std::move(coordinator)) {}

  // The agent's side. Open never fails at once: a stream to nobody breaks.
  StreamId Open(size_t agent, AgentEnd end);
  void AgentSends(StreamId stream, const v1::AgentMessage& message);
  void AgentCloses(StreamId stream);

  // The coordinator's side.
  void CoordinatorSends(StreamId stream, v1::CoordinatorMessage message);
  void CoordinatorCloses(StreamId stream);

  // The agent's streams break, and none can be opened for so long.
  void Cut(size_t agent, int64_t for_ns);
  // The coordinator's process is gone: it hears nothing more of these streams.
  void CoordinatorDies();
  void CoordinatorRises() { coordinator_up_ = true; }

 private:
  struct Stream {
    size_t agent;
    AgentEnd end;
    bool agent_open = true, coordinator_open = false;
    int64_t last_up = 0, last_down = 0;  // arrivals
    std::optional<int64_t> broken_at;
    bool rest_arrives_up = false, rest_arrives_down = false;
  };

  bool Reachable(size_t agent) const;
  int64_t Delay();
  int64_t Notice();
  bool Arrives(const Stream& stream, bool rest) const;
  void Up(StreamId id, std::function<void(Stream&)> what);
  void Down(StreamId id, std::function<void(Stream&)> what);
  void Break(StreamId id);
  void AgentHears(StreamId id);
  void CoordinatorHears(StreamId id);

  SimulatedTime* const time_;
  Rng rng_;
  const NetworkOptions options_;
  const CoordinatorEnd coordinator_;
  bool coordinator_up_ = true;
  StreamId opened_ = 0;
  std::map<StreamId, Stream> streams_;  // kept for good: numbers never come back
  std::map<size_t, int64_t> blocked_until_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAULTY_NETWORK_H_
