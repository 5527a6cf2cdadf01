#ifndef TIDEMARK_AGENT_EXPORTER_AGENT_METRICS_H_
#define TIDEMARK_AGENT_EXPORTER_AGENT_METRICS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "agent/core/session_machine/session_step.h"
#include "common/clock/clock.h"
#include "common/measurement/facts.h"
#include "common/mutex.h"

namespace tidemark {

struct AgentMetricsOptions {
  std::string version;
  std::string agent_id;
  uint64_t capacity = 0;  // concurrent requests
  std::string spool_dir;  // empty: no records are kept
  uint64_t spool_limit_bytes = 0;
};

// An agent's own health, as Prometheus's text: what the session's turns have shown, and of the process and its
// control group what the kernel says at the scrape. Costs nothing a request or token. Thread-safe.
class AgentMetrics {
 public:
  // `clock` must outlive it.
  AgentMetrics(AgentMetricsOptions options, const Clock* clock) : options_(std::move(options)), clock_(clock) {}

  // AgentSessionOptions::observe. From one thread.
  void OnStep(const SessionStep& step);

  // The page (kMetricPageType).
  std::string Text() const;

  // Empty when a coordinator has welcomed this agent; else what it waits for.
  std::string WhyNotReady() const;

 private:
  struct State {
    bool connected = false;
    std::optional<int64_t> send_deadline;  // the lease's end
    uint64_t streams = 0;                  // opened
    uint64_t stale_messages = 0;
    std::optional<LevelKey> level;
    uint32_t slots = 0;
    uint64_t in_flight = 0;
    OutcomeCounts measured, unmeasured;  // since the process started
    uint64_t loop_silent_ms = 0;
    uint64_t loop_lag_p99_us = 0;
    double loop_cpu = 0;  // of one core
    uint64_t records_lost = 0;
  };
  static void Note(const AgentEvent& event, State& state);
  static void Note(const AgentEffect& effect, State& state);

  const AgentMetricsOptions options_;
  const Clock* const clock_;
  mutable Mutex mutex_;
  State state_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_EXPORTER_AGENT_METRICS_H_
