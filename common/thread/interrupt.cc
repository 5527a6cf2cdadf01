#include "common/thread/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

sigset_t InterruptSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

absl::StatusOr<std::unique_ptr<InterruptWatch>> InterruptWatch::Start(Callback callback) {
  const sigset_t signals = InterruptSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
  const int stop_fd = eventfd(0, EFD_CLOEXEC);
  if (signal_fd < 0 || stop_fd < 0) {
    const int error = errno;
    if (signal_fd >= 0) close(signal_fd);
    if (stop_fd >= 0) close(stop_fd);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    return absl::InternalError(absl::StrCat("cannot watch for signals: ", strerror(error)));
  }
  return std::unique_ptr<InterruptWatch>(
      new InterruptWatch(std::move(callback), signal_fd, stop_fd));
}

InterruptWatch::InterruptWatch(Callback callback, int signal_fd, int stop_fd)
    : callback_(std::move(callback)),
      signal_fd_(signal_fd),
      stop_fd_(stop_fd),
      thread_([this] { Loop(); }) {}

InterruptWatch::~InterruptWatch() {
  const uint64_t one = 1;
  (void)!write(stop_fd_, &one, sizeof(one));
  thread_.join();
  close(signal_fd_);
  close(stop_fd_);
  const sigset_t signals = InterruptSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void InterruptWatch::Loop() {
  pollfd fds[2] = {{signal_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
  while (true) {
    const int ready = poll(fds, 2, -1);  // ends by the destructor's write
    if (ready < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    signalfd_siginfo info{};
    if ((fds[0].revents & POLLIN) != 0 && read(signal_fd_, &info, sizeof(info)) == sizeof(info)) {
      Handle(static_cast<int>(info.ssi_signo));
    }
  }
}

void InterruptWatch::Handle(int signal) {
  int none = 0;
  first_signal_.compare_exchange_strong(none, signal);
  ++count_;
  if (callback_) callback_(signal, count_);
}

}  // namespace tidemark
