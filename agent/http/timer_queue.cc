#include "agent/http/timer_queue.h"

#include <algorithm>
#include <utility>

namespace tidemark {

bool TimerQueue::Later(const Entry& a, const Entry& b) {
  return a.when != b.when ? a.when > b.when : a.id > b.id;
}

EventLoop::TimerId TimerQueue::Add(int64_t when, std::function<void()> task) {
  const EventLoop::TimerId id = next_id_++;
  tasks_.emplace(id, std::move(task));
  heap_.push_back({when, id});
  std::push_heap(heap_.begin(), heap_.end(), Later);
  return id;
}

void TimerQueue::Cancel(EventLoop::TimerId timer) {
  if (tasks_.erase(timer) > 0) SweepIfMostlyCancelled();
}

int64_t TimerQueue::Earliest() {
  DropCancelled();
  return heap_.empty() ? kNever : heap_.front().when;
}

void TimerQueue::RunDue(int64_t now) {
  const EventLoop::TimerId end = next_id_;
  std::vector<Entry> added;  // due, but added by the tasks themselves: they wait for the next call
  for (DropCancelled(); !heap_.empty() && heap_.front().when <= now; DropCancelled()) {
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    heap_.pop_back();
    if (entry.id >= end) {
      added.push_back(entry);
      continue;
    }
    const auto it = tasks_.find(entry.id);
    const std::function<void()> task = std::move(it->second);
    tasks_.erase(it);
    task();
  }
  for (const Entry& entry : added) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
}

void TimerQueue::DropCancelled() {
  while (!heap_.empty() && tasks_.count(heap_.front().id) == 0) {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    heap_.pop_back();
  }
}

void TimerQueue::SweepIfMostlyCancelled() {
  if (heap_.size() < 2 * tasks_.size() + 64) return;
  heap_.erase(std::remove_if(heap_.begin(), heap_.end(),
                             [this](const Entry& e) { return tasks_.count(e.id) == 0; }),
              heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), Later);
}

}  // namespace tidemark
