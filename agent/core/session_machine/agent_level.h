#ifndef TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_LEVEL_H_
#define TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_LEVEL_H_

#include <optional>
#include <string>
#include <vector>

#include "agent/core/session_machine/agent_machine.h"
#include "common/session/delta_sequence.h"

namespace tidemark {

// Where the effects of one turn go. Messages are dropped while no stream is up: what was said is
// kept by whoever said it, and said again on the next stream.
struct AgentOutbox {
  std::vector<AgentEffect> effects;
  bool up = false;
  SessionEpoch epoch;

  void Log(bool warning, std::string text) {
    effects.push_back(AgentLog{warning, std::move(text)});
  }
  void Say(const v1::AgentMessage& message) {
    if (up) effects.push_back(SendToCoordinator{message});
  }
};

// One attempt of a level on this agent: its barriers, its deltas, and the commands to the engine,
// each given once. A share without slots passes every barrier at once and leaves the engine alone.
// Thread-compatible.
class AgentLevel {
 public:
  explicit AgentLevel(LevelTask task) : task_(std::move(task)) {}

  const LevelKey& key() const { return task_.key; }
  // The engine was armed and has not said that it stopped: nothing else may be prepared.
  bool engine_running() const { return phase_ == Phase::kRunning || phase_ == Phase::kStopping; }
  bool stopped() const { return phase_ == Phase::kStopped; }

  // The coordinator's commands; a repeated one does nothing.
  void Prepare(AgentOutbox& out);
  void Arm(int64_t start, int64_t slice_origin, AgentOutbox& out);
  void Measure(int64_t start, AgentOutbox& out);
  void Stop(int64_t drain_ns, AgentOutbox& out);
  void Cancel(AgentOutbox& out);
  void Acknowledge(uint64_t sequence, AgentOutbox& out);

  // Cancels, and reports the attempt as failed with `reason`: its facts are worth nothing any more.
  void GiveUp(const std::string& reason, AgentOutbox& out);

  // A new stream to the same coordinator: everything that it may not have got is said again.
  void SayAgain(AgentOutbox& out);

  // The engine's events.
  void OnReady(const EngineReady& event, AgentOutbox& out);
  void OnStarted(int64_t skew_ns, AgentOutbox& out);
  void OnWarm(const EngineWarm& event, AgentOutbox& out);
  void OnFacts(const MeasuredFacts& facts, AgentOutbox& out);
  void OnShareDone(AgentOutbox& out);
  void OnStopped(const FinalSnapshot& snapshot, AgentOutbox& out);

 private:
  enum class Phase { kNew, kPreparing, kReady, kRunning, kStopping, kStopped };

  bool idle_share() const { return task_.share.slots == 0; }
  void SayBarrier(v1::AgentMessage message, AgentOutbox& out);
  void SayReady(const std::string& error, const std::vector<std::string>& addresses,
                AgentOutbox& out);
  void StopBeforeStart(AgentOutbox& out);
  void Flush(AgentOutbox& out);

  LevelTask task_;
  Phase phase_ = Phase::kNew;
  bool measuring_ = false;
  bool cancelled_ = false;
  bool warm_said_ = false;
  bool share_done_said_ = false;
  std::string error_;
  std::vector<v1::AgentMessage> said_;  // barriers, in order
  DeltaSender sender_;
  std::optional<FinalSnapshot> snapshot_;
  bool stopped_said_ = false;  // on this stream
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_LEVEL_H_
