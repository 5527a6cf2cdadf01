#include "common/session/delta_sequence.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {

void DeltaSender::Add(MeasuredFacts facts) {
  if (facts.Empty()) return;
  pending_.in_flight_now = 0;
  pending_.Merge(facts);
  has_pending_ = true;
}

// Numbers what is pending, once the window has room: until then it goes on merging.
void DeltaSender::Cut() {
  if (!has_pending_ || cut_.size() >= options_.window) return;
  for (v1::Delta& delta : SplitDelta(pending_, options_.max_bytes)) {
    delta.set_sequence(++last_sequence_);
    cut_.push_back(std::move(delta));
  }
  pending_ = MeasuredFacts();
  has_pending_ = false;
}

std::vector<v1::Delta> DeltaSender::TakeToSend() {
  Cut();
  std::vector<v1::Delta> out;
  const size_t end = std::min(cut_.size(), options_.window);
  for (; written_ < end; ++written_) out.push_back(cut_[written_]);
  if (!out.empty()) sent_sequence_ = std::max(sent_sequence_, out.back().sequence());
  return out;
}

void DeltaSender::Acknowledge(uint64_t sequence) {
  if (sequence > sent_sequence_) return;
  while (!cut_.empty() && cut_.front().sequence() <= sequence) {
    cut_.pop_front();
    if (written_ > 0) --written_;
  }
}

absl::StatusOr<bool> DeltaReceiver::Receive(uint64_t sequence) {
  if (sequence == 0) return absl::FailedPreconditionError("delta 0: deltas are numbered from 1");
  if (sequence <= last_sequence_) return false;
  if (sequence != last_sequence_ + 1) {
    return absl::FailedPreconditionError(absl::StrCat("delta ", sequence, " came after delta ",
                                                      last_sequence_, ": delta ",
                                                      last_sequence_ + 1, " is missing"));
  }
  last_sequence_ = sequence;
  return true;
}

}  // namespace tidemark
