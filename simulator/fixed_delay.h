// A server without a queue: every stream on its own, its first token a fixed time after its
// request was read and then one each `inter_token` time. Its truth is known to the microsecond at
// any number of streams, so a client's clock can be judged by it.
#ifndef TIDEMARK_SIMULATOR_FIXED_DELAY_H_
#define TIDEMARK_SIMULATOR_FIXED_DELAY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "simulator/token_schedule.h"

namespace tidemark {

// Thread-compatible.
class FixedDelay : public TokenSchedule {
 public:
  // Nanoseconds. REQUIRES: both >= 0.
  FixedDelay(SimTime first_token, SimTime inter_token)
      : first_token_(first_token), inter_token_(inter_token) {}

  void Arrive(SimTime now, const Sequence& sequence) override;
  bool Cancel(uint64_t id) override { return streams_.erase(id) > 0; }
  std::optional<SimTime> NextDue() const override;
  bool EmitNext(SimTime now, std::vector<TokenEmission>* out) override;
  size_t running() const override { return streams_.size(); }
  size_t waiting() const override { return 0; }

 private:
  struct Due {
    SimTime time;
    uint64_t id;
    bool operator>(const Due& other) const {
      return time != other.time ? time > other.time : id > other.id;
    }
  };
  struct Progress {
    int64_t emitted;
    int64_t output_tokens;
  };

  const SimTime first_token_;
  const SimTime inter_token_;
  // A cancelled stream's entry stays in the heap until its time and then emits nothing.
  std::priority_queue<Due, std::vector<Due>, std::greater<Due>> due_;
  std::unordered_map<uint64_t, Progress> streams_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_FIXED_DELAY_H_
