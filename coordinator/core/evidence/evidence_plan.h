#ifndef TIDEMARK_COORDINATOR_CORE_EVIDENCE_EVIDENCE_PLAN_H_
#define TIDEMARK_COORDINATOR_CORE_EVIDENCE_EVIDENCE_PLAN_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "common/job/level_task.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {

// What agents count by slice for a job. One threshold for each SLA on a quantile of a request metric. SLAs
// on a mean, and TTFT and request latency where no SLA covers them, have rows with a threshold that no
// request violates: their intervals need the slices too.
struct EvidencePlan {
  std::vector<SlaThreshold> thresholds;           // the plan's `slas`, in order
  std::vector<std::optional<size_t>> of_sla;      // by SLA: its index in `thresholds`
  // Index of the first threshold on `metric`; nothing when there is none.
  std::optional<size_t> Find(Metric metric) const;
};

// Pure. `slas` are BuildSlas'; level metrics such as error_rate need no threshold.
EvidencePlan PlanEvidence(const std::vector<Sla>& slas, bool streaming);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_EVIDENCE_EVIDENCE_PLAN_H_
