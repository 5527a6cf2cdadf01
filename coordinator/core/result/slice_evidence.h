#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/measurement/facts.h"
#include "coordinator/core/search/evidence.h"

namespace tidemark {

// What the agents counted by slice of START for the evidence `index` of the plan: of each request that
// succeeded one value (of inter_chunk_latency its largest gap). `slices` must outlive it. Thread-compatible.
class SliceEvidence {
 public:
  SliceEvidence(const std::map<uint32_t, SliceRow>& slices, size_t index);

  uint64_t n() const { return n_; }  // requests that have the metric or failed
  uint64_t v() const { return v_; }  // of them, those that violate the threshold or failed
  const Histogram& values() const { return values_; }
  uint64_t failures() const { return n_ - values_.count(); }

  // As the verdict mathematics takes it: slices in time order, on a metric with `units_per_display`.
  // `required_share` (0…1) sets the reference quantile at which correlation shows (ReferenceOrder).
  std::vector<SliceFacts> Facts(uint32_t units_per_display, double required_share) const;

 private:
  const std::map<uint32_t, SliceRow>& slices_;
  const size_t index_;
  uint64_t n_ = 0, v_ = 0;
  Histogram values_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_SLICE_EVIDENCE_H_
