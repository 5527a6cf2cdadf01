#include "coordinator/core/result/metric_statistics.h"

#include <algorithm>

#include "common/measurement/metric_table.h"
#include "coordinator/core/result/slice_evidence.h"

namespace tidemark {
namespace {

constexpr double kQuantiles[] = {0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999};
constexpr double kTwoSidedAlpha = 0.025;

class IntervalReader {
 public:
  IntervalReader(const MeasuredFacts& facts, size_t evidence, Metric metric, uint32_t concurrency)
      : histogram_(facts.histogram(metric)),
        evidence_(facts.slices, evidence),
        metric_(metric),
        concurrency_(concurrency) {}

  void Fill(double p, v1::Quantile& out) const {
    const Histogram& histogram = histogram_;
    const std::vector<SliceFacts> slices = evidence_.Facts(InfoOf(metric_).units_per_display, p);
    const EffectiveCounts counts =
        Discount(GroupIntoBatches(slices, concurrency_), concurrency_, kTwoSidedAlpha);
    const double effective = static_cast<double>(histogram.count()) / std::max(1.0, counts.tau);
    const RankInterval ranks = QuantileRanks(histogram.count(), effective, p);
    out.set_low(ToDisplay(metric_, histogram.LowerEdgeAtRank(ranks.lower)));
    out.set_low_known(true);
    if (!ranks.upper) return;
    out.set_high(ToDisplay(metric_, histogram.UpperEdgeAtRank(*ranks.upper)));
    out.set_high_known(true);
  }

 private:
  const Histogram& histogram_;
  const SliceEvidence evidence_;  // pooled once for all quantiles
  const Metric metric_;
  const uint32_t concurrency_;
};

}  // namespace

v1::MetricStatistics StatisticsOf(Metric metric, const MeasuredFacts& facts, std::optional<size_t> evidence,
                                  uint32_t concurrency) {
  const MetricInfo& info = InfoOf(metric);
  const Histogram& histogram = facts.histogram(metric);
  v1::MetricStatistics out;
  out.set_tag(std::string(info.tag));
  out.set_unit(std::string(info.unit));
  out.set_count(histogram.count());
  histogram.EncodeTo(out.mutable_histogram());
  if (histogram.empty()) return out;
  out.set_sum(static_cast<double>(histogram.sum()) / info.units_per_display);
  out.set_avg(histogram.Mean() / info.units_per_display);
  out.set_std(histogram.StandardDeviation() / info.units_per_display);
  out.set_min(ToDisplay(metric, histogram.min()));
  out.set_max(ToDisplay(metric, histogram.max()));
  // Gaps' quantiles are over gaps, but the evidence is of requests' largest gaps: no interval follows.
  std::optional<IntervalReader> intervals;
  if (evidence && metric != Metric::kInterChunkLatency) intervals.emplace(facts, *evidence, metric, concurrency);
  for (const double p : kQuantiles) {
    v1::Quantile* quantile = out.add_quantiles();
    quantile->set_p(p);
    quantile->set_value(ToDisplay(metric, histogram.Quantile(p)));
    if (intervals) intervals->Fill(p, *quantile);
  }
  return out;
}

}  // namespace tidemark
