#ifndef TIDEMARK_COMMON_SESSION_DELTA_SEQUENCE_H_
#define TIDEMARK_COMMON_SESSION_DELTA_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measurement/facts.h"
#include "proto/tidemark/v1/measurement.pb.h"

// Facts travel as numbered deltas that are counted exactly once, whatever the stream loses, repeats
// or delays. One sender and one receiver for each attempt of a level on one agent.
namespace tidemark {

struct DeltaSenderOptions {
  size_t max_bytes = 60 * 1024;  // of one delta: leaves room for the rest of a 64 KiB message
  size_t window = 2;             // deltas sent and not acknowledged
};

// The agent's side. A delta that was numbered never changes again; facts that come while the window
// is full merge into the next one, so memory does not grow with the time that a stream is away.
// Thread-compatible.
class DeltaSender {
 public:
  explicit DeltaSender(DeltaSenderOptions options = {}) : options_(options) {}

  // New facts. Its in_flight_now replaces the one before, for it is a level and no count.
  void Add(MeasuredFacts facts);

  // The deltas to write now, in order; each is returned once for each stream. Call after Add,
  // Acknowledge and StreamRestarted.
  std::vector<v1::Delta> TakeToSend();

  // All deltas up to and including `sequence` are kept by the receiver. Numbers that were not sent,
  // or were acknowledged before, change nothing.
  void Acknowledge(uint64_t sequence);

  // A new stream: what is not acknowledged goes out again, byte for byte the same.
  void StreamRestarted() { written_ = 0; }

  // Nothing is left that TakeToSend would ever have to give on this stream.
  bool AllSent() const { return !has_pending_ && written_ == cut_.size(); }
  bool AllAcknowledged() const { return !has_pending_ && cut_.empty(); }

  // Deltas numbered so far; all there are once AllSent().
  uint64_t count() const { return last_sequence_; }

 private:
  void Cut();

  DeltaSenderOptions options_;
  MeasuredFacts pending_;
  bool has_pending_ = false;
  std::deque<v1::Delta>
      cut_;  // numbered, not acknowledged; the first `written_` are on this stream
  size_t written_ = 0;
  uint64_t last_sequence_ = 0;  // numbered
  uint64_t sent_sequence_ = 0;  // given to a stream at least once
};

// The coordinator's side. Thread-compatible.
class DeltaReceiver {
 public:
  // True: the next delta, count it. False: seen before, drop it. Either way acknowledge with
  // last_sequence(). FailedPrecondition: a gap; the stream must be closed, the agent then sends
  // again what is missing.
  absl::StatusOr<bool> Receive(uint64_t sequence);

  uint64_t last_sequence() const { return last_sequence_; }  // all up to and including it are kept

 private:
  uint64_t last_sequence_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SESSION_DELTA_SEQUENCE_H_
