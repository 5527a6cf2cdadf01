#include "agent/http/arrival_clock.h"

#include <algorithm>
#include <cstdlib>

namespace tidemark {
namespace {

// A pair of readings is as good as they are close; this is close enough, and so often it is tried.
constexpr int64_t kCloseReadings = kNanosPerMicro;
constexpr int kReadings = 4;

std::optional<int64_t> Within(int64_t at, int64_t earliest, int64_t now) {
  if (at + ArrivalClock::kSlack < earliest || at > now + ArrivalClock::kSlack) return std::nullopt;
  return std::clamp(at, earliest, std::max(earliest, now));
}

}  // namespace

ArrivalClock::ArrivalClock(const Clock* clock) : clock_(clock) {
  Sample();
  previous_ = offset_;
}

void ArrivalClock::Sample() {
  int64_t offset = 0, closest = INT64_MAX;
  for (int i = 0; i < kReadings && closest > kCloseReadings; ++i) {
    const int64_t before = clock_->MonotonicNanos();
    const int64_t calendar = clock_->WallNanos();
    sampled_at_ = clock_->MonotonicNanos();
    if (sampled_at_ - before >= closest) continue;
    closest = sampled_at_ - before;
    offset = calendar - before - closest / 2;
  }
  if (std::abs(offset - offset_) > kSlack) previous_ = offset_;
  offset_ = offset;
}

std::optional<int64_t> ArrivalClock::Arrival(int64_t stamp, int64_t earliest, int64_t now) {
  if (now - sampled_at_ >= kSampleEvery) Sample();
  if (const auto at = Within(stamp - offset_, earliest, now)) return at;
  Sample();
  if (const auto at = Within(stamp - offset_, earliest, sampled_at_)) return at;
  return Within(stamp - previous_, earliest, sampled_at_);
}

}  // namespace tidemark
