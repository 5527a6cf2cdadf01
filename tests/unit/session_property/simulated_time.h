#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SIMULATED_TIME_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SIMULATED_TIME_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tests/support/fake_clock.h"

namespace tidemark {

// What is to happen, in the order of its time; of one time, in the order in which it was said. Thread-compatible.
class SimulatedTime {
 public:
  int64_t now() const { return clock_.MonotonicNanos(); }

  void At(int64_t at, std::function<void()> what) {
    queue_.push({std::max(at, now()), ++said_, std::move(what)});
  }
  void In(int64_t delay, std::function<void()> what) { At(now() + delay, std::move(what)); }

  // Until nothing is left before `end`, `done` holds, or so much has happened that there must be a loop. False: the
  // latter.
  template <typename Done>
  bool RunUntil(int64_t end, Done done, int most = 1'000'000) {
    for (; most > 0 && !done() && !queue_.empty() && queue_.top().at <= end; --most) {
      clock_.Set(queue_.top().at);
      const std::function<void()> what = std::move(const_cast<Entry&>(queue_.top()).what);
      queue_.pop();
      what();
    }
    return most > 0;
  }

 private:
  struct Entry {
    int64_t at;
    uint64_t number;
    std::function<void()> what;
    friend bool operator<(const Entry& a, const Entry& b) {
      return std::pair(a.at, a.number) > std::pair(b.at, b.number);  // the earliest on top
    }
  };
  FakeClock clock_{10'000 * kNanosPerSecond};
  uint64_t said_ = 0;
  std::priority_queue<Entry> queue_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SIMULATED_TIME_H_
