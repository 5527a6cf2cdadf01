#ifndef TIDEMARK_COMMON_CLOCK_CLOCK_H_
#define TIDEMARK_COMMON_CLOCK_CLOCK_H_

#include <cstdint>

namespace tidemark {

inline constexpr int64_t kNanosPerMicro = 1'000;
inline constexpr int64_t kNanosPerMilli = 1'000'000;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

// The one door to time. Code that needs the time takes a Clock; only common/clock/real_clock.cc
// reads the machine's clocks. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // CLOCK_MONOTONIC, nanoseconds. Never goes back; its zero has no meaning.
  virtual int64_t MonotonicNanos() const = 0;

  // Nanoseconds since the Unix epoch. May jump: only for what people read.
  virtual int64_t WallNanos() const = 0;
};

// The machine's clocks. Lives for ever.
const Clock& RealClock();

// Blocks the calling thread for `nanos` of real time. Only programs' outermost waits use it.
void SleepFor(int64_t nanos);

// CPU time used by the calling thread, nanoseconds.
int64_t ThreadCpuNanos();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_CLOCK_CLOCK_H_
