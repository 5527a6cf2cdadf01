#include "agent/exporter/agent_metrics.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/engine/self_check.h"
#include "agent/exporter/agent_families.h"
#include "agent/exporter/process_facts.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/exposition/metric_page.h"
#include "common/overloaded.h"

namespace tidemark {
namespace {

constexpr double kMicrosPerSecond = 1e6, kMillisPerSecond = 1e3;

// One page in the making, in AgentFamilies' terms.
class Writer {
 public:
  Writer() : page_(AgentFamilies()) {}

  void Add(AgentFamily family, std::vector<std::string> labels, double value) {
    page_.Add(static_cast<size_t>(family), std::move(labels), value);
  }
  void Add(AgentFamily family, double value) { Add(family, {}, value); }
  void Add(AgentFamily family, uint64_t value) { Add(family, {}, static_cast<double>(value)); }
  std::string Text() const { return page_.Text(); }

 private:
  MetricPage page_;
};

void WriteRequests(const char* phase, const OutcomeCounts& counts, Writer& page) {
  page.Add(AgentFamily::kSent, {phase}, static_cast<double>(counts.sent));
  page.Add(AgentFamily::kEnded, {phase, "ok"}, static_cast<double>(counts.ok));
  page.Add(AgentFamily::kEnded, {phase, "failed"}, static_cast<double>(counts.failed));
  page.Add(AgentFamily::kEnded, {phase, "cancelled"}, static_cast<double>(counts.cancelled));
}

void WriteHost(Writer& page) {
  const CgroupThrottling throttling = ReadCgroupThrottling();
  page.Add(AgentFamily::kThrottled, static_cast<double>(throttling.throttled_ns) / kNanosPerSecond);
  page.Add(AgentFamily::kThrottledPeriods, throttling.throttled_periods);
  page.Add(AgentFamily::kPeriods, throttling.periods);
  const ProcessFacts process = ReadProcessFacts();
  page.Add(AgentFamily::kProcessCpu, process.cpu_seconds);
  page.Add(AgentFamily::kProcessMemory, process.resident_bytes);
  page.Add(AgentFamily::kOpenDescriptors, OpenDescriptors());
  page.Add(AgentFamily::kDescriptorLimit, DescriptorLimit());
}

}  // namespace

void AgentMetrics::OnStep(const SessionStep& step) {
  MutexLock lock(mutex_);
  Note(step.event, state_);
  for (const AgentEffect& effect : step.effects) Note(effect, state_);
  state_.connected = step.machine.welcomed();
  state_.stale_messages = step.machine.stale_messages();
  if (step.machine.busy()) return;
  state_.level.reset();
  state_.slots = 0;
  state_.in_flight = 0;
  state_.loop_silent_ms = 0;
}

void AgentMetrics::Note(const AgentEvent& event, State& state) {
  std::visit(Overloaded{
                 [&state](const AgentTimer& e) {
                   const auto longest = std::max_element(e.loop_silent_ms.begin(), e.loop_silent_ms.end());
                   state.loop_silent_ms = longest == e.loop_silent_ms.end() ? 0 : *longest;
                 },
                 [&state](const EngineFacts& e) {
                   state.measured.Merge(e.facts.measured);
                   state.unmeasured.Merge(e.facts.unmeasured);
                   state.in_flight = e.facts.in_flight_now;
                 },
                 [&state](const EngineStopped& e) {
                   const SelfCheckFacts& check = e.snapshot.self_check;
                   state.records_lost += e.snapshot.records_lost;
                   if (check.wall_ns == 0) return;  // it was stopped before it measured
                   state.loop_lag_p99_us = check.loop_lag_us.Quantile(0.99);
                   state.loop_cpu = static_cast<double>(check.loop_cpu_ns) / static_cast<double>(check.wall_ns);
                 },
                 [](const auto&) {},
             },
             event);
}

void AgentMetrics::Note(const AgentEffect& effect, State& state) {
  std::visit(Overloaded{
                 [&state](const OpenStream&) { ++state.streams; },
                 [&state](const EnginePrepare& e) {
                   state.level = e.task.key;
                   state.slots = e.task.share.slots;
                   state.in_flight = 0;
                 },
                 [&state](const EngineSetSendDeadline& e) { state.send_deadline = e.until; },
                 [](const auto&) {},
             },
             effect);
}

std::string AgentMetrics::Text() const {
  State state;
  {
    MutexLock lock(mutex_);
    state = state_;
  }
  const int64_t left = state.send_deadline ? *state.send_deadline - clock_->MonotonicNanos() : 0;
  Writer page;
  page.Add(AgentFamily::kBuildInfo, {options_.agent_id, options_.version}, 1);
  page.Add(AgentFamily::kConnected, uint64_t{state.connected});
  page.Add(AgentFamily::kLeaseRemaining, static_cast<double>(std::max<int64_t>(left, 0)) / kNanosPerSecond);
  page.Add(AgentFamily::kReconnects, state.streams > 0 ? state.streams - 1 : 0);
  page.Add(AgentFamily::kStaleMessages, state.stale_messages);
  page.Add(AgentFamily::kCapacity, options_.capacity);
  if (const auto& key = state.level) {
    page.Add(AgentFamily::kLevelInfo, {key->job_id, absl::StrCat(key->level), absl::StrCat(key->attempt)}, 1);
  }
  page.Add(AgentFamily::kSlots, uint64_t{state.slots});
  page.Add(AgentFamily::kInFlight, state.in_flight);
  WriteRequests("measure", state.measured, page);
  WriteRequests("unmeasured", state.unmeasured, page);
  page.Add(AgentFamily::kLoopSilence, static_cast<double>(state.loop_silent_ms) / kMillisPerSecond);
  page.Add(AgentFamily::kLoopLag, static_cast<double>(state.loop_lag_p99_us) / kMicrosPerSecond);
  page.Add(AgentFamily::kLoopCpu, state.loop_cpu);
  page.Add(AgentFamily::kSpoolBytes, options_.spool_dir.empty() ? 0 : BytesOfFiles(options_.spool_dir));
  page.Add(AgentFamily::kSpoolLimit, options_.spool_limit_bytes);
  page.Add(AgentFamily::kRecordsLost, state.records_lost);
  WriteHost(page);
  return page.Text();
}

std::string AgentMetrics::WhyNotReady() const {
  MutexLock lock(mutex_);
  return state_.connected ? "" : "no coordinator has welcomed this agent";
}

}  // namespace tidemark
