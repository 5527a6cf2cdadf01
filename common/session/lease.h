#ifndef TIDEMARK_COMMON_SESSION_LEASE_H_
#define TIDEMARK_COMMON_SESSION_LEASE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

// The lease of one agent, seen from its two ends. The agent counts from the SEND time of the last
// heartbeat that was acknowledged, the coordinator from the RECEIPT of the last heartbeat, so with
// equal lengths the agent's always ends first, whatever the network's delay and without comparing
// clocks. Times are each side's own CLOCK_MONOTONIC, ns. Thread-compatible.
namespace tidemark {

inline constexpr int64_t kDefaultLease = 5'000'000'000;      // ns
inline constexpr int64_t kDefaultHeartbeat = 1'000'000'000;  // ns

class AgentLease {
 public:
  // Begins with Hello, which counts as a heartbeat acknowledged by Welcome.
  void Begin(int64_t hello_sent_at, int64_t length);

  void HeartbeatSent(uint64_t number, int64_t now);

  // The lease now runs from the send time of heartbeat `number`. Late, repeated, or unknown
  // acknowledgements never shorten it.
  void HeartbeatAcknowledged(uint64_t number);

  // Nothing is held any more.
  void End();

  bool held(int64_t now) const { return begun_ && now < expires_at_; }
  bool begun() const { return begun_; }
  int64_t expires_at() const { return expires_at_; }  // REQUIRES: begun()

 private:
  // Heartbeats remembered while no acknowledgement comes; more than a lease holds.
  static constexpr size_t kMaxUnacknowledged = 64;

  bool begun_ = false;
  int64_t length_ = 0;
  int64_t expires_at_ = 0;
  std::deque<std::pair<uint64_t, int64_t>> sent_;  // number, send time
};

class CoordinatorLease {
 public:
  CoordinatorLease(int64_t length, int64_t now) : length_(length), expires_at_(now + length) {}

  // A heartbeat (or Hello) was received.
  void Renew(int64_t now);

  bool held(int64_t now) const { return now < expires_at_; }
  int64_t expires_at() const { return expires_at_; }

 private:
  int64_t length_;
  int64_t expires_at_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SESSION_LEASE_H_
