#include "common/thread/serial_worker.h"

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

// Longest single wait: a bound for the case that a notification were lost.
constexpr int64_t kMaxWait = kNanosPerSecond;

}  // namespace

SerialWorker::SerialWorker(const Clock* clock) : clock_(clock), thread_([this] { Run(); }) {}

SerialWorker::~SerialWorker() { Stop(); }

void SerialWorker::Post(std::function<void()> task) {
  MutexLock lock(mutex_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  changed_.NotifyOne();
}

void SerialWorker::WakeAt(int64_t when, std::function<void()> task) {
  MutexLock lock(mutex_);
  wake_at_ = when;
  wake_ = std::move(task);
  changed_.NotifyOne();
}

void SerialWorker::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

void SerialWorker::Run() {
  while (std::function<void()> task = Next()) task();
}

// Waits for something to do; empty when it is time to end.
std::function<void()> SerialWorker::Next() {
  MutexLock lock(mutex_);
  while (true) {
    if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      return task;
    }
    if (stopping_) return nullptr;
    const int64_t now = clock_->MonotonicNanos();
    if (wake_at_ && *wake_at_ <= now) {
      wake_at_.reset();
      return std::exchange(wake_, nullptr);
    }
    changed_.WaitFor(mutex_, wake_at_ ? std::min(*wake_at_ - now, kMaxWait) : kMaxWait);
  }
}

}  // namespace tidemark
