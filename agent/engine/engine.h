#ifndef TIDEMARK_AGENT_ENGINE_ENGINE_H_
#define TIDEMARK_AGENT_ENGINE_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/engine/target_access.h"
#include "common/clock/clock.h"
#include "common/measurement/facts.h"
#include "common/job/level_task.h"

namespace tidemark {

struct EngineOptions {
  uint32_t loops = 0;            // event-loop threads; 0: one for each 2,000 slots, at most the cores
  std::string spool_dir;         // per-request records are spooled here; empty: none are kept
  uint64_t spool_limit_bytes = uint64_t{4} << 30;
  TargetAccess access;
};

// What the engine reports; posted by its threads, so the sink must be thread-safe and quick.
struct EngineEvents {
  std::function<void(absl::Status, std::vector<std::string> addresses)> ready;
  std::function<void(int64_t skew_ns)> started;
  std::function<void(bool deadline_passed, uint64_t mean_latency_us)> warm;
  std::function<void()> share_done;
  std::function<void(MeasuredFacts)> facts;     // merged over loops; at most once a second, and once
                                                // more, with all that is left, just before stopped
  std::function<void(FinalSnapshot)> stopped;   // `deltas` is left 0: the session counts them
};

// Runs one level at a time of this agent's share. Thread-compatible (one owner); never blocks longer
// than it takes to start threads; all outcomes come through the events, in the order of the members
// above. Prepare may be called again after `stopped` (or before Arm).
class Engine {
 public:
  virtual ~Engine() = default;

  virtual void Prepare(const LevelTask& task, EngineEvents events) = 0;
  // RAMP starts at `start` (CLOCK_MONOTONIC ns); `slice_origin`: slice 0 on this machine's clock.
  virtual void Arm(int64_t start, int64_t slice_origin) = 0;
  virtual void Measure(int64_t start) = 0;
  // Cancels fillers now; measured requests in flight may take `drain_ns` more. Idempotent.
  virtual void Stop(int64_t drain_ns) = 0;
  // Stop that also cancels measured requests at once.
  virtual void Cancel() = 0;
  // No further request is sent unless extended (lease); `until` CLOCK_MONOTONIC ns. Thread-safe, cheap.
  virtual void SetSendDeadline(int64_t until) = 0;

  // Milliseconds since each loop's last turn; empty between levels. Thread-safe.
  virtual std::vector<uint64_t> LoopSilenceMillis() const = 0;
  // Path of the spool file of the last stopped level; empty when there are no records.
  virtual std::string SpoolPath() const = 0;
};

std::unique_ptr<Engine> NewCurlEngine(EngineOptions options, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_ENGINE_H_
