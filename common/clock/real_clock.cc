#include <time.h>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

int64_t Read(clockid_t id) {
  timespec ts;
  clock_gettime(id, &ts);
  return ts.tv_sec * kNanosPerSecond + ts.tv_nsec;
}

class MachineClock final : public Clock {
 public:
  int64_t MonotonicNanos() const override { return Read(CLOCK_MONOTONIC); }
  int64_t WallNanos() const override { return Read(CLOCK_REALTIME); }
};

}  // namespace

const Clock& RealClock() {
  static const MachineClock* const clock = new MachineClock;
  return *clock;
}

void SleepFor(int64_t nanos) {
  timespec left{nanos / kNanosPerSecond, nanos % kNanosPerSecond};
  while (nanosleep(&left, &left) != 0) {
  }
}

int64_t ThreadCpuNanos() { return Read(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace tidemark
