#include "coordinator/core/clock_offset.h"

#include <algorithm>

namespace tidemark {

void ClockOffset::Add(int64_t sent, int64_t agent, int64_t received) {
  if (received < sent) return;
  const int64_t round_trip = received - sent;
  samples_.push_back({round_trip, agent - (sent + round_trip / 2)});
  if (samples_.size() > kKept) samples_.pop_front();
}

const ClockOffset::Sample& ClockOffset::Best() const {
  return *std::min_element(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
    return a.round_trip < b.round_trip;
  });
}

int64_t ClockOffset::offset_ns() const { return known() ? Best().offset : 0; }

int64_t ClockOffset::error_ns() const { return known() ? Best().round_trip / 2 : 0; }

}  // namespace tidemark
