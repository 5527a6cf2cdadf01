// When each running sequence emits each of its tokens: the seam between the server and the rule
// that paces it. Implementations are pure state machines over a time that the caller passes in.
#ifndef TIDEMARK_SIMULATOR_TOKEN_SCHEDULE_H_
#define TIDEMARK_SIMULATOR_TOKEN_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark {

// Nanoseconds of one monotonic clock; any origin.
using SimTime = int64_t;

// Later than this, a schedule gives up the time it lost and goes on from now.
inline constexpr SimTime kHopelesslyLate = 1'000'000'000;

struct Sequence {
  uint64_t id = 0;
  int64_t prompt_tokens = 0;
  int64_t output_tokens = 1;
};

struct TokenEmission {
  uint64_t id = 0;
  int64_t index = 0;  // 0 is the sequence's first token
  bool last = false;
};

// Thread-compatible.
class TokenSchedule {
 public:
  virtual ~TokenSchedule() = default;

  // A request has been read at `now`. Times of successive calls never go back. Ids are unique.
  virtual void Arrive(SimTime now, const Sequence& sequence) = 0;

  // Forgets the sequence; false when it is not (or no longer) here.
  virtual bool Cancel(uint64_t id) = 0;

  // The next time at which EmitNext has work; empty when idle.
  virtual std::optional<SimTime> NextDue() const = 0;

  // Appends what is emitted at *NextDue(), and plans on from that time, not from `now`, so that a
  // late caller causes no drift. Only a caller later than kHopelesslyLate moves the plan to `now`;
  // then the answer is true. REQUIRES: NextDue() has a value that is <= now.
  virtual bool EmitNext(SimTime now, std::vector<TokenEmission>* out) = 0;

  virtual size_t running() const = 0;
  virtual size_t waiting() const = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_TOKEN_SCHEDULE_H_
