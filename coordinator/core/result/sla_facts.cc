#include "coordinator/core/result/sla_facts.h"

#include <algorithm>
#include <limits>

#include "common/measurement/metric_table.h"
#include "coordinator/core/result/slice_evidence.h"

namespace tidemark {
namespace {

constexpr uint64_t kPerMille = 1000;

// Quantile over successes and failures: a failure violates a latency objective however large the
// threshold is (+infinity), and a throughput objective likewise (0).
double QuantileWithFailures(const Sla& sla, Metric metric, const Histogram& successes, uint64_t failures) {
  const uint64_t n = successes.count() + failures;
  const uint64_t rank = (static_cast<uint64_t>(*QuantilePerMille(sla.stat)) * n + kPerMille - 1) / kPerMille;
  if (!IsUpperLimit(sla.op)) {
    return rank <= failures ? 0 : ToDisplay(metric, successes.UpperEdgeAtRank(rank - failures));
  }
  if (rank > successes.count()) return std::numeric_limits<double>::infinity();
  return ToDisplay(metric, successes.UpperEdgeAtRank(rank));
}

std::optional<double> LevelFigure(const Sla& sla, const std::optional<LevelRates>& rates) {
  if (!rates) return std::nullopt;
  if (sla.metric_tag == "request_throughput") return rates->request_throughput;
  if (sla.metric_tag == "output_token_throughput") return rates->output_token_throughput;
  if (sla.metric_tag == "total_token_throughput") return rates->total_token_throughput;
  if (sla.metric_tag == "goodput") return rates->goodput;
  return std::nullopt;
}

// A quantile is judged over requests: each counts with its one value, which of inter_chunk_latency is its
// largest gap. A mean is that of all values.
SlaFacts RequestMetricFacts(const Sla& sla, Metric metric, size_t index, const MeasuredFacts& facts) {
  const SliceEvidence evidence(facts.slices, index);
  SlaFacts out;
  out.sla = sla;
  out.n = evidence.n();
  out.v = evidence.v();
  const bool is_quantile = QuantilePerMille(sla.stat).has_value();
  const Histogram& all = facts.histogram(metric);
  if (is_quantile && out.n > 0) {
    out.observed = QuantileWithFailures(sla, metric, evidence.values(), evidence.failures());
  } else if (!is_quantile && !all.empty()) {
    out.observed = all.Mean() / InfoOf(metric).units_per_display;
  }
  // The mean over requests' largest gaps is not the mean over gaps: no interval can be said of that.
  if (!is_quantile && metric == Metric::kInterChunkLatency) return out;
  const std::optional<double> share = RequiredShare(sla);
  out.slices = evidence.Facts(InfoOf(metric).units_per_display, share.value_or(0.5));
  return out;
}

// Failures by slice, for the confidence of an error rate.
SlaFacts ErrorRateFacts(const Sla& sla, size_t latency_evidence, const MeasuredFacts& facts) {
  SlaFacts out;
  out.sla = sla;
  out.n = facts.measured.ok + facts.measured.failed;
  out.v = facts.measured.failed;
  for (const auto& [slice, row] : facts.slices) {
    if (latency_evidence >= row.sla.size() || row.sla[latency_evidence].n == 0) continue;
    const SlaEvidence& evidence = row.sla[latency_evidence];  // every success has a latency
    const uint64_t failed = evidence.n - evidence.histogram.count();
    out.slices.push_back({evidence.n, failed, failed, evidence.histogram.count(), 0});
  }
  return out;
}

}  // namespace

std::vector<SlaFacts> SlaFactsOf(const std::vector<Sla>& slas, const EvidencePlan& plan,
                                 const MeasuredFacts& facts, const std::optional<LevelRates>& rates) {
  std::vector<SlaFacts> out;
  for (size_t i = 0; i < slas.size(); ++i) {
    if (const std::optional<Metric> metric = MetricByTag(slas[i].metric_tag)) {
      out.push_back(RequestMetricFacts(slas[i], *metric, *plan.of_sla[i], facts));
    } else if (slas[i].metric_tag == "error_rate") {
      out.push_back(ErrorRateFacts(slas[i], *plan.Find(Metric::kRequestLatency), facts));
    } else {
      SlaFacts figure;
      figure.sla = slas[i];
      figure.observed = LevelFigure(slas[i], rates);
      out.push_back(std::move(figure));
    }
  }
  return out;
}

}  // namespace tidemark
