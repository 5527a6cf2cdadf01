#ifndef TIDEMARK_AGENT_HTTP_TIMER_QUEUE_H_
#define TIDEMARK_AGENT_HTTP_TIMER_QUEUE_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "agent/http/event_loop.h"

namespace tidemark {

// Tasks by absolute time; those of one time run in the order they were added. Cancelled ones are
// skipped when they come up, and swept out when they are most of the heap. Pure; thread-compatible.
class TimerQueue {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  EventLoop::TimerId Add(int64_t when, std::function<void()> task);
  void Cancel(EventLoop::TimerId timer);

  // Time of the earliest task; kNever when there is none.
  int64_t Earliest();
  // Runs every task due at `now` that was added before the call; tasks may add and cancel.
  void RunDue(int64_t now);
  size_t size() const { return tasks_.size(); }

 private:
  struct Entry {
    int64_t when;
    EventLoop::TimerId id;
  };
  static bool Later(const Entry& a, const Entry& b);
  void DropCancelled();
  void SweepIfMostlyCancelled();

  std::vector<Entry> heap_;
  std::unordered_map<EventLoop::TimerId, std::function<void()>> tasks_;
  EventLoop::TimerId next_id_ = 1;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_TIMER_QUEUE_H_
