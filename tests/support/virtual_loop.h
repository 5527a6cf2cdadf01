#ifndef TIDEMARK_TESTS_SUPPORT_VIRTUAL_LOOP_H_
#define TIDEMARK_TESTS_SUPPORT_VIRTUAL_LOOP_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "agent/http/event_loop.h"
#include "agent/http/timer_queue.h"
#include "common/clock/clock.h"

namespace tidemark {

// An event loop in virtual time: time moves only in RunUntil, from one timer to the next.
// Single-threaded, Post included.
class VirtualLoop final : public EventLoop {
 public:
  explicit VirtualLoop(int64_t start = kNanosPerSecond) : now_(start) {}

  int64_t Now() const override { return now_; }
  int64_t FreshNow() override { return now_; }
  TimerId At(int64_t when, std::function<void()> task) override {
    return timers_.Add(when, std::move(task));
  }
  void CancelTimer(TimerId timer) override { timers_.Cancel(timer); }
  void Post(std::function<void()> task) override { timers_.Add(now_, std::move(task)); }

  // Runs all that is due up to and at `until`, in time's order, then stands there.
  void RunUntil(int64_t until);
  void RunFor(int64_t nanos) { RunUntil(now_ + nanos); }
  void RunForMillis(int64_t millis) { RunFor(millis * kNanosPerMilli); }
  // Runs until `done` is true, at most for `limit`; the answer is whether it became true.
  bool RunUntilDone(const std::function<bool()>& done, int64_t limit);
  size_t timers() const { return timers_.size(); }

 private:
  int64_t now_;
  TimerQueue timers_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_SUPPORT_VIRTUAL_LOOP_H_
