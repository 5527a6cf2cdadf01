// One level of the real engine against the null endpoint.
#ifndef TIDEMARK_CLI_SELFTEST_TRIAL_H_
#define TIDEMARK_CLI_SELFTEST_TRIAL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agent/engine/engine.h"
#include "cli/selftest_search.h"
#include "common/clock/clock.h"

namespace tidemark {

// The null endpoint's schedule: its first event after `delay_ms`, then one each `itl_ms`.
struct NullSchedule {
  uint32_t delay_ms = 100, itl_ms = 20;
  uint32_t events = 50;  // of a request, as asked for

  double RequestMs() const { return delay_ms + static_cast<double>(itl_ms) * (events - 1); }
};

struct TrialPlan {
  std::string url;  // of chat completions
  NullSchedule schedule;
  uint32_t streams = 1;
  int64_t window_ns = 2 * kNanosPerSecond;  // of measured starts
};

// How long a trial takes: ramp, warm-up, window and the last requests.
int64_t TrialNanos(const TrialPlan& plan);

// Runs it to its end. Blocks for TrialNanos and at most 10 s more; DeadlineExceeded after that, and what the
// engine says when it cannot set up.
absl::StatusOr<SelftestTrial> RunTrial(Engine& engine, const TrialPlan& plan, const Clock& clock);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SELFTEST_TRIAL_H_
