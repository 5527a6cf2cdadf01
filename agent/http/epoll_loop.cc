#include "agent/http/epoll_loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

// Few enough that a turn stays short: timers and posted tasks wait for its end.
constexpr int kEventsATurn = 256;
// No wait is endless, not even with nothing to wait for.
constexpr int kMaxWaitMillis = 1'000;
constexpr uint64_t kTimerKey = UINT64_MAX;
constexpr uint64_t kWakeKey = UINT64_MAX - 1;

bool Add(int epoll_fd, int fd, uint64_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void Drain(int fd) {
  uint64_t count;
  // One read empties an eventfd and a timerfd; both are non-blocking.
  [[maybe_unused]] const ssize_t got = read(fd, &count, sizeof(count));
}

}  // namespace

absl::StatusOr<std::unique_ptr<EpollLoop>> EpollLoop::Create(const Clock* clock) {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  const int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  const int wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::unique_ptr<EpollLoop> loop(new EpollLoop(clock, epoll_fd, timer_fd, wake_fd));
  if (epoll_fd < 0 || timer_fd < 0 || wake_fd < 0 || !Add(epoll_fd, timer_fd, kTimerKey) ||
      !Add(epoll_fd, wake_fd, kWakeKey)) {
    return absl::UnavailableError(absl::StrCat("cannot make an event loop: ", strerror(errno),
                                               " (raise the limit of open files, ulimit -n)"));
  }
  return loop;
}

EpollLoop::EpollLoop(const Clock* clock, int epoll_fd, int timer_fd, int wake_fd)
    : clock_(clock),
      epoll_fd_(epoll_fd),
      timer_fd_(timer_fd),
      wake_fd_(wake_fd),
      now_(clock->MonotonicNanos()),
      last_turn_(now_) {}

EpollLoop::~EpollLoop() {
  for (const int fd : {epoll_fd_, timer_fd_, wake_fd_}) {
    if (fd >= 0) close(fd);
  }
}

EventLoop::TimerId EpollLoop::At(int64_t when, std::function<void()> task) {
  return timers_.Add(when, std::move(task));
}

void EpollLoop::CancelTimer(TimerId timer) { timers_.Cancel(timer); }

void EpollLoop::Post(std::function<void()> task) {
  bool first;
  {
    MutexLock lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (!first) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

void EpollLoop::Stop() {
  Post([this] { stopped_ = true; });
}

bool EpollLoop::Run(const std::function<bool()>& done, int64_t deadline) {
  while (!stopped_ && !(done && done())) {
    if (FreshNow() >= deadline) return false;
    Turn(deadline);
  }
  return true;
}

void EpollLoop::Turn(int64_t deadline) {
  ArmTimer(std::min({timers_.Earliest(), lag_.next(), deadline}));
  epoll_event events[kEventsATurn];
  const int wait = turn_end_.empty() ? kMaxWaitMillis : 0;
  const int count = epoll_wait(epoll_fd_, events, kEventsATurn, wait);
  last_turn_.store(FreshNow(), std::memory_order_relaxed);
  lag_.OnWake(now_);
  for (int i = 0; i < count; ++i) HandleEvent(events[i].data.u64, events[i].events);
  FreshNow();
  RunPosted();
  timers_.RunDue(now_);
  RunTurnEnd();
}

void EpollLoop::ArmTimer(int64_t when) {
  if (when == armed_) return;
  // A timer that is too early only costs a turn; setting it is a system call.
  if (armed_ < when && armed_ > now_) return;
  armed_ = when;
  itimerspec spec{};
  if (when != TimerQueue::kNever) {
    const int64_t at = std::max<int64_t>(when, 1);  // 0 would disarm
    spec.it_value = {at / kNanosPerSecond, at % kNanosPerSecond};
  }
  timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void EpollLoop::HandleEvent(uint64_t key, uint32_t events) {
  if (key == kTimerKey) {
    Drain(timer_fd_);
    armed_ = TimerQueue::kNever;
    return;
  }
  if (key == kWakeKey) return;  // RunPosted drains it
  const int fd = static_cast<int>(key & 0xffffffff);
  Watch& watch = WatchOf(fd);
  if (watch.generation != key >> 32 || watch.events == 0) return;  // of a closed one
  if (watch.handler == nullptr) {  // ready though nobody asks: would wake us for ever
    epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
    watch.events = 0;
    return;
  }
  FreshNow();
  watch.handler->OnSocketReady(fd, events);
}

void EpollLoop::RunPosted() {
  std::vector<std::function<void()>> tasks;
  {
    MutexLock lock(mutex_);
    if (posted_.empty()) return;
    tasks.swap(posted_);
    Drain(wake_fd_);
  }
  for (const std::function<void()>& task : tasks) task();
}

void EpollLoop::RunTurnEnd() {
  turn_end_running_.swap(turn_end_);
  for (TurnEndTask* task : turn_end_running_) task->OnTurnEnd();
  turn_end_running_.clear();
}

void EpollLoop::DropTurnEnd(TurnEndTask* task) {
  turn_end_.erase(std::remove(turn_end_.begin(), turn_end_.end(), task), turn_end_.end());
}

EpollLoop::Watch& EpollLoop::WatchOf(int fd) {
  if (static_cast<size_t>(fd) >= watches_.size()) watches_.resize(fd + 1);
  return watches_[fd];
}

void EpollLoop::WatchSocket(int fd, uint32_t events, SocketHandler* handler) {
  Watch& watch = WatchOf(fd);
  watch.handler = handler;
  if (watch.events == events) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<uint64_t>(watch.generation) << 32 | static_cast<uint32_t>(fd);
  const int operation = watch.events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  watch.events = events;
  if (epoll_ctl(epoll_fd_, operation, fd, &event) != 0) {
    Log(LogLevel::kError, "cannot watch a socket", {{"error", strerror(errno)}});
  }
}

void EpollLoop::UnwatchSocket(int fd) { WatchOf(fd).handler = nullptr; }

void EpollLoop::ForgetSocket(int fd) {
  Watch& watch = WatchOf(fd);
  if (watch.events != 0) epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
  watch.handler = nullptr;
  watch.events = 0;
  ++watch.generation;
}

uint64_t EpollLoop::UnreadBytesMax(size_t sample) {
  uint64_t most = 0;
  for (size_t looked = 0; looked < watches_.size() && sample > 0; ++looked) {
    unread_cursor_ = (unread_cursor_ + 1) % watches_.size();
    if (watches_[unread_cursor_].handler == nullptr) continue;
    int unread = 0;
    if (ioctl(static_cast<int>(unread_cursor_), FIONREAD, &unread) == 0 && unread > 0) {
      most = std::max(most, static_cast<uint64_t>(unread));
    }
    --sample;
  }
  return most;
}

}  // namespace tidemark
