#include "coordinator/core/result/slice_evidence.h"

namespace tidemark {

std::vector<SliceFacts> SliceFactsOf(const std::map<uint32_t, SliceRow>& slices, size_t index,
                                     uint32_t units_per_display, double required_share) {
  Histogram pooled;
  for (const auto& [number, row] : slices) {
    if (index < row.sla.size()) pooled.Merge(row.sla[index].histogram);
  }
  const uint64_t reference = pooled.Quantile(ReferenceOrder(required_share));
  std::vector<SliceFacts> out;
  for (const auto& [number, row] : slices) {
    if (index >= row.sla.size() || row.sla[index].n == 0) continue;
    const SlaEvidence& evidence = row.sla[index];
    const uint64_t failed = evidence.n - evidence.histogram.count();
    out.push_back({evidence.n, evidence.v, evidence.histogram.CountAbove(reference) + failed,
                   evidence.histogram.count(),
                   static_cast<double>(evidence.histogram.sum()) / units_per_display});
  }
  return out;
}

}  // namespace tidemark
