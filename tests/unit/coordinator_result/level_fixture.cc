#include "tests/unit/coordinator_result/level_fixture.h"

#include "common/clock/clock.h"
#include "coordinator/core/evidence/evidence_plan.h"

namespace tidemark {
namespace {

void AddRow(const EvidencePlan& plan, uint32_t slice, const std::optional<uint64_t>& latency_us,
            MeasuredFacts& facts) {
  SliceRow row;
  row.n = 1;
  row.ended = 1;
  for (const SlaThreshold& sla : plan.thresholds) {
    SlaEvidence evidence;
    evidence.n = 1;
    evidence.v = !latency_us || *latency_us >= sla.threshold ? 1 : 0;
    if (latency_us) evidence.histogram.Record(*latency_us);
    row.sla.push_back(std::move(evidence));
  }
  facts.slices.emplace(slice, std::move(row));
}

void CountRequest(bool ok, MeasuredFacts& facts) {
  ++facts.measured.sent;
  ++(ok ? facts.measured.ok : facts.measured.failed);
}

}  // namespace

JobSpec SpecWithLatencySla(double threshold_ms) {
  JobSpec spec;
  spec.name = "test";
  spec.slas = {Sla{"request_latency", SlaStat::kP99, SlaOp::kLt, threshold_ms, false}};
  return spec;
}

WindowFacts FullWindow(uint32_t slots, uint64_t requests, double seconds) {
  WindowFacts window;
  window.slots = slots;
  window.measured_requests = window.successes = requests;
  window.has_window = true;
  window.width_ns = static_cast<uint64_t>(seconds * kNanosPerSecond);
  window.in_flight_integral_ns = window.width_ns * slots;
  window.ended_in_window = requests;
  window.ended_sojourn_ns = window.in_flight_integral_ns;
  window.output_millitokens = requests * 100'000;
  return window;
}

LevelMeasurement MeasuredLevel(const JobSpec& spec, uint32_t n, const std::vector<double>& latencies_ms,
                               uint64_t failures) {
  const EvidencePlan plan = PlanEvidence(spec.slas, spec.workload.streaming);
  AgentPart part;
  part.agent = "agent-1";
  uint32_t slice = 0;
  for (const double latency : latencies_ms) {
    const uint64_t us = FromDisplay(Metric::kRequestLatency, latency);
    part.facts.histogram(Metric::kRequestLatency).Record(us);
    CountRequest(true, part.facts);
    AddRow(plan, slice++, us, part.facts);
  }
  for (uint64_t i = 0; i < failures; ++i) {
    CountRequest(false, part.facts);
    ++part.facts.failures["http_503"];
    AddRow(plan, slice++, std::nullopt, part.facts);
  }
  const uint64_t count = latencies_ms.size() + failures;
  part.share = {n, 0, count, 0};
  part.snapshot.measured = part.facts.measured;
  part.snapshot.windows = {FullWindow(n, count, 10)};
  part.snapshot.windows[0].successes = latencies_ms.size();
  LevelMeasurement level;
  level.key = {"job", 0, 1};
  level.plan.concurrency = n;
  level.plan.request_count = count;
  level.plan.slas = plan.thresholds;
  level.parts.push_back(std::move(part));
  return level;
}

}  // namespace tidemark
