#ifndef TIDEMARK_COORDINATOR_DRIVER_LIVE_VIEW_H_
#define TIDEMARK_COORDINATOR_DRIVER_LIVE_VIEW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "coordinator/core/job/job_machine.h"

namespace tidemark {

// What is to be seen of a running level. Plain values.
struct LiveLevel {
  LevelKey key;
  LevelPhase phase = LevelPhase::kPreparing;
  uint32_t concurrency = 0;
  uint64_t request_count = 0;      // measured, planned
  uint64_t done = 0;               // measured, ended
  uint64_t failed = 0;             // measured
  uint64_t in_flight = 0;
  double output_tokens_per_s = 0;  // of measured successes, since measuring began
  std::optional<double> latency_p99_ms;
  double elapsed_s = 0;            // of the level
  std::optional<double> left_s;    // of the level, by its pace so far
};

// Merges what agents report into a LiveLevel. Times: CLOCK_MONOTONIC ns. Thread-compatible.
class LiveView {
 public:
  void OnPhase(const PhaseChanged& phase, int64_t now);
  void OnFacts(const std::string& agent, const MeasuredFacts& facts);
  LiveLevel At(int64_t now) const;
  // What was reported of the current attempt, merged: counts, failures, tokens and the three latencies that are shown. The
  // rest (slices, addresses, …) is the level machine's, and large.
  const MeasuredFacts& facts() const { return facts_; }

 private:
  LiveLevel level_;
  int64_t begun_at_ = 0;
  int64_t measuring_since_ = 0;
  MeasuredFacts facts_;
  std::map<std::string, uint64_t> in_flight_;  // by agent
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_LIVE_VIEW_H_
