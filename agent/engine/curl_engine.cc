#include <atomic>
#include <utility>

#include "agent/engine/engine.h"
#include "agent/engine/level_run.h"
#include "common/mutex.h"
#include "common/thread/reaper.h"

namespace tidemark {
namespace {

// The engine on epoll loops and libcurl: one LevelRun at a time.
class CurlEngine final : public Engine {
 public:
  CurlEngine(EngineOptions options, const Clock* clock)
      : options_(std::move(options)), clock_(clock) {}
  ~CurlEngine() override { TakeRun(); }

  void Prepare(const LevelTask& task, EngineEvents events) override {
    Discard(TakeRun());
    auto run =
        std::make_unique<LevelRun>(task, std::move(events), &options_, &send_deadline_, clock_);
    MutexLock lock(mutex_);
    run_ = std::move(run);
  }
  void Arm(int64_t start, int64_t slice_origin) override {
    if (LevelRun* run = Run()) run->Arm(start, slice_origin);
  }
  void Measure(int64_t start) override {
    if (LevelRun* run = Run()) run->Measure(start);
  }
  void Stop(int64_t drain_ns) override {
    if (LevelRun* run = Run()) run->Stop(drain_ns);
  }
  void Cancel() override {
    if (LevelRun* run = Run()) run->Cancel();
  }
  void SetSendDeadline(int64_t until) override {
    send_deadline_.store(until, std::memory_order_relaxed);
  }

  std::vector<uint64_t> LoopSilenceMillis() const override {
    std::vector<uint64_t> silences;
    MutexLock lock(mutex_);
    if (run_ == nullptr) return silences;
    for (const int64_t turn : run_->last_turns()) {
      const int64_t silent = clock_->MonotonicNanos() - turn;
      silences.push_back(silent > 0 ? static_cast<uint64_t>(silent / kNanosPerMilli) : 0);
    }
    return silences;
  }
  std::string SpoolPath() const override {
    MutexLock lock(mutex_);
    return run_ == nullptr ? "" : run_->spool_path();
  }

 private:
  // Its end may wait for the system's resolver, and the owner has heartbeats to send.
  void Discard(std::unique_ptr<LevelRun> run) {
    if (run == nullptr) return;
    run->Mute();
    reaper_.Run([run = std::shared_ptr<LevelRun>(std::move(run))]() mutable { run.reset(); });
  }
  std::unique_ptr<LevelRun> TakeRun() {
    MutexLock lock(mutex_);
    return std::move(run_);
  }
  // Only the owner replaces the run, so what the owner gets stays.
  LevelRun* Run() {
    MutexLock lock(mutex_);
    return run_.get();
  }

  const EngineOptions options_;
  const Clock* const clock_;
  std::atomic<int64_t> send_deadline_{INT64_MAX};
  mutable Mutex mutex_;
  std::unique_ptr<LevelRun> run_ TIDEMARK_GUARDED_BY(mutex_);
  Reaper reaper_;  // of runs before; they use what stands above
};

}  // namespace

std::unique_ptr<Engine> NewCurlEngine(EngineOptions options, const Clock* clock) {
  return std::make_unique<CurlEngine>(std::move(options), clock);
}

}  // namespace tidemark
