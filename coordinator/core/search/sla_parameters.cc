#include "coordinator/core/search/sla_parameters.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr char kErrorRateTag[] = "error_rate";

struct LatencyParameter {
  const char* name;
  std::optional<double> SlaParameters::*value;
  const char* tag;
  SlaStat stat;
};

constexpr LatencyParameter kLatencies[] = {
    {"ttft_sla_ms", &SlaParameters::ttft_sla_ms, "time_to_first_token", SlaStat::kP95},
    {"tpot_sla_ms", &SlaParameters::tpot_sla_ms, "inter_token_latency", SlaStat::kP95},
    {"e2e_sla_ms", &SlaParameters::e2e_sla_ms, "request_latency", SlaStat::kP99},
};

absl::StatusOr<std::optional<SlaStat>> SearchStat(const SlaParameters& parameters) {
  if (!parameters.search_stat) return std::optional<SlaStat>();
  for (SlaStat stat : {SlaStat::kAvg, SlaStat::kP50, SlaStat::kP90, SlaStat::kP95, SlaStat::kP99}) {
    if (SlaStatName(stat) == absl::string_view(*parameters.search_stat)) {
      return std::optional<SlaStat>(stat);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("search_stat '", *parameters.search_stat, "': want avg, p50, p90, p95 or p99"));
}

absl::Status AddLatencies(const SlaParameters& parameters, std::vector<Sla>& slas) {
  const absl::StatusOr<std::optional<SlaStat>> stat = SearchStat(parameters);
  if (!stat.ok()) return stat.status();
  for (const LatencyParameter& latency : kLatencies) {
    const std::optional<double>& value = parameters.*latency.value;
    if (!value) continue;
    if (!std::isfinite(*value) || *value <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(latency.name, " ", *value, ": want a number of milliseconds over 0"));
    }
    slas.push_back({latency.tag, stat->value_or(latency.stat), SlaOp::kLt, *value, false});
  }
  return absl::OkStatus();
}

absl::Status AddErrorRate(const SlaParameters& parameters, std::vector<Sla>& slas) {
  if (!parameters.error_rate_sla) return absl::OkStatus();
  const double value = *parameters.error_rate_sla;
  if (!(value >= 0 && value <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("error_rate_sla ", value, ": want a fraction from 0 to 1 (1 % is 0.01)"));
  }
  slas.push_back({kErrorRateTag, SlaStat::kRate, SlaOp::kLe, value, false});
  return absl::OkStatus();
}

absl::Status AddGeneral(const SlaParameters& parameters, absl::Span<const SlaMetric> known,
                        std::vector<Sla>& slas) {
  for (const std::string& text : parameters.slas) {
    absl::StatusOr<Sla> sla = ParseSla(text, known);
    if (!sla.ok()) return sla.status();
    slas.push_back(*std::move(sla));
  }
  return absl::OkStatus();
}

// An SLA on a metric that this job cannot have would fail every level for a wrong reason.
absl::Status CheckStreaming(const std::vector<Sla>& slas, absl::Span<const SlaMetric> known) {
  for (const Sla& sla : slas) {
    const auto metric = std::find_if(known.begin(), known.end(), [&sla](const SlaMetric& metric) {
      return metric.tag == sla.metric_tag;
    });
    if (metric != known.end() && metric->streaming_only) {
      return absl::InvalidArgumentError(
          absl::StrCat("SLA '", DescribeSla(sla), "': ", sla.metric_tag,
                       " exists only with streaming: true; use request_latency (e2e_sla_ms)"));
    }
  }
  return absl::OkStatus();
}

bool JudgesErrorRate(const std::vector<Sla>& slas) {
  return std::any_of(slas.begin(), slas.end(),
                     [](const Sla& sla) { return sla.metric_tag == kErrorRateTag; });
}

}  // namespace

absl::StatusOr<std::vector<Sla>> BuildSlas(const SlaParameters& parameters,
                                           absl::Span<const SlaMetric> known) {
  std::vector<Sla> slas;
  absl::Status status = AddLatencies(parameters, slas);
  if (status.ok()) status = AddErrorRate(parameters, slas);
  if (status.ok()) status = AddGeneral(parameters, known, slas);
  if (status.ok() && !parameters.streaming) status = CheckStreaming(slas, known);
  if (!status.ok()) return status;
  if (parameters.is_search && !JudgesErrorRate(slas)) {
    slas.push_back({kErrorRateTag, SlaStat::kRate, SlaOp::kLe, kImpliedErrorRateLimit, true});
  }
  return slas;
}

}  // namespace tidemark
