#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_AGENT_NODE_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_AGENT_NODE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/core/session_machine/agent_machine.h"
#include "tests/unit/session_property/fake_engine.h"
#include "tests/unit/session_property/faulty_network.h"

namespace tidemark {

struct AgentNodeOptions {
  size_t number = 0;
  std::string id, incarnation;
  int64_t clock_offset = 0;  // of its CLOCK_MONOTONIC
  bool slow = false;         // its engine now and then
  uint32_t capacity = 100;
};

struct AgentNodeHooks {
  FakeEngineHooks engine;  // `say` is filled in
  std::function<void(const LevelKey&)> upload;
  std::function<void()> exited;  // last: the node may be destroyed once this turn is over
};

// One process of an agent: its machine, its engine and its end of a stream, as its program runs them. Destroying it is
// its sudden death. Thread-compatible.
class AgentNode {
 public:
  AgentNode(SimulatedTime* time, FaultyNetwork* network, AgentNodeOptions options, Rng rng, AgentNodeHooks hooks);
  ~AgentNode();

  void Leave() { Handle(AgentLeaves{"SIGTERM"}); }
  bool idle() const { return engine_->idle(); }
  const AgentMachine& machine() const { return machine_; }
  const AgentNodeOptions& options() const { return options_; }

 private:
  void Handle(const AgentEvent& event);
  void Do(const AgentEffect& effect);
  void Open();
  void Close();
  void Wake(int64_t at);
  void Probe(const ProbeTask& task);
  int64_t Now() const { return time_->now() + options_.clock_offset; }

  SimulatedTime* const time_;
  FaultyNetwork* const network_;
  const AgentNodeOptions options_;
  Rng rng_;
  const AgentNodeHooks hooks_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  AgentMachine machine_;
  std::unique_ptr<FakeEngine> engine_;
  std::optional<StreamId> stream_;
  uint64_t wakes_ = 0;
  bool exited_ = false;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_AGENT_NODE_H_
