#ifndef TIDEMARK_TESTS_E2E_CLUSTER_JOB_WATCH_H_
#define TIDEMARK_TESTS_E2E_CLUSTER_JOB_WATCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/benchmark_client.h"
#include "common/mutex.h"

namespace tidemark::testing {

// A moment of a job, as its watchers see it: a phase of a level's attempt begins ("preparing" … "records"), or
// "done": the level's result is there.
struct Moment {
  uint32_t level = 0;
  std::string phase;
  uint32_t attempt = 1;  // not of "done"

  bool operator==(const Moment& other) const {
    return level == other.level && phase == other.phase && (phase == "done" || attempt == other.attempt);
  }
};
std::string ToText(const Moment& moment);

// Follows a job from the moment it is made, on a thread of its own, also over restarts of the coordinator.
// Thread-safe.
class JobWatch {
 public:
  // `client` must outlive it.
  JobWatch(BenchmarkClient* client, std::string job_id);
  ~JobWatch();
  JobWatch(const JobWatch&) = delete;
  JobWatch& operator=(const JobWatch&) = delete;

  // Runs `act` once, on the watcher's thread, as soon as the moment is seen: for what must happen just then.
  // REQUIRES: before the moment. `act` may call nothing of this.
  void On(const Moment& moment, std::function<void()> act);
  // False when it has not been seen after `ms`.
  bool WaitFor(const Moment& moment, int64_t ms);
  // When it was seen first, ms on this host's monotonic clock.
  std::optional<int64_t> SeenAt(const Moment& moment);
  // The job once it has ended; fails the test when it has not after `ms`.
  v1::Job WaitForEnd(int64_t ms);

  std::vector<v1::LevelResult> levels();
  std::string notes();  // a line each
  std::string Story();  // every moment, for messages

 private:
  struct Act {
    Moment moment;
    std::function<void()> act;
  };
  struct Seen {
    Moment moment;
    int64_t at_ms = 0;
  };

  void Watch();
  void See(const Moment& moment);
  bool HasSeen(const Moment& moment) TIDEMARK_REQUIRES(mutex_);
  WatchEvents Events();

  BenchmarkClient* const client_;
  const std::string job_id_;
  Cancellation stop_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Act> acts_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<Seen> seen_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<v1::LevelResult> levels_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::string> notes_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<absl::StatusOr<v1::Job>> end_ TIDEMARK_GUARDED_BY(mutex_);
  std::thread thread_;  // after all that it uses
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_E2E_CLUSTER_JOB_WATCH_H_
