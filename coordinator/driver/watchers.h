#ifndef TIDEMARK_COORDINATOR_DRIVER_WATCHERS_H_
#define TIDEMARK_COORDINATOR_DRIVER_WATCHERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/mutex.h"
#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// Who wants to hear of which job. Thread-safe: watchers come and go on any thread, and are told on the owner's.
// A watcher that is removed hears nothing more once Remove has returned; it must not be called from its own
// functions.
class Watchers {
 public:
  using Update = std::function<void(const v1::JobUpdate&)>;
  using Ended = std::function<void(absl::Status)>;

  uint64_t Add(std::string job_id, Update update, Ended ended);
  void Remove(uint64_t watcher);

  // Nothing for one that was removed.
  void Tell(uint64_t watcher, const v1::JobUpdate& update);
  // The watcher hears this last, and is removed.
  void End(uint64_t watcher, const absl::Status& status);

  // From now on it is told of its job's updates (before, what is told to it alone must go first).
  void Follow(uint64_t watcher);
  void TellAll(const std::string& job_id, const v1::JobUpdate& update);
  void EndAll(const std::string& job_id, const absl::Status& status);
  void EndEvery(const absl::Status& status);

 private:
  struct Watcher {
    Mutex mutex;
    std::string job_id;
    Update update TIDEMARK_GUARDED_BY(mutex);
    Ended ended TIDEMARK_GUARDED_BY(mutex);
    bool gone TIDEMARK_GUARDED_BY(mutex) = false;
    bool follows TIDEMARK_GUARDED_BY(mutex) = false;
  };
  std::shared_ptr<Watcher> Find(uint64_t watcher);
  std::vector<uint64_t> Of(const std::string& job_id);  // "": all

  Mutex mutex_;
  uint64_t last_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<Watcher>> watchers_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_WATCHERS_H_
