#ifndef TIDEMARK_COMMON_THREAD_REAPER_H_
#define TIDEMARK_COMMON_THREAD_REAPER_H_

#include <atomic>
#include <functional>
#include <list>
#include <thread>

namespace tidemark {

// Runs jobs that may block, each on a thread of its own, and joins the threads when that takes no time:
// those that have ended when the next job comes, the others at the end. Thread-compatible.
class Reaper {
 public:
  Reaper() = default;
  // Waits for all jobs: what they need must live that long, and what blocks them must have been told.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Never waits for a job.
  void Run(std::function<void()> job);
  // Waits for all jobs.
  void Join();

 private:
  struct Worker {
    std::atomic<bool> ended{false};
    std::thread thread;
  };

  std::list<Worker> workers_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_THREAD_REAPER_H_
