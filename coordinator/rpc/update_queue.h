#ifndef TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_
#define TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// Bytes that may wait for all watchers together. Thread-safe.
class UpdateBudget {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;

  explicit UpdateBudget(size_t bytes = kMostBytes) : left_(static_cast<int64_t>(bytes)) {}

  // False: there are not so many left, and none is taken.
  [[nodiscard]] bool Take(size_t bytes) {
    if (left_.fetch_sub(static_cast<int64_t>(bytes)) >= static_cast<int64_t>(bytes)) return true;
    Give(bytes);
    return false;
  }
  void Give(size_t bytes) { left_.fetch_add(static_cast<int64_t>(bytes)); }

 private:
  std::atomic<int64_t> left_;
};

// What waits for one watcher of a job: all in order, but of progress only the latest. Thread-compatible.
class UpdateQueue {
 public:
  // Of what may wait: far above a job's levels and the notes of a bad hour.
  static constexpr size_t kMostUpdates = 4'096;
  static constexpr size_t kMostBytes = size_t{64} << 20;

  explicit UpdateQueue(std::shared_ptr<UpdateBudget> budget) : budget_(std::move(budget)) {}
  ~UpdateQueue() { Clear(); }
  UpdateQueue(const UpdateQueue&) = delete;
  UpdateQueue& operator=(const UpdateQueue&) = delete;

  // False when the queue is full, or all queues together are: the update is not kept.
  [[nodiscard]] bool Push(const v1::JobUpdate& update);

  bool empty() const { return updates_.empty(); }
  // REQUIRES: !empty().
  v1::JobUpdate Pop();
  void Clear();

 private:
  void DropProgress();
  void Forget(size_t bytes);

  const std::shared_ptr<UpdateBudget> budget_;
  std::list<v1::JobUpdate> updates_;
  std::list<v1::JobUpdate>::iterator progress_ = updates_.end();  // the one that waits
  size_t bytes_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_UPDATE_QUEUE_H_
