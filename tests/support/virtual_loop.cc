#include "tests/support/virtual_loop.h"

#include <algorithm>

namespace tidemark {
namespace {

constexpr int kMaxRounds = 10'000'000;  // tasks that always add one for now would never end

}  // namespace

void VirtualLoop::RunUntil(int64_t until) {
  for (int round = 0; round < kMaxRounds && timers_.Earliest() <= until; ++round) {
    now_ = std::max(now_, timers_.Earliest());
    timers_.RunDue(now_);
  }
  now_ = std::max(now_, until);
}

bool VirtualLoop::RunUntilDone(const std::function<bool()>& done, int64_t limit) {
  const int64_t end = now_ + limit;
  for (int round = 0; round < kMaxRounds && !done() && timers_.Earliest() <= end; ++round) {
    now_ = std::max(now_, timers_.Earliest());
    timers_.RunDue(now_);
  }
  return done();
}

}  // namespace tidemark
