#include "tests/bench/engine_level.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/clock/clock.h"

namespace tidemark::bench {

EngineLevel::EngineLevel(const EngineOptions& options, const LevelTask& task)
    : task_(task), engine_(NewCurlEngine(options, &RealClock())) {}

EngineEvents EngineLevel::Events() {
  EngineEvents events;
  events.ready = [this](const absl::Status& status, const std::vector<std::string>&) {
    if (!status.ok()) std::fprintf(stderr, "not ready: %s\n", std::string(status.message()).c_str());
    Reach(status.ok() ? kReady : kRefused);
  };
  events.started = [this](int64_t) { Reach(kStarted); };
  events.warm = [this](bool, uint64_t) { Reach(kWarm); };
  events.share_done = [] {};
  events.facts = [this](const MeasuredFacts& facts) {
    MutexLock lock(mutex_);
    facts_.Merge(facts);
  };
  events.stopped = [this](FinalSnapshot snapshot) {
    {
      MutexLock lock(mutex_);
      snapshot_ = std::move(snapshot);
    }
    Reach(kStopped);
  };
  return events;
}

void EngineLevel::Reach(Step step) {
  MutexLock lock(mutex_);
  step_ = std::max(step_, step);
  changed_.NotifyAll();
}

bool EngineLevel::WaitFor(Step step, double limit_s) {
  const int64_t deadline = RealClock().MonotonicNanos() + static_cast<int64_t>(limit_s * kNanosPerSecond);
  MutexLock lock(mutex_);
  while (step_ < step) {
    const int64_t left = deadline - RealClock().MonotonicNanos();
    if (left <= 0) {
      std::fprintf(stderr, "the engine did not get to step %d within %.0f s\n", step, limit_s);
      return false;
    }
    changed_.WaitFor(mutex_, left);
  }
  return step_ != kRefused;
}

bool EngineLevel::Prepare(double limit_s) {
  engine_->Prepare(task_, Events());
  return WaitFor(kReady, limit_s);
}

bool EngineLevel::Arm(int64_t start_ns, double limit_s) {
  engine_->Arm(start_ns, start_ns);
  return WaitFor(kStarted, limit_s);
}

bool EngineLevel::WaitWarm(double limit_s) { return WaitFor(kWarm, limit_s); }

void EngineLevel::Measure() { engine_->Measure(RealClock().MonotonicNanos()); }

bool EngineLevel::Stop(double limit_s) {
  engine_->Stop(0);
  return WaitFor(kStopped, limit_s);
}

MeasuredFacts EngineLevel::facts() {
  MutexLock lock(mutex_);
  return facts_;
}

FinalSnapshot EngineLevel::snapshot() {
  MutexLock lock(mutex_);
  return snapshot_;
}

}  // namespace tidemark::bench
