#ifndef TIDEMARK_AGENT_ENGINE_LEVEL_RUN_H_
#define TIDEMARK_AGENT_ENGINE_LEVEL_RUN_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/engine/engine.h"
#include "agent/engine/level_loop.h"
#include "agent/engine/record_spool.h"
#include "common/mutex.h"

namespace tidemark {

// One level from PREPARE to STOPPED: sets up (names, loops, spool) on a thread of its own, passes
// commands to its loops, and merges what they tell. Commands come from one owner; last_turns is
// thread-safe. The destructor ends everything in any phase, tells nothing
// any more, and removes the spool; it waits for the setting up, so as long as the system's resolver may.
class LevelRun final : public LevelLoopEvents {
 public:
  LevelRun(LevelTask task, EngineEvents events, const EngineOptions* options,
           const std::atomic<int64_t>* send_deadline, const Clock* clock);
  ~LevelRun() override;

  void Arm(int64_t start, int64_t slice_origin);
  void Measure(int64_t start);
  void Stop(int64_t drain_ns);
  void Cancel();
  // Tells nothing any more: once it has returned no event is running or will come.
  void Mute();

  // Of each loop; empty before READY and after STOPPED.
  std::vector<int64_t> last_turns() const;
  // Empty when there are no records or the level is not stopped.
  std::string spool_path() const;

 private:
  using LoopCommand = std::function<void(LoopWorker&)>;
  enum class State { kSettingUp, kFailed, kRunning, kStopped };

  void SetUp();
  absl::Status Build();
  absl::Status OpenSpool();
  absl::Status BuildLoops(const TransportOptions& transport);
  void Publish(const absl::Status& status);
  void Command(LoopCommand command);
  // A share without slots passes every barrier at once; nor is there anything to stop when setting
  // up failed.
  void StopWithoutLoops();

  void OnStarted(int64_t skew_ns) override;
  void OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) override;
  void OnShareDone() override;
  void OnFacts(size_t loop, MeasuredFacts facts) override;
  void OnStopped(size_t loop, FinalSnapshot part) override;
  void EmitFacts() TIDEMARK_REQUIRES(emit_);
  void EmitStopped() TIDEMARK_REQUIRES(emit_);

  const LevelTask task_;
  const EngineEvents events_;
  const EngineOptions* const options_;
  const std::atomic<int64_t>* const send_deadline_;
  const Clock* const clock_;
  const bool without_slots_;
  std::string spool_path_;
  std::unique_ptr<RecordSpool> spool_;
  std::vector<std::string> addresses_;
  uint64_t ports_limit_ = 0;  // to one address; constant once set up

  // Set up is over once state_ has left kSettingUp; commands wait for that.
  mutable Mutex mutex_;
  State state_ TIDEMARK_GUARDED_BY(mutex_) = State::kSettingUp;
  std::vector<LoopCommand> waiting_ TIDEMARK_GUARDED_BY(mutex_);
  bool stop_asked_ TIDEMARK_GUARDED_BY(mutex_) = false;

  // What the loops have told; held while telling it on, so that the order is kept.
  Mutex emit_;
  bool muted_ TIDEMARK_GUARDED_BY(emit_) = false;
  size_t started_ TIDEMARK_GUARDED_BY(emit_) = 0, warm_ TIDEMARK_GUARDED_BY(emit_) = 0,
                  done_ TIDEMARK_GUARDED_BY(emit_) = 0, stopped_ TIDEMARK_GUARDED_BY(emit_) = 0;
  int64_t skew_ TIDEMARK_GUARDED_BY(emit_) = 0;
  bool warm_late_ TIDEMARK_GUARDED_BY(emit_) = false;
  uint64_t latency_sum_us_ TIDEMARK_GUARDED_BY(emit_) = 0, latency_count_
                                                           TIDEMARK_GUARDED_BY(emit_) = 0;
  MeasuredFacts facts_ TIDEMARK_GUARDED_BY(emit_);
  std::vector<uint64_t> in_flight_ TIDEMARK_GUARDED_BY(emit_);
  int64_t facts_sent_ TIDEMARK_GUARDED_BY(emit_) = 0;
  FinalSnapshot snapshot_ TIDEMARK_GUARDED_BY(emit_);

  std::vector<std::unique_ptr<LevelLoop>> loops_;  // constant once set up
  std::thread setup_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_LEVEL_RUN_H_
