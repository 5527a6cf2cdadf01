#ifndef TIDEMARK_AGENT_HTTP_EVENT_LOOP_H_
#define TIDEMARK_AGENT_HTTP_EVENT_LOOP_H_

#include <cstdint>
#include <functional>

namespace tidemark {

// What a loop worker needs of its event loop. Single-threaded but for Post. Implementations: EpollLoop
// (agent/http/epoll_loop.h) and the virtual-time loop of tests.
class EventLoop {
 public:
  using TimerId = uint64_t;  // 0 is never a timer

  virtual ~EventLoop() = default;

  // CLOCK_MONOTONIC ns, read once a loop turn (and refreshed by each socket's handling).
  virtual int64_t Now() const = 0;
  // Reads the clock and makes that Now(): for a point that must not be as old as the turn.
  virtual int64_t FreshNow() = 0;

  // Runs `task` once at `when` or as soon after as the loop can. Absolute time: no drift.
  virtual TimerId At(int64_t when, std::function<void()> task) = 0;
  // No-op when it has run.
  virtual void CancelTimer(TimerId timer) = 0;

  // Runs `task` on the loop's thread, soon. Thread-safe; the only such method.
  virtual void Post(std::function<void()> task) = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_EVENT_LOOP_H_
