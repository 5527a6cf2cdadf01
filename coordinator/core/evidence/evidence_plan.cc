#include "coordinator/core/evidence/evidence_plan.h"

#include <algorithm>
#include <cmath>

#include "common/measurement/metric_table.h"

namespace tidemark {
namespace {

// value < 2.5 and value < 3 are the same for integers, and so are value > 2.5 and value > 2.
uint64_t FixedThreshold(const Sla& sla, Metric metric) {
  const double exact = sla.threshold * InfoOf(metric).units_per_display;
  const double nearest = std::round(exact);
  // 0.1 ms * 1,000 is a hair off 100 us: meant is 100.
  const bool whole = std::abs(exact - nearest) <= 1e-9 * std::max(1.0, std::abs(exact));
  const bool up = sla.op == SlaOp::kLt || sla.op == SlaOp::kGe;
  const double rounded = whole ? nearest : up ? std::ceil(exact) : std::floor(exact);
  return static_cast<uint64_t>(std::clamp(rounded, 0.0, 1e18));
}

SlaThreshold ToThreshold(const Sla& sla, Metric metric) {
  const bool inclusive = sla.op == SlaOp::kLe || sla.op == SlaOp::kGe;
  return {metric, IsUpperLimit(sla.op), inclusive, FixedThreshold(sla, metric)};
}

SlaThreshold NeverViolated(Metric metric) { return {metric, true, true, UINT64_MAX}; }

}  // namespace

std::optional<size_t> EvidencePlan::Find(Metric metric) const {
  for (size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].metric == metric) return i;
  }
  return std::nullopt;
}

EvidencePlan PlanEvidence(const std::vector<Sla>& slas, bool streaming) {
  EvidencePlan plan;
  for (const Sla& sla : slas) {
    const std::optional<Metric> metric = MetricByTag(sla.metric_tag);
    if (!metric) {
      plan.of_sla.push_back(std::nullopt);
      continue;
    }
    plan.of_sla.push_back(plan.thresholds.size());
    plan.thresholds.push_back(QuantilePerMille(sla.stat) ? ToThreshold(sla, *metric) : NeverViolated(*metric));
  }
  for (const Metric metric : {Metric::kTimeToFirstToken, Metric::kRequestLatency}) {
    const bool exists = streaming || !InfoOf(metric).streaming_only;
    if (exists && !plan.Find(metric)) plan.thresholds.push_back(NeverViolated(metric));
  }
  return plan;
}

}  // namespace tidemark
