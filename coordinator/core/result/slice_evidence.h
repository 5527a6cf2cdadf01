#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/measurement/facts.h"
#include "coordinator/core/search/evidence.h"

namespace tidemark {

// What the agents counted by slice of START, as the verdict mathematics takes it: slices in time order,
// for the evidence `index` of the plan on a metric with `units_per_display`. `required_share` (0…1) sets
// the reference quantile at which correlation shows (ReferenceOrder).
std::vector<SliceFacts> SliceFactsOf(const std::map<uint32_t, SliceRow>& slices, size_t index,
                                     uint32_t units_per_display, double required_share);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_
