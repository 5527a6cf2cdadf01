// The null endpoint's clock and timer.
#ifndef TIDEMARK_SIMULATOR_NULL_CLOCK_H_
#define TIDEMARK_SIMULATOR_NULL_CLOCK_H_

#include <cstdint>

namespace tidemark {

// CLOCK_MONOTONIC in nanoseconds: the clock that a client on this host stamps with. Thread-safe.
int64_t NullNow();

// A timer descriptor that becomes readable at an absolute time of NullNow(). It is to be watched edge-triggered, and
// never read: each setting starts anew. Thread-compatible.
class NullTimer {
 public:
  NullTimer();
  ~NullTimer();
  NullTimer(const NullTimer&) = delete;
  NullTimer& operator=(const NullTimer&) = delete;

  int fd() const { return fd_; }
  // Costs nothing when it is set to that time already.
  void Set(int64_t time);

 private:
  const int fd_;
  int64_t set_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_CLOCK_H_
