#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_COORDINATOR_NODE_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_COORDINATOR_NODE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/rng/rng.h"
#include "coordinator/core/agents/agent_hub.h"
#include "proto/tidemark/v1/journal.pb.h"
#include "tests/unit/session_property/simulated_time.h"

namespace tidemark {

struct CoordinatorHooks {
  std::function<void(StreamId, v1::CoordinatorMessage)> send;
  std::function<void(StreamId, const std::string& reason)> close;
  std::function<void(const JobEvent&)> event;    // of an agent, before the machine takes it
  std::function<void(const JobEffect&)> effect;  // before it is carried out
};

// The coordinator's hub and job machine as its program runs them, on the simulation's clock. What it keeps for a
// restart outlives it: see `journal`. Thread-compatible.
class CoordinatorNode {
 public:
  // `journal` is what earlier starts wrote; this one goes on writing to it.
  CoordinatorNode(SimulatedTime* time, uint64_t start, const JobSpec& spec, std::vector<v1::JournalEntry>* journal,
                  Rng rng, CoordinatorHooks hooks);

  void Opened(StreamId stream);
  void Received(StreamId stream, const v1::AgentMessage& message);
  void Closed(StreamId stream);
  void RecordsStored(const std::string& agent, const LevelKey& key);
  void Stop(bool now);
  // As after a report that is not valid.
  void Lose(const std::string& agent);

  bool finished() const { return machine_->finished(); }
  const AgentHub& hub() const { return hub_; }

 private:
  static JobMachineOptions Options(int64_t now, uint64_t start, const std::vector<v1::JournalEntry>& journal);
  void Handle(const JobEvent& event);
  void FollowHub();
  void Do(const JobEffect& effect);
  void Prepare(const SendPrepare& e);
  void Finish(const LevelFinished& e);
  void Keep(v1::JournalEntry entry) { journal_->push_back(std::move(entry)); }
  void SetWake();

  SimulatedTime* const time_;
  std::vector<v1::JournalEntry>* const journal_;
  Rng rng_;
  const CoordinatorHooks hooks_;
  AgentHub hub_;
  std::unique_ptr<JobMachine> machine_;
  std::optional<int64_t> machine_wake_;
  std::optional<int64_t> wake_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_COORDINATOR_NODE_H_
