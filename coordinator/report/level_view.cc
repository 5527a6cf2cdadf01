#include "coordinator/report/level_view.h"

#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/measurement/metric_table.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

struct NamePair {
  absl::string_view tag;
  absl::string_view name;
};

constexpr NamePair kShortNames[] = {{"time_to_first_token", "TTFT"},
                                    {"inter_token_latency", "TPOT"},
                                    {"request_latency", "latency"},
                                    {"error_rate", "error rate"},
                                    {"good_request_fraction", "good requests"},
                                    {"output_token_throughput", "output throughput"},
                                    {"request_throughput", "request throughput"}};

bool IsFraction(absl::string_view tag) {
  return tag == "error_rate" || tag == "good_request_fraction";
}

absl::string_view UnitOf(absl::string_view tag) {
  if (const std::optional<Metric> metric = MetricByTag(tag)) return InfoOf(*metric).unit;
  if (absl::EndsWith(tag, "token_throughput")) return "tokens/s";
  if (tag == "request_throughput" || tag == "goodput") return "requests/s";
  return "";
}

absl::string_view OpSymbol(absl::string_view op) {
  if (op == "lt") return "<";
  if (op == "le") return "≤";
  if (op == "gt") return ">";
  return op == "ge" ? "≥" : op;
}

}  // namespace

std::vector<const v1::LevelResult*> LatestVisits(const v1::Result& result) {
  std::map<uint32_t, const v1::LevelResult*> latest;
  for (const v1::LevelResult& level : result.levels()) latest[level.concurrency()] = &level;
  std::vector<const v1::LevelResult*> levels;
  for (const auto& [concurrency, level] : latest) levels.push_back(level);
  return levels;
}

const v1::LevelResult* LatestVisit(const v1::Result& result, uint32_t concurrency) {
  const v1::LevelResult* latest = nullptr;
  for (const v1::LevelResult& level : result.levels()) {
    if (level.concurrency() == concurrency) latest = &level;
  }
  return latest;
}

const v1::LevelResult* VisitByIndex(const v1::Result& result, uint32_t level) {
  for (const v1::LevelResult& visit : result.levels()) {
    if (visit.level() == level) return &visit;
  }
  return nullptr;
}

const v1::MetricStatistics* FindMetric(const v1::LevelResult& level, absl::string_view tag) {
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.tag() == tag && metric.count() > 0) return &metric;
  }
  return nullptr;
}

std::optional<double> QuantileOf(const v1::LevelResult& level, absl::string_view tag, double p) {
  const v1::MetricStatistics* metric = FindMetric(level, tag);
  if (metric == nullptr) return std::nullopt;
  for (const v1::Quantile& quantile : metric->quantiles()) {
    if (std::fabs(quantile.p() - p) < 1e-9) return quantile.value();
  }
  return std::nullopt;
}

bool IsInvalid(const v1::LevelResult& level) {
  return level.verdict() == v1::INVALID || level.validity() == v1::VALIDITY_INVALID;
}

bool HasSlas(const v1::Result& result) {
  for (const v1::LevelResult& level : result.levels()) {
    if (level.slas_size() > 0) return true;
  }
  return false;
}

uint64_t CompletedRequests(const v1::LevelResult& level) {
  return level.measured().ok() + level.measured().failed();
}

absl::string_view VerdictName(v1::Verdict verdict) {
  switch (verdict) {
    case v1::PASS:
      return "PASS";
    case v1::FAIL:
      return "FAIL";
    case v1::INCONCLUSIVE:
      return "INCONCLUSIVE";
    case v1::INVALID:
      return "INVALID";
    default:
      return "";
  }
}

absl::string_view ValidityName(v1::Validity validity) {
  switch (validity) {
    case v1::VALID:
      return "valid";
    case v1::SUSPECT:
      return "suspect";
    case v1::VALIDITY_INVALID:
      return "invalid";
    default:
      return "";
  }
}

std::string QuantileName(double p) {
  return absl::StrCat("p", FormatExact(std::round(p * 1e6) / 1e4));
}

std::string ShortMetricName(absl::string_view tag) {
  for (const NamePair& pair : kShortNames) {
    if (pair.tag == tag) return std::string(pair.name);
  }
  if (const std::optional<Metric> metric = MetricByTag(tag)) {
    return std::string(InfoOf(*metric).display_name);
  }
  return std::string(tag);
}

std::string DescribeValue(absl::string_view tag, double value) {
  if (IsFraction(tag)) return FormatPercent(value);
  const absl::string_view unit = UnitOf(tag);
  return absl::StrCat(FormatReadable(value), unit.empty() ? "" : " ", unit);
}

std::string DescribeSla(const v1::SlaResult& sla) {
  const bool named_stat = !sla.stat().empty() && sla.stat() != "rate";
  return absl::StrCat(ShortMetricName(sla.metric_tag()), named_stat ? " " : "",
                      named_stat ? sla.stat() : "", " ", OpSymbol(sla.op()), " ",
                      DescribeValue(sla.metric_tag(), sla.threshold()));
}

std::string DescribeObserved(const v1::SlaResult& sla) {
  if (!sla.observed_known()) return "no value";
  if (std::isinf(sla.observed())) return "beyond every limit, by failures";
  return DescribeValue(sla.metric_tag(), sla.observed());
}

const v1::SlaResult* FirstBreach(const v1::LevelResult& level) {
  for (const v1::SlaResult& sla : level.slas()) {
    if (sla.verdict() == v1::FAIL) return &sla;
  }
  return nullptr;
}

bool MostlyThrottled(const v1::LevelResult& level) {
  uint64_t all = 0;
  uint64_t throttled = 0;
  for (const v1::FailureCount& failure : level.failures()) {
    all += failure.count();
    if (failure.failure_class() == "http_429") throttled += failure.count();
  }
  return throttled * 2 > all;
}

}  // namespace tidemark
