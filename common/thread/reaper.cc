#include "common/thread/reaper.h"

#include <utility>

namespace tidemark {

Reaper::~Reaper() { Join(); }

void Reaper::Run(std::function<void()> job) {
  workers_.remove_if([](Worker& worker) {
    if (!worker.ended) return false;
    worker.thread.join();
    return true;
  });
  Worker& worker = workers_.emplace_back();
  worker.thread = std::thread([&worker, job = std::move(job)]() mutable {
    job();
    job = nullptr;  // what it held goes with it, not at the join
    worker.ended = true;
  });
}

void Reaper::Join() {
  for (Worker& worker : workers_) worker.thread.join();
  workers_.clear();
}

}  // namespace tidemark
