#include "coordinator/core/search/verdict.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr double kAlpha = 0.05;
constexpr double kConfidence = 0.95;
constexpr char kErrorRateTag[] = "error_rate";
constexpr char kNoSuccess[] = "no request succeeded";

bool IsErrorRate(const Sla& sla) { return sla.metric_tag == kErrorRateTag; }

Confidence ConfidenceOf(const std::vector<SliceFacts>& batches, const SlaResult& result,
                        uint64_t concurrency, double required_share) {
  Confidence confidence;
  confidence.effective = Discount(batches, concurrency, kAlpha);
  confidence.verdict =
      JudgeCounts(confidence.effective, result.n, concurrency, required_share, kAlpha);
  const EffectiveCounts two_sided = Discount(batches, concurrency, (1 - kConfidence) / 2);
  confidence.violating_share = ClopperPearson(two_sided.v, two_sided.n, kConfidence);
  return confidence;
}

void AddConfidence(const SlaFacts& facts, uint64_t concurrency, SlaResult& result) {
  const std::vector<SliceFacts> batches = GroupIntoBatches(facts.slices, concurrency);
  if (batches.empty()) return;
  if (facts.sla.stat == SlaStat::kAvg) result.mean = MeanInterval(batches);
  const std::optional<double> share = RequiredShare(facts.sla);
  if (share) result.confidence = ConfidenceOf(batches, result, concurrency, *share);
}

Verdict PassWhen(bool holds) { return holds ? Verdict::kPass : Verdict::kFail; }

// The rank decides, not the observed quantile: failures count as worse than any value.
void JudgeQuantile(SlaResult& result) {
  if (result.n == 0 || !result.observed) {
    result.reason = absl::StrCat("no request has ", result.sla.metric_tag);
    return;
  }
  result.allowed_violations = AllowedViolations(result.sla, result.n);
  result.verdict = PassWhen(result.v <= result.allowed_violations);
  if (result.verdict == Verdict::kFail &&
      Holds(*result.observed, result.sla.op, result.sla.threshold)) {
    result.reason = "failed requests count as violations";
  }
}

void JudgeFigure(SlaResult& result) {
  if (!result.observed) {
    result.reason = absl::StrCat(result.sla.metric_tag, " was not measured");
    return;
  }
  result.verdict = PassWhen(Holds(*result.observed, result.sla.op, result.sla.threshold));
}

SlaResult StartResult(const LevelFacts& level, const SlaFacts& facts) {
  SlaResult result;
  result.sla = facts.sla;
  result.observed = facts.observed;
  result.n = facts.n;
  result.v = facts.v;
  if (IsErrorRate(facts.sla)) {
    result.n = level.successes + level.failures;
    result.v = level.failures;
    result.observed = static_cast<double>(result.v) / static_cast<double>(result.n);
  }
  if (result.n > 0) {
    result.violating_share = static_cast<double>(result.v) / static_cast<double>(result.n);
  }
  return result;
}

// REQUIRES: the level has requests.
SlaResult JudgeSla(const LevelFacts& level, const SlaFacts& facts) {
  SlaResult result = StartResult(level, facts);
  if (level.successes == 0 && !IsErrorRate(facts.sla)) {
    result.verdict = Verdict::kFail;
    result.reason = kNoSuccess;
    return result;
  }
  if (QuantilePerMille(facts.sla.stat)) {
    JudgeQuantile(result);
  } else {
    JudgeFigure(result);
  }
  AddConfidence(facts, level.concurrency, result);
  return result;
}

void JudgeSlas(const LevelFacts& facts, LevelVerdict& level) {
  level.verdict = PassWhen(facts.successes > 0);
  if (facts.successes == 0) level.reasons.push_back(kNoSuccess);
  for (const SlaFacts& sla : facts.slas) {
    level.slas.push_back(JudgeSla(facts, sla));
    const SlaResult& result = level.slas.back();
    if (result.verdict != Verdict::kFail || level.first_breach) continue;
    level.first_breach = level.slas.size() - 1;
    level.verdict = Verdict::kFail;
  }
}

void AddInvalid(const std::vector<std::string>& reasons, LevelVerdict& level) {
  if (reasons.empty()) return;
  level.verdict = Verdict::kInvalid;
  level.reasons.insert(level.reasons.end(), reasons.begin(), reasons.end());
}

std::vector<std::string> UnjudgedSlas(const LevelVerdict& level) {
  std::vector<std::string> reasons;
  for (const SlaResult& result : level.slas) {
    if (result.verdict != Verdict::kInvalid) continue;
    reasons.push_back(absl::StrCat(DescribeSla(result.sla), ": ", result.reason));
  }
  return reasons;
}

}  // namespace

std::optional<double> RequiredShare(const Sla& sla) {
  const bool upper = IsUpperLimit(sla.op);
  if (const std::optional<int> per_mille = QuantilePerMille(sla.stat)) {
    return (upper ? *per_mille : 1000 - *per_mille) / 1000.0;
  }
  if (IsErrorRate(sla) && upper) return 1 - sla.threshold;
  return std::nullopt;
}

uint64_t AllowedViolations(const Sla& sla, uint64_t n) {
  const uint64_t parts = static_cast<uint64_t>(QuantilePerMille(sla.stat).value_or(1000));
  // ceil(p n) without overflow or rounding: p is a whole number of thousandths.
  const uint64_t rank = n / 1000 * parts + (n % 1000 * parts + 999) / 1000;
  // Sorted upwards, an upper limit's violations sit above the rank, a lower limit's below it.
  return IsUpperLimit(sla.op) ? n - rank : rank - 1;
}

LevelVerdict JudgeLevel(const LevelFacts& facts) {
  LevelVerdict level;
  const uint64_t n = facts.successes + facts.failures;
  level.short_window = IsShortWindow(n, facts.concurrency);
  if (n == 0) {
    AddInvalid({"no request ended in the window"}, level);
  } else {
    JudgeSlas(facts, level);
    AddInvalid(UnjudgedSlas(level), level);
  }
  AddInvalid(facts.invalid_reasons, level);
  return level;
}

}  // namespace tidemark
