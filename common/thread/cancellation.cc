#include "common/thread/cancellation.h"

#include <utility>

namespace tidemark {

Cancellation::Hook::Hook(Cancellation* cancellation, std::function<void()> stop)
    : cancellation_(cancellation) {
  MutexLock lock(cancellation_->mutex_);
  if (cancellation_->cancelled_) stop();
  cancellation_->stop_ = std::move(stop);
}

Cancellation::Hook::~Hook() {
  MutexLock lock(cancellation_->mutex_);
  cancellation_->stop_ = nullptr;
}

void Cancellation::Cancel() {
  MutexLock lock(mutex_);
  if (cancelled_.exchange(true)) return;
  if (stop_) stop_();
}

}  // namespace tidemark
