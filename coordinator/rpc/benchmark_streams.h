// The streaming calls of the Benchmark service. Private to coordinator/rpc.
#ifndef TIDEMARK_COORDINATOR_RPC_BENCHMARK_STREAMS_H_
#define TIDEMARK_COORDINATOR_RPC_BENCHMARK_STREAMS_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>

#include "common/thread/serial_worker.h"
#include "coordinator/rpc/benchmark_service.h"
#include "coordinator/rpc/update_queue.h"

namespace tidemark {

// With the same code; the text is cut to what fits into a call's trailer.
grpc::Status ToGrpc(const absl::Status& status);

// A bound on calls of one kind at a time. Thread-safe; must outlive its slots.
class CallSlots {
 public:
  explicit CallSlots(int most) : free_(most) {}

  // Taken until it is dropped; null when there is none.
  std::shared_ptr<void> Take() {
    if (free_.fetch_sub(1) > 0) return {&free_, [](std::atomic<int>* free) { free->fetch_add(1); }};
    free_.fetch_add(1);
    return nullptr;
  }

 private:
  std::atomic<int> free_;
};

// Reactors that live until their call is done, as does `slot`. `handler` must outlive the call.
grpc::ServerWriteReactor<v1::JobUpdate>* StartWatch(BenchmarkHandler* handler, std::shared_ptr<void> slot,
                                                    std::shared_ptr<UpdateBudget> budget,
                                                    const v1::WatchJobRequest& request);

// Files are read on `disk`, which must outlive the call too.
grpc::ServerWriteReactor<v1::ArtifactChunk>* StartDownload(BenchmarkHandler* handler, std::shared_ptr<void> slot,
                                                           SerialWorker* disk,
                                                           const v1::DownloadArtifactsRequest& request);

// A call that ends at once.
template <typename T>
grpc::ServerWriteReactor<T>* Refused(const absl::Status& status) {
  class Reactor final : public grpc::ServerWriteReactor<T> {
   public:
    explicit Reactor(const absl::Status& status) { this->Finish(ToGrpc(status)); }
    void OnDone() override { delete this; }
  };
  return new Reactor(status);
}

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_BENCHMARK_STREAMS_H_
