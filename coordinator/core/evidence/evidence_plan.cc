#include "coordinator/core/evidence/evidence_plan.h"

#include <cmath>

#include "common/measurement/metric_table.h"

namespace tidemark {
namespace {

// The integer threshold that separates fixed-point values just as the displayed one does: a value
// rounded to whole units is above 299.9999 ms when it is at least 300,000 us.
SlaThreshold ToThreshold(const Sla& sla, Metric metric) {
  const bool upper = IsUpperLimit(sla.op);
  const double exact = sla.threshold * InfoOf(metric).units_per_display;
  const double whole = upper ? std::floor(exact) : std::ceil(exact);
  const bool on_a_unit = whole == exact;
  const bool inclusive = !on_a_unit || sla.op == SlaOp::kLe || sla.op == SlaOp::kGe;
  const double limit = 9e18;
  return {metric, upper, inclusive, static_cast<uint64_t>(std::fmin(std::fmax(whole, 0), limit))};
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
    plan.thresholds.push_back(ToThreshold(sla, *metric));
  }
  for (const Metric metric : {Metric::kTimeToFirstToken, Metric::kRequestLatency}) {
    const bool exists = streaming || !InfoOf(metric).streaming_only;
    if (exists && !plan.Find(metric)) plan.thresholds.push_back(NeverViolated(metric));
  }
  return plan;
}

}  // namespace tidemark
