#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAKE_ENGINE_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAKE_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/core/session_machine/agent_machine.h"
#include "common/rng/rng.h"
#include "tests/unit/session_property/simulated_time.h"

namespace tidemark {

// What an engine made of one task, to be compared with what the coordinator has of it.
struct EngineWork {
  MeasuredFacts facts;  // all that it reported, merged
  FinalSnapshot snapshot;
};

struct FakeEngineHooks {
  std::function<void(AgentEvent)> say;
  // Before requests are sent for this task.
  std::function<void(const LevelKey&)> sends;
  std::function<void(const LevelKey&, EngineWork)> stopped;
  std::function<void(std::string)> violation;
};

// An engine that sends nothing and reports facts drawn from a seed, at the times of the simulation. It obeys the send
// deadline by its own clock, and says when it is asked for what no engine may be asked for. Events of a task that was
// cancelled before it was armed may still come, as those of a real one may. Dies with the object. Thread-compatible.
class FakeEngine {
 public:
  FakeEngine(SimulatedTime* time, int64_t clock_offset, Rng rng, bool slow, FakeEngineHooks hooks);

  void Prepare(const LevelTask& task);
  void Arm(const LevelKey& key, int64_t start);
  void Measure(const LevelKey& key, int64_t start);
  void Stop(const LevelKey& key);
  void Cancel(const LevelKey& key);
  void SetSendDeadline(int64_t until) { send_deadline_ = until; }

  bool idle() const { return state_ == State::kIdle; }

 private:
  enum class State { kIdle, kPreparing, kReady, kRunning, kStopping };

  int64_t Now() const { return time_->now() + clock_offset_; }  // by its own clock
  void Say(AgentEvent event) { hooks_.say(std::move(event)); }
  void Want(bool allowed, const LevelKey& key, const char* what);
  // Runs `what` unless the engine is gone or is at another task by then.
  void In(int64_t delay, std::function<void()> what);
  void At(int64_t agent_time, std::function<void()> what);

  void BeReady(const LevelKey& key);
  void Start(int64_t wanted);
  void Tick();
  void Send();
  void EndSome(MeasuredFacts& facts);
  void EndRest(bool cancelled);
  void Finish(bool cancelled);
  void Record(MeasuredFacts& facts, uint64_t ok);
  void Report(MeasuredFacts facts);

  SimulatedTime* const time_;
  const int64_t clock_offset_;
  Rng rng_;
  const bool slow_;
  const FakeEngineHooks hooks_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

  State state_ = State::kIdle;
  LevelTask task_;
  uint64_t generation_ = 0;  // of the task
  int64_t send_deadline_ = 0;
  bool measuring_ = false, warm_ = false, share_done_ = false;
  uint64_t left_ = 0;  // to be measured
  uint64_t open_measured_ = 0, open_unmeasured_ = 0;
  MeasuredFacts turn_;  // of this turn
  EngineWork work_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_FAKE_ENGINE_H_
