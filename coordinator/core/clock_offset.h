#ifndef TIDEMARK_COORDINATOR_CORE_CLOCK_OFFSET_H_
#define TIDEMARK_COORDINATOR_CORE_CLOCK_OFFSET_H_

#include <cstddef>
#include <cstdint>
#include <deque>

namespace tidemark {

// An agent's CLOCK_MONOTONIC minus the coordinator's, from pings: that of the least round trip among the
// last 16, whose half is the bound of its error (Cristian's algorithm). Only starts are placed by it;
// no latency is ever computed across hosts. Thread-compatible.
class ClockOffset {
 public:
  // A ping sent at `sent` was answered by the agent at its `agent` time and came back at `received`, ns.
  void Add(int64_t sent, int64_t agent, int64_t received);

  int64_t offset_ns() const;  // 0 before the first answer
  int64_t error_ns() const;   // half the round trip
  bool known() const { return !samples_.empty(); }

 private:
  struct Sample {
    int64_t round_trip;
    int64_t offset;
  };
  const Sample& Best() const;
  static constexpr size_t kKept = 16;
  std::deque<Sample> samples_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_CLOCK_OFFSET_H_
