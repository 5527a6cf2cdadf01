#ifndef TIDEMARK_COMMON_MUTEX_H_
#define TIDEMARK_COMMON_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

// Locks with clang's capability annotations (-Wthread-safety). Debian's absl::Mutex gives false
// reports under TSan, so locks are std's.
#if defined(__clang__)
#define TIDEMARK_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TIDEMARK_THREAD_ATTRIBUTE(x)
#endif

#define TIDEMARK_CAPABILITY(x) TIDEMARK_THREAD_ATTRIBUTE(capability(x))
#define TIDEMARK_SCOPED_CAPABILITY TIDEMARK_THREAD_ATTRIBUTE(scoped_lockable)
#define TIDEMARK_GUARDED_BY(x) TIDEMARK_THREAD_ATTRIBUTE(guarded_by(x))
#define TIDEMARK_PT_GUARDED_BY(x) TIDEMARK_THREAD_ATTRIBUTE(pt_guarded_by(x))
#define TIDEMARK_REQUIRES(...) TIDEMARK_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TIDEMARK_EXCLUDES(...) TIDEMARK_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define TIDEMARK_ACQUIRE(...) TIDEMARK_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TIDEMARK_RELEASE(...) TIDEMARK_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TIDEMARK_NO_THREAD_SAFETY_ANALYSIS TIDEMARK_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace tidemark {

class TIDEMARK_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() TIDEMARK_ACQUIRE() { mutex_.lock(); }
  void Unlock() TIDEMARK_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class TIDEMARK_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TIDEMARK_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() TIDEMARK_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Waits at most `nanos` (negative counts as 0) for a notification; spurious wake-ups happen.
  // Returns false when the time ran out.
  bool WaitFor(Mutex& mutex, int64_t nanos) TIDEMARK_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool notified = condition_.wait_for(lock, std::chrono::nanoseconds(nanos < 0 ? 0 : nanos)) ==
                          std::cv_status::no_timeout;
    lock.release();
    return notified;
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MUTEX_H_
