// When a stream of the null endpoint is due for its next event.
#ifndef TIDEMARK_SIMULATOR_NULL_SCHEDULE_H_
#define TIDEMARK_SIMULATOR_NULL_SCHEDULE_H_

#include <cstdint>
#include <deque>
#include <optional>

namespace tidemark {

// The first event of each stream is due a fixed time after its request, every further one a fixed time after the one
// before, by the plan and not by when that was sent: nothing drifts. As both delays are constant, two queues hold the
// plan in order, and every call takes constant time. All times are CLOCK_MONOTONIC nanoseconds. Thread-compatible.
class NullSchedule {
 public:
  struct Turn {
    int64_t due = 0;
    uint32_t stream = 0;
    uint32_t generation = 0;  // as Start was told: who re-uses the number of a stream can see that the turn is old
    uint32_t left = 0;        // events of this stream from this one on
  };

  // REQUIRES: both ≥ 0.
  NullSchedule(int64_t first_ns, int64_t gap_ns) : first_ns_(first_ns), gap_ns_(gap_ns) {}

  int64_t first_ns() const { return first_ns_; }
  int64_t gap_ns() const { return gap_ns_; }

  // When event `index` of a request that came at `start` is due.
  int64_t Due(int64_t start, uint32_t index) const { return start + first_ns_ + gap_ns_ * index; }

  // Plans `events` events for a request that came at `now`, which must never fall from call to call.
  void Start(uint32_t stream, uint32_t generation, uint32_t events, int64_t now);

  // Nothing when nothing is planned.
  std::optional<int64_t> NextDue() const;

  // Takes the earliest turn if it is due by `now`, and plans the stream's next event.
  std::optional<Turn> Take(int64_t now);

 private:
  int64_t first_ns_, gap_ns_;
  std::deque<Turn> firsts_, followers_;  // each by rising due
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_SCHEDULE_H_
