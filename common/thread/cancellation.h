#ifndef TIDEMARK_COMMON_THREAD_CANCELLATION_H_
#define TIDEMARK_COMMON_THREAD_CANCELLATION_H_

#include <atomic>
#include <functional>

#include "common/mutex.h"

namespace tidemark {

// Says once, and for good, that a job's result is not wanted any more. Thread-safe.
class Cancellation {
 public:
  // While it lives, Cancel calls `stop` (at once when it has been called already): what a blocked job
  // is woken by. At most one at a time; must not outlive the cancellation. `stop` must not block; it is
  // not running any more once the destructor has returned.
  class Hook {
   public:
    Hook(Cancellation* cancellation, std::function<void()> stop);
    ~Hook();
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;

   private:
    Cancellation* const cancellation_;
  };

  // Idempotent.
  void Cancel();
  bool cancelled() const { return cancelled_; }

 private:
  Mutex mutex_;
  std::atomic<bool> cancelled_{false};
  std::function<void()> stop_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_THREAD_CANCELLATION_H_
