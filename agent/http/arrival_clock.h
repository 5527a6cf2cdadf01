#ifndef TIDEMARK_AGENT_HTTP_ARRIVAL_CLOCK_H_
#define TIDEMARK_AGENT_HTTP_ARRIVAL_CLOCK_H_

#include <cstdint>
#include <optional>

#include "common/clock/clock.h"

namespace tidemark {

// Turns the kernel's receive times, which are of the calendar (CLOCK_REALTIME), into CLOCK_MONOTONIC's. The two
// differ by an offset that only a set calendar changes; it is sampled each second, and anew when a stamp shows
// that the calendar was set since. All times ns. Thread-compatible.
class ArrivalClock {
 public:
  static constexpr int64_t kSampleEvery = kNanosPerSecond;
  // Two readings of clocks may cross by so much.
  static constexpr int64_t kSlack = 10 * kNanosPerMicro;

  // `clock` must outlive this.
  explicit ArrivalClock(const Clock* clock);

  // When bytes with the kernel's `stamp` came, CLOCK_MONOTONIC. `earliest`: they cannot have come before;
  // `now`: a reading of the clock that may be a little older than the read. The result is at least `earliest`
  // and not in the future; nothing when no offset that is known makes that of the stamp.
  std::optional<int64_t> Arrival(int64_t stamp, int64_t earliest, int64_t now);

 private:
  void Sample();

  const Clock* const clock_;
  int64_t offset_ = 0;    // calendar - monotonic
  int64_t previous_ = 0;  // before the calendar was last seen set: stamps of then may still be unread
  int64_t sampled_at_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_ARRIVAL_CLOCK_H_
