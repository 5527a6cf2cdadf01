// One level of the agent's engine, run by hand.
#ifndef TIDEMARK_TESTS_BENCH_ENGINE_LEVEL_H_
#define TIDEMARK_TESTS_BENCH_ENGINE_LEVEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "agent/engine/engine.h"
#include "common/job/level_task.h"
#include "common/mutex.h"

namespace tidemark::bench {

// Drives a level from PREPARE to STOPPED and keeps what the engine says. Thread-compatible.
class EngineLevel {
 public:
  EngineLevel(const EngineOptions& options, const LevelTask& task);

  // Each waits until the engine has got there; false, with the reason on stderr, when it does not within `limit_s`.
  bool Prepare(double limit_s);
  bool Arm(int64_t start_ns, double limit_s);
  bool WaitWarm(double limit_s);
  void Measure();
  bool Stop(double limit_s);

  MeasuredFacts facts();
  FinalSnapshot snapshot();
  std::string spool_path() const { return engine_->SpoolPath(); }

 private:
  enum Step { kNone, kReady, kStarted, kWarm, kStopped, kRefused };

  EngineEvents Events();
  void Reach(Step step);
  bool WaitFor(Step step, double limit_s);

  const LevelTask task_;
  Mutex mutex_;
  CondVar changed_;
  Step step_ TIDEMARK_GUARDED_BY(mutex_) = kNone;
  MeasuredFacts facts_ TIDEMARK_GUARDED_BY(mutex_);
  FinalSnapshot snapshot_ TIDEMARK_GUARDED_BY(mutex_);
  std::unique_ptr<Engine> engine_;  // last: it ends before what its events write
};

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_ENGINE_LEVEL_H_
