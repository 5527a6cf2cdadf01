#include "simulator/null_schedule.h"

#include <algorithm>

namespace tidemark {

void NullSchedule::Start(uint32_t stream, uint32_t generation, uint32_t events, int64_t now) {
  if (events > 0) firsts_.push_back({now + first_ns_, stream, generation, events});
}

std::optional<int64_t> NullSchedule::NextDue() const {
  if (firsts_.empty() && followers_.empty()) return std::nullopt;
  if (firsts_.empty()) return followers_.front().due;
  if (followers_.empty()) return firsts_.front().due;
  return std::min(firsts_.front().due, followers_.front().due);
}

std::optional<NullSchedule::Turn> NullSchedule::Take(int64_t now) {
  const std::optional<int64_t> next = NextDue();
  if (!next.has_value() || *next > now) return std::nullopt;
  // New streams first: without gaps, one that is under way would else keep the others waiting until its end.
  std::deque<Turn>& queue = !firsts_.empty() && firsts_.front().due == *next ? firsts_ : followers_;
  const Turn turn = queue.front();
  queue.pop_front();
  if (turn.left > 1) followers_.push_back({turn.due + gap_ns_, turn.stream, turn.generation, turn.left - 1});
  return turn;
}

}  // namespace tidemark
