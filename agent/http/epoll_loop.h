#ifndef TIDEMARK_AGENT_HTTP_EPOLL_LOOP_H_
#define TIDEMARK_AGENT_HTTP_EPOLL_LOOP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/http/event_loop.h"
#include "agent/http/lag_sampler.h"
#include "agent/http/timer_queue.h"
#include "common/clock/clock.h"
#include "common/mutex.h"

namespace tidemark {

// The event loop of the measured path: epoll for sockets, one absolute timerfd for all timers, an
// eventfd for what other threads post. A turn: wait; read the clock; handle each ready socket with
// a clock reading of its own (the time of what is read from it); then posted tasks, due timers, and
// what asked for the turn's end. Nothing is allocated for a socket event.
//
// Every method but Post, Stop and last_turn belongs to the thread that calls Run.
class EpollLoop final : public EventLoop {
 public:
  class SocketHandler {
   public:
    virtual ~SocketHandler() = default;
    // `events` is epoll's set. Now() is the time of this call.
    virtual void OnSocketReady(int fd, uint32_t events) = 0;
  };
  class TurnEndTask {
   public:
    virtual ~TurnEndTask() = default;
    virtual void OnTurnEnd() = 0;
  };

  // Unavailable when the process has no descriptors left. `clock` must be CLOCK_MONOTONIC's and
  // outlive the loop.
  static absl::StatusOr<std::unique_ptr<EpollLoop>> Create(const Clock* clock);
  ~EpollLoop() override;

  int64_t Now() const override { return now_; }
  int64_t FreshNow() override { return now_ = clock_->MonotonicNanos(); }
  const Clock* clock() const { return clock_; }
  TimerId At(int64_t when, std::function<void()> task) override;
  void CancelTimer(TimerId timer) override;
  void Post(std::function<void()> task) override;

  // Turns until Stop, or until `done` (may be null) is true after a turn, or `deadline` has passed.
  // Returns false only for the deadline. Tasks posted before Stop are run.
  bool Run(const std::function<bool()>& done = nullptr, int64_t deadline = TimerQueue::kNever);
  void Stop();  // thread-safe

  // `handler` hears when `fd` is ready for `events`; again for a watched one changes both.
  void WatchSocket(int fd, uint32_t events, SocketHandler* handler);
  // No further call for `fd`. It stays with the kernel, so watching it again for the same events
  // costs no system call.
  void UnwatchSocket(int fd);
  // `fd` is about to be closed.
  void ForgetSocket(int fd);

  // Calls `task` once at the end of this turn (or of the next one, from outside a turn).
  void AtTurnEnd(TurnEndTask* task) { turn_end_.push_back(task); }
  // `task` will not be called any more. Not from within a turn.
  void DropTurnEnd(TurnEndTask* task);

  LagSampler& lag() { return lag_; }
  // CLOCK_MONOTONIC ns. Thread-safe.
  int64_t last_turn() const { return last_turn_.load(std::memory_order_relaxed); }
  // The most bytes that wait unread in any of up to `sample` watched sockets; another part of them
  // each call.
  uint64_t UnreadBytesMax(size_t sample);

 private:
  struct Watch {
    SocketHandler* handler = nullptr;  // null: unwatched
    uint32_t events = 0;               // the kernel's set; 0: not with the kernel
    uint32_t generation = 0;           // tells apart the sockets that bear one number in turn
  };

  EpollLoop(const Clock* clock, int epoll_fd, int timer_fd, int wake_fd);
  void Turn(int64_t deadline);
  void ArmTimer(int64_t when);
  void HandleEvent(uint64_t key, uint32_t events);
  void RunPosted();
  void RunTurnEnd();
  Watch& WatchOf(int fd);

  const Clock* const clock_;
  const int epoll_fd_, timer_fd_, wake_fd_;
  int64_t now_;
  std::atomic<int64_t> last_turn_;
  std::atomic<bool> stopped_{false};
  int64_t armed_ = TimerQueue::kNever;
  TimerQueue timers_;
  LagSampler lag_;
  std::vector<Watch> watches_;  // by descriptor
  std::vector<TurnEndTask*> turn_end_, turn_end_running_;
  size_t unread_cursor_ = 0;

  Mutex mutex_;
  std::vector<std::function<void()>> posted_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_EPOLL_LOOP_H_
