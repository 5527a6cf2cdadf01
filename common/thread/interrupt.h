// Ctrl-C and SIGTERM as calls on a thread of their own.
#ifndef TIDEMARK_COMMON_THREAD_INTERRUPT_H_
#define TIDEMARK_COMMON_THREAD_INTERRUPT_H_

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"

namespace tidemark {

// Thread-safe. While it lives SIGINT and SIGTERM end nothing by themselves.
class InterruptWatch {
 public:
  // `count` is 1 at the first signal: drain. From 2 on: cancel at once. Runs on the watch's thread.
  using Callback = std::function<void(int signal, int count)>;

  // Blocks both signals for the calling thread and those that it starts from now on: call it before
  // any other thread is started. Error: Internal with the system's reason.
  static absl::StatusOr<std::unique_ptr<InterruptWatch>> Start(Callback callback);

  // Ends the thread, waiting for a callback in progress, and lets the signals act again.
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // The first signal that came; 0 for none.
  int first_signal() const { return first_signal_.load(); }

 private:
  InterruptWatch(Callback callback, int signal_fd, int stop_fd);
  void Loop();
  void Handle(int signal);

  const Callback callback_;
  const int signal_fd_;
  const int stop_fd_;
  std::atomic<int> first_signal_{0};
  int count_ = 0;  // of the watch's thread
  std::thread thread_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_THREAD_INTERRUPT_H_
