#include "coordinator/core/job/level_planning.h"

#include <algorithm>
#include <cmath>

#include "common/clock/clock.h"
#include "coordinator/core/evidence/evidence_plan.h"

namespace tidemark {
namespace {

// All records are kept of a level of up to so many requests.
constexpr uint64_t kRecordsOfALevel = 100'000;
constexpr uint64_t kSlicesOfAWindow = 300;
constexpr uint64_t kMinSlice = 1'000'000;      // ns
constexpr uint64_t kMaxSlice = 1'000'000'000;  // ns
constexpr double kMaxWindow = 1e18;            // ns; keeps the arithmetic in range

uint64_t RecordOneIn(const JobSpec& spec, uint64_t request_count) {
  switch (spec.records) {
    case RecordExport::kAll:
      return 1;
    case RecordExport::kSample:
      return std::max<uint64_t>(1, spec.record_one_in);
    case RecordExport::kNone:
      return 0;
    case RecordExport::kAuto:
      break;
  }
  return std::max<uint64_t>(1, (request_count + kRecordsOfALevel - 1) / kRecordsOfALevel);
}

}  // namespace

LevelPlan PlanLevel(const JobSpec& spec, uint32_t concurrency, int64_t expected_latency) {
  LevelPlan plan;
  plan.concurrency = concurrency;
  plan.request_count = RequestCountAt(spec, concurrency);
  if (!spec.request_count) {
    plan.window_cap_ns = static_cast<uint64_t>(spec.level_cap_seconds * kNanosPerSecond);
  }
  const uint64_t total = spec.limits.total_ms * kNanosPerMilli;
  plan.ramp_ns =
      std::clamp<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(0, expected_latency)), 0, total);
  plan.warmup_deadline_ns = plan.ramp_ns + total;
  const double window = std::min(kMaxWindow, static_cast<double>(plan.request_count) / concurrency *
                                                 static_cast<double>(plan.ramp_ns));
  uint64_t width = static_cast<uint64_t>(window);
  if (plan.window_cap_ns > 0) width = std::min(width, plan.window_cap_ns);
  plan.slice_ns = std::clamp(width / kSlicesOfAWindow, kMinSlice, kMaxSlice);
  plan.fill = spec.fill;
  plan.limits = spec.limits;
  plan.slas = PlanEvidence(spec.slas, spec.workload.streaming).thresholds;
  plan.record_one_in = RecordOneIn(spec, plan.request_count);
  plan.user_timestamps = spec.user_timestamps;
  return plan;
}

int64_t ExpectedLatency(int64_t latency, uint32_t seen_at, uint32_t concurrency) {
  if (seen_at == 0) return latency;
  const double more = static_cast<double>(concurrency) / seen_at;
  return static_cast<int64_t>(static_cast<double>(latency) * std::max(1.0, more));
}

}  // namespace tidemark
