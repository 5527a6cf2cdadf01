#ifndef TIDEMARK_AGENT_ENGINE_LEVEL_LOOP_H_
#define TIDEMARK_AGENT_ENGINE_LEVEL_LOOP_H_

#include <functional>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "agent/endpoint/endpoint_adapter.h"
#include "agent/engine/loop_worker.h"
#include "agent/engine/self_check.h"
#include "agent/http/epoll_loop.h"
#include "agent/http/transport.h"

namespace tidemark {

// What the loops of a level tell the level, each on its own thread.
class LevelLoopEvents {
 public:
  virtual ~LevelLoopEvents() = default;
  virtual void OnStarted(int64_t skew_ns) = 0;
  virtual void OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) = 0;
  virtual void OnShareDone() = 0;
  virtual void OnFacts(size_t loop, MeasuredFacts facts) = 0;
  // The last call of this loop.
  virtual void OnStopped(size_t loop, FinalSnapshot part) = 0;
};

// One thread of a level with its epoll loop, transport, adapter and worker. Made and destroyed by
// its owner; the thread ends by itself after OnStopped, and the destructor ends it in any phase
// (nothing is told any more then).
class LevelLoop final : public WorkerEvents {
 public:
  static absl::StatusOr<std::unique_ptr<LevelLoop>> Create(size_t number, WorkerOptions worker,
                                                           TransportOptions transport,
                                                           const Clock* clock,
                                                           LevelLoopEvents* events);
  ~LevelLoop() override;

  void Start();
  // Runs `command` with the worker on the loop's thread. Thread-safe.
  void Command(std::function<void(LoopWorker&)> command);
  int64_t last_turn() const { return loop_->last_turn(); }

 private:
  // A look at the sockets each second, at so many of them.
  static constexpr size_t kUnreadSample = 64;

  LevelLoop(size_t number, const Clock* clock, LevelLoopEvents* events);
  void OnStarted(int64_t skew_ns) override;
  void OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) override;
  void OnMeasuring() override;
  void OnShareDone() override;
  void OnFacts(MeasuredFacts facts) override;
  void OnStopped() override;
  void EndSelfCheck();

  const size_t number_;
  LevelLoopEvents* const events_;
  std::unique_ptr<EpollLoop> loop_;
  std::unique_ptr<EndpointAdapter> adapter_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<LoopWorker> worker_;
  SelfCheck check_;
  SelfCheckFacts facts_;
  bool checking_ = false;
  std::thread thread_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_LEVEL_LOOP_H_
