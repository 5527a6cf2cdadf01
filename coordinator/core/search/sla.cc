#include "coordinator/core/search/sla.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

struct StatEntry {
  SlaStat stat;
  const char* name;
  int per_mille;  // 0: not a quantile
};

constexpr StatEntry kStats[] = {
    {SlaStat::kAvg, "avg", 0},   {SlaStat::kP1, "p1", 10},       {SlaStat::kP5, "p5", 50},
    {SlaStat::kP10, "p10", 100}, {SlaStat::kP25, "p25", 250},    {SlaStat::kP50, "p50", 500},
    {SlaStat::kP75, "p75", 750}, {SlaStat::kP90, "p90", 900},    {SlaStat::kP95, "p95", 950},
    {SlaStat::kP99, "p99", 990}, {SlaStat::kP999, "p99.9", 999}, {SlaStat::kRate, "rate", 0},
};

struct OpEntry {
  SlaOp op;
  const char* name;
  const char* symbol;
};

constexpr OpEntry kOps[] = {{SlaOp::kLt, "lt", "<"},
                            {SlaOp::kLe, "le", "<="},
                            {SlaOp::kGt, "gt", ">"},
                            {SlaOp::kGe, "ge", ">="}};

const StatEntry& EntryOf(SlaStat stat) {
  return *std::find_if(std::begin(kStats), std::end(kStats),
                       [stat](const StatEntry& entry) { return entry.stat == stat; });
}

const OpEntry& EntryOf(SlaOp op) {
  return *std::find_if(std::begin(kOps), std::end(kOps),
                       [op](const OpEntry& entry) { return entry.op == op; });
}

// Levenshtein distance, to suggest the tag that was meant.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string NearestTag(absl::string_view tag, absl::Span<const SlaMetric> known) {
  const auto nearest =
      std::min_element(known.begin(), known.end(), [tag](const SlaMetric& a, const SlaMetric& b) {
        return EditDistance(tag, a.tag) < EditDistance(tag, b.tag);
      });
  return nearest == known.end() ? "" : absl::StrCat("; did you mean '", nearest->tag, "'?");
}

absl::Status Refuse(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("SLA '", text, "': ", why));
}

absl::StatusOr<SlaMetric> FindMetric(absl::string_view tag, absl::Span<const SlaMetric> known) {
  for (const SlaMetric& metric : known) {
    if (metric.tag == tag) return metric;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown metric '", tag, "'", NearestTag(tag, known)));
}

// The statistic as it is judged: a level metric has only its one figure.
absl::StatusOr<SlaStat> StatFor(const SlaMetric& metric, absl::string_view name) {
  absl::StatusOr<SlaStat> stat = ParseSlaStat(name);
  if (!stat.ok()) return stat;
  const bool single = *stat == SlaStat::kRate || *stat == SlaStat::kAvg;
  if (!metric.per_request && !single) {
    return absl::InvalidArgumentError(
        absl::StrCat(metric.tag, " is one figure a level and has no ", name, "; use rate"));
  }
  if (metric.per_request && *stat == SlaStat::kRate) {
    return absl::InvalidArgumentError(absl::StrCat(
        metric.tag, " is measured per request and has no rate; use avg or a quantile"));
  }
  return metric.per_request ? *stat : SlaStat::kRate;
}

absl::StatusOr<SlaOp> ParseOp(absl::string_view name) {
  for (const OpEntry& entry : kOps) {
    if (name == entry.name) return entry.op;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown comparison '", name, "'; one of lt, le, gt, ge"));
}

absl::StatusOr<double> ParseThreshold(absl::string_view text, const SlaMetric& metric) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value) || value < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("threshold '", text, "' is not a number of 0 or more"));
  }
  if (metric.is_fraction && value > 1) {
    return absl::InvalidArgumentError(absl::StrCat("threshold ", text, ": ", metric.tag,
                                                   " is a fraction from 0 to 1 (1 % is 0.01)"));
  }
  return value;
}

}  // namespace

bool IsUpperLimit(SlaOp op) { return op == SlaOp::kLt || op == SlaOp::kLe; }

bool Holds(double observed, SlaOp op, double threshold) {
  switch (op) {
    case SlaOp::kLt:
      return observed < threshold;
    case SlaOp::kLe:
      return observed <= threshold;
    case SlaOp::kGt:
      return observed > threshold;
    case SlaOp::kGe:
      return observed >= threshold;
  }
  return false;
}

std::optional<int> QuantilePerMille(SlaStat stat) {
  const int per_mille = EntryOf(stat).per_mille;
  return per_mille == 0 ? std::nullopt : std::optional<int>(per_mille);
}

absl::string_view SlaStatName(SlaStat stat) { return EntryOf(stat).name; }
absl::string_view SlaOpName(SlaOp op) { return EntryOf(op).name; }
absl::string_view SlaOpSymbol(SlaOp op) { return EntryOf(op).symbol; }

absl::StatusOr<SlaStat> ParseSlaStat(absl::string_view name) {
  std::vector<std::string> names;
  for (const StatEntry& entry : kStats) {
    if (name == entry.name) return entry.stat;
    names.push_back(entry.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown statistic '", name, "'; one of ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<Sla> ParseSla(absl::string_view text, absl::Span<const SlaMetric> known) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  if (parts.size() != 4) {
    return Refuse(text, "want tag:stat:op:threshold, e.g. time_to_first_token:p95:lt:600");
  }
  const absl::StatusOr<SlaMetric> metric = FindMetric(parts[0], known);
  if (!metric.ok()) return Refuse(text, metric.status().message());
  const absl::StatusOr<SlaStat> stat = StatFor(*metric, parts[1]);
  if (!stat.ok()) return Refuse(text, stat.status().message());
  const absl::StatusOr<SlaOp> op = ParseOp(parts[2]);
  if (!op.ok()) return Refuse(text, op.status().message());
  const absl::StatusOr<double> threshold = ParseThreshold(parts[3], *metric);
  if (!threshold.ok()) return Refuse(text, threshold.status().message());
  return Sla{metric->tag, *stat, *op, *threshold, false};
}

std::string DescribeSla(const Sla& sla) {
  const std::string stat =
      sla.stat == SlaStat::kRate ? "" : absl::StrCat(" ", SlaStatName(sla.stat));
  return absl::StrCat(sla.metric_tag, stat, " ", SlaOpSymbol(sla.op), " ", sla.threshold,
                      sla.implied ? " (implied)" : "");
}

}  // namespace tidemark
