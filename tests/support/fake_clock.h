#ifndef TIDEMARK_TESTS_SUPPORT_FAKE_CLOCK_H_
#define TIDEMARK_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "common/clock/clock.h"

namespace tidemark {

// A clock that moves only when told. Thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(int64_t start_nanos = kNanosPerSecond) : nanos_(start_nanos) {}

  int64_t MonotonicNanos() const override { return nanos_; }
  int64_t WallNanos() const override { return nanos_ + 1'750'000'000 * kNanosPerSecond; }

  void Advance(int64_t nanos) { nanos_ += nanos; }
  void AdvanceMillis(int64_t millis) { Advance(millis * kNanosPerMilli); }
  void Set(int64_t nanos) { nanos_ = nanos; }

 private:
  std::atomic<int64_t> nanos_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_SUPPORT_FAKE_CLOCK_H_
