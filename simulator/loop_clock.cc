#include "simulator/loop_clock.h"

#include <event2/util.h>

#include <memory>

namespace tidemark {
namespace {

struct FreeTimer {
  void operator()(evutil_monotonic_timer* timer) const { evutil_monotonic_timer_free(timer); }
};
using Timer = std::unique_ptr<evutil_monotonic_timer, FreeTimer>;

Timer MakeTimer() {
  Timer timer(evutil_monotonic_timer_new());
  evutil_configure_monotonic_time(timer.get(), EV_MONOT_PRECISE);
  return timer;
}

}  // namespace

SimTime LoopNow() {
  thread_local const Timer timer = MakeTimer();
  timeval now = {};
  evutil_gettime_monotonic(timer.get(), &now);
  return (static_cast<SimTime>(now.tv_sec) * 1'000'000 + now.tv_usec) * 1000;
}

}  // namespace tidemark
