#ifndef TIDEMARK_AGENT_HTTP_LAG_SAMPLER_H_
#define TIDEMARK_AGENT_HTTP_LAG_SAMPLER_H_

#include <cstdint>

#include "common/clock/clock.h"
#include "common/measurement/histogram.h"

namespace tidemark {

// How late a loop comes to a fixed 10 ms grid. Each tick counts with its own lateness, those the
// loop slept through too: a loop stopped for 100 ms in every second misses ten ticks of a hundred,
// and its p99 is near 100 ms. Pure; thread-compatible.
class LagSampler {
 public:
  static constexpr int64_t kTick = 10 * kNanosPerMilli;
  static constexpr int64_t kOff = INT64_MAX;

  void Start(int64_t now) { next_ = now + kTick; }
  void Stop() { next_ = kOff; }
  // The loop woke at `now`.
  void OnWake(int64_t now) {
    for (; next_ <= now; next_ += kTick) lag_us_.Record((now - next_) / kNanosPerMicro);
  }
  // When the loop must be awake next; kOff when not sampling.
  int64_t next() const { return next_; }
  const Histogram& lag_us() const { return lag_us_; }

 private:
  int64_t next_ = kOff;
  Histogram lag_us_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_LAG_SAMPLER_H_
