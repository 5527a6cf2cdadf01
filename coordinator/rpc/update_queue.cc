#include "coordinator/rpc/update_queue.h"

#include <utility>

namespace tidemark {

bool UpdateQueue::Push(const v1::JobUpdate& update) {
  if (update.has_progress()) DropProgress();
  const size_t bytes = update.ByteSizeLong();
  if (updates_.size() >= kMostUpdates || bytes_ + bytes > kMostBytes || !budget_->Take(bytes)) return false;
  updates_.push_back(update);
  bytes_ += bytes;
  if (update.has_progress()) progress_ = std::prev(updates_.end());
  return true;
}

v1::JobUpdate UpdateQueue::Pop() {
  if (progress_ == updates_.begin()) progress_ = updates_.end();
  v1::JobUpdate update = std::move(updates_.front());
  updates_.pop_front();
  Forget(update.ByteSizeLong());
  return update;
}

void UpdateQueue::Clear() {
  updates_.clear();
  progress_ = updates_.end();
  Forget(bytes_);
}

void UpdateQueue::Forget(size_t bytes) {
  bytes_ -= bytes;
  budget_->Give(bytes);
}

// The one that waits is out of date; the new one goes to the end, for what came between them is older too.
void UpdateQueue::DropProgress() {
  if (progress_ == updates_.end()) return;
  Forget(progress_->ByteSizeLong());
  updates_.erase(progress_);
  progress_ = updates_.end();
}

}  // namespace tidemark
