#include "simulator/null_clock.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

}  // namespace

int64_t NullNow() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * kSecond + now.tv_nsec;
}

NullTimer::NullTimer() : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

NullTimer::~NullTimer() { ::close(fd_); }

void NullTimer::Set(int64_t time) {
  if (time == set_) return;
  set_ = time;
  itimerspec when = {};
  when.it_value.tv_sec = time / kSecond;
  when.it_value.tv_nsec = time % kSecond;
  ::timerfd_settime(fd_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace tidemark
