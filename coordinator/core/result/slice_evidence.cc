#include "coordinator/core/result/slice_evidence.h"

#include <algorithm>

namespace tidemark {

SliceEvidence::SliceEvidence(const std::map<uint32_t, SliceRow>& slices, size_t index)
    : slices_(slices), index_(index) {
  for (const auto& [number, row] : slices) {
    if (index >= row.sla.size()) continue;
    n_ += row.sla[index].n;
    v_ += row.sla[index].v;
    values_.Merge(row.sla[index].histogram);
  }
  n_ = std::max(n_, values_.count());
}

std::vector<SliceFacts> SliceEvidence::Facts(uint32_t units_per_display, double required_share) const {
  const uint64_t reference = values_.Quantile(ReferenceOrder(required_share));
  std::vector<SliceFacts> out;
  for (const auto& [number, row] : slices_) {
    if (index_ >= row.sla.size() || row.sla[index_].n == 0) continue;
    const SlaEvidence& evidence = row.sla[index_];
    const uint64_t failed = evidence.n - std::min(evidence.n, evidence.histogram.count());
    out.push_back({evidence.n, evidence.v, evidence.histogram.CountAbove(reference) + failed,
                   evidence.histogram.count(),
                   static_cast<double>(evidence.histogram.sum()) / units_per_display});
  }
  return out;
}

}  // namespace tidemark
