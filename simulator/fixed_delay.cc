#include "simulator/fixed_delay.h"

namespace tidemark {

void FixedDelay::Arrive(SimTime now, const Sequence& sequence) {
  streams_[sequence.id] = {0, sequence.output_tokens};
  due_.push({now + first_token_, sequence.id});
}

std::optional<SimTime> FixedDelay::NextDue() const {
  if (due_.empty()) return std::nullopt;
  return due_.top().time;
}

bool FixedDelay::EmitNext(SimTime now, std::vector<TokenEmission>* out) {
  const Due due = due_.top();
  due_.pop();
  const auto found = streams_.find(due.id);
  if (found == streams_.end()) return false;
  Progress& progress = found->second;
  const int64_t index = progress.emitted++;
  const bool last = progress.emitted == progress.output_tokens;
  out->push_back({due.id, index, last});
  const bool hopeless = now - due.time > kHopelesslyLate;
  if (last) {
    streams_.erase(found);
  } else {
    due_.push({(hopeless ? now : due.time) + inter_token_, due.id});
  }
  return hopeless;
}

}  // namespace tidemark
