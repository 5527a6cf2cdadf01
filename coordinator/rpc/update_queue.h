#ifndef TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_
#define TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_

#include <cstddef>
#include <list>

#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// What waits for one watcher of a job: all in order, but of progress only the latest. Thread-compatible.
class UpdateQueue {
 public:
  // Of what may wait: far above a job's levels and the notes of a bad hour.
  static constexpr size_t kMostUpdates = 4'096;
  static constexpr size_t kMostBytes = size_t{64} << 20;

  UpdateQueue() = default;
  UpdateQueue(const UpdateQueue&) = delete;
  UpdateQueue& operator=(const UpdateQueue&) = delete;

  // False when the queue is full: the update is not kept.
  [[nodiscard]] bool Push(const v1::JobUpdate& update);

  bool empty() const { return updates_.empty(); }
  // REQUIRES: !empty().
  v1::JobUpdate Pop();
  void Clear();

 private:
  void DropProgress();

  std::list<v1::JobUpdate> updates_;
  std::list<v1::JobUpdate>::iterator progress_ = updates_.end();  // the one that waits
  size_t bytes_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_
