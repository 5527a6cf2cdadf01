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

SlaFacts RequestMetricFacts(const Sla& sla, Metric metric, size_t evidence, const MeasuredFacts& facts) {
  SlaFacts out;
  out.sla = sla;
  for (const auto& [slice, row] : facts.slices) {
    if (evidence >= row.sla.size()) continue;
    out.n += row.sla[evidence].n;
    out.v += row.sla[evidence].v;
  }
  const Histogram& successes = facts.histogram(metric);
  const bool is_quantile = QuantilePerMille(sla.stat).has_value();
  if (is_quantile && out.n > 0) {
    const uint64_t failures = out.n - std::min(out.n, successes.count());
    out.observed = QuantileWithFailures(sla, metric, successes, failures);
  } else if (!is_quantile && !successes.empty()) {
    out.observed = successes.Mean() / InfoOf(metric).units_per_display;
  }
  const std::optional<double> share = RequiredShare(sla);
  out.slices = SliceFactsOf(facts.slices, evidence, InfoOf(metric).units_per_display, share.value_or(0.5));
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
