#ifndef TIDEMARK_COMMON_THREAD_SERIAL_WORKER_H_
#define TIDEMARK_COMMON_THREAD_SERIAL_WORKER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>

#include "common/clock/clock.h"
#include "common/mutex.h"

namespace tidemark {

// A thread that owns something: it alone runs the tasks that others post, in the order posted, and one
// wake-up task at a time. The owner of a state machine. Thread-safe.
class SerialWorker {
 public:
  // `clock` must outlive the worker.
  explicit SerialWorker(const Clock* clock);
  // Stop().
  ~SerialWorker();
  SerialWorker(const SerialWorker&) = delete;
  SerialWorker& operator=(const SerialWorker&) = delete;

  // Runs `task` on the thread after all that was posted before. Dropped after Stop.
  void Post(std::function<void()> task);

  // Runs `task` once, at `when` (CLOCK_MONOTONIC ns) or soon after; replaces the wake-up set before.
  void WakeAt(int64_t when, std::function<void()> task);

  // Runs what was posted, then ends the thread. Idempotent. Not from a task.
  void Stop();

 private:
  void Run();
  std::function<void()> Next();

  const Clock* const clock_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<int64_t> wake_at_ TIDEMARK_GUARDED_BY(mutex_);
  std::function<void()> wake_ TIDEMARK_GUARDED_BY(mutex_);
  bool stopping_ TIDEMARK_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_THREAD_SERIAL_WORKER_H_
