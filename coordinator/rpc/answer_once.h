// Private to coordinator/rpc.
#ifndef TIDEMARK_COORDINATOR_RPC_ANSWER_ONCE_H_
#define TIDEMARK_COORDINATOR_RPC_ANSWER_ONCE_H_

#include <atomic>
#include <memory>
#include <utility>

#include "coordinator/rpc/benchmark_service.h"

namespace tidemark {

// An answer that reaches `answer` once: the first counts, and one that is dropped without having been given (the
// coordinator ends) is Unavailable, so that no call stays open.
template <typename T>
BenchmarkHandler::Answer<T> AnswerOnce(BenchmarkHandler::Answer<T> answer) {
  class Pending {
   public:
    explicit Pending(BenchmarkHandler::Answer<T> answer) : answer_(std::move(answer)) {}
    ~Pending() { Give(absl::UnavailableError("the coordinator is shutting down")); }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;

    void Give(absl::StatusOr<T> value) {
      if (!given_.exchange(true)) answer_(std::move(value));
    }

   private:
    const BenchmarkHandler::Answer<T> answer_;
    std::atomic<bool> given_{false};
  };
  return [pending = std::make_shared<Pending>(std::move(answer))](absl::StatusOr<T> value) {
    pending->Give(std::move(value));
  };
}

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_ANSWER_ONCE_H_
