#include "coordinator/core/search/knee.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tidemark {
namespace {

constexpr double kPeakFall = 0.10;   // a fall after the best level that is no noise
constexpr double kLeastRise = 0.10;  // under this the sweep starts saturated
constexpr double kMostAfter = 0.3;   // a steeper slope above K is no saturation
constexpr double kDisagreement = 2;  // a factor between two estimates

std::vector<SweepPoint> Ascending(const std::vector<SweepPoint>& points) {
  std::map<uint64_t, double> by_level;
  for (const SweepPoint& point : points) {
    const double throughput = point.output_token_throughput;
    if (point.level == 0 || !std::isfinite(throughput) || throughput <= 0) continue;
    by_level[point.level] = throughput;
  }
  std::vector<SweepPoint> ascending;
  ascending.reserve(by_level.size());
  for (const auto& [level, throughput] : by_level) ascending.push_back({level, throughput});
  return ascending;
}

std::vector<SweepPoint>::const_iterator Best(const std::vector<SweepPoint>& points) {
  return std::max_element(points.begin(), points.end(),
                          [](const SweepPoint& a, const SweepPoint& b) {
                            return a.output_token_throughput < b.output_token_throughput;
                          });
}

void NamePeak(const std::vector<SweepPoint>& points, Knee& knee) {
  const auto best = Best(points);
  if (best == points.end()) return;
  knee.best_level = best->level;
  const double floor = best->output_token_throughput * (1 - kPeakFall);
  const bool falls = std::any_of(best, points.end(), [floor](const SweepPoint& point) {
    return point.output_token_throughput < floor;
  });
  if (falls) knee.peak_level = best->level;
}

KneeOutcome OutcomeOf(const std::vector<SweepPoint>& points,
                      const std::optional<TwoSegmentFit>& fit) {
  if (!fit) return KneeOutcome::kTooFewLevels;
  const double rise =
      Best(points)->output_token_throughput / points.front().output_token_throughput;
  if (rise < 1 + kLeastRise) return KneeOutcome::kDoesNotRise;
  const bool rises_on = fit->after > fit->rise / 2 || fit->after > kMostAfter;
  return rises_on ? KneeOutcome::kStillRising : KneeOutcome::kFound;
}

// Fills in e^K and the measured levels around it.
void NameKnee(const std::vector<SweepPoint>& points, Knee& knee) {
  const double concurrency = knee.fit->knee;
  knee.concurrency = concurrency;
  knee.at_or_above_last_but_one = knee.fit->at_end;
  double nearest = INFINITY;
  for (const SweepPoint& point : points) {
    const double log_ratio = std::log(static_cast<double>(point.level) / concurrency);
    if (std::abs(log_ratio) < nearest) {
      nearest = std::abs(log_ratio);
      knee.level = point.level;
    }
    // A grid point that is a level, but for rounding, is that level.
    if (log_ratio < 1e-9) {
      knee.below = point.level;
    } else if (!knee.above) {
      knee.above = point.level;
    }
  }
}

bool Disagrees(double estimate, double concurrency) {
  return estimate > concurrency * kDisagreement || concurrency > estimate * kDisagreement;
}

void CrossCheck(Knee& knee) {
  if (knee.outcome != KneeOutcome::kFound) return;
  const double concurrency = *knee.concurrency;
  knee.kneedle_disagrees =
      knee.kneedle_level && Disagrees(static_cast<double>(*knee.kneedle_level), concurrency);
  knee.little_disagrees =
      knee.little_concurrency && Disagrees(*knee.little_concurrency, concurrency);
}

std::string DescribeFound(const Knee& knee) {
  std::string text =
      absl::StrFormat("knee at concurrency %d (fitted %.3g", *knee.level, *knee.concurrency);
  if (knee.at_or_above_last_but_one) {
    absl::StrAppend(&text, ": at or above the last but one level)");
  } else {
    absl::StrAppend(&text, ", between the measured ", *knee.below, " and ", *knee.above, ")");
  }
  if (knee.kneedle_disagrees) {
    absl::StrAppend(&text, "; Kneedle says ", *knee.kneedle_level);
  }
  if (knee.little_disagrees) {
    absl::StrAppendFormat(&text, "; X_best*R(1) says %.3g", *knee.little_concurrency);
  }
  return text;
}

std::string DescribeOutcome(const Knee& knee) {
  switch (knee.outcome) {
    case KneeOutcome::kFound:
      return DescribeFound(knee);
    case KneeOutcome::kTooFewLevels:
      return "no knee: fewer than three levels with throughput";
    case KneeOutcome::kStillRising:
      return "no knee in the measured range: throughput still rises at the last level";
    case KneeOutcome::kDoesNotRise:
      return "no knee in the measured range: the lowest level is saturated already";
  }
  return "";
}

}  // namespace

Knee FindKnee(const std::vector<SweepPoint>& points) {
  const std::vector<SweepPoint> ascending = Ascending(points);
  Knee knee;
  NamePeak(ascending, knee);
  knee.fit = FitTwoSegments(ascending);
  knee.outcome = OutcomeOf(ascending, knee.fit);
  if (knee.outcome == KneeOutcome::kFound) NameKnee(ascending, knee);
  knee.kneedle_level = KneedleLevel(ascending);
  knee.little_concurrency = LittleKnee(ascending);
  knee.usl = FitUsl(ascending);
  CrossCheck(knee);
  return knee;
}

std::string DescribeKnee(const Knee& knee) {
  std::string text = DescribeOutcome(knee);
  if (knee.peak_level) {
    absl::StrAppend(&text, "; throughput peaks at ", *knee.peak_level, " and falls after it");
  }
  return text;
}

std::vector<uint64_t> SafeOperatingRegion(const std::vector<JudgedLevel>& levels,
                                          const Knee& knee) {
  std::optional<uint64_t> limit = knee.level;
  if (knee.outcome == KneeOutcome::kDoesNotRise && !levels.empty()) {
    limit = std::min_element(
                levels.begin(), levels.end(),
                [](const JudgedLevel& a, const JudgedLevel& b) { return a.level < b.level; })
                ->level;
  }
  std::vector<uint64_t> safe;
  for (const JudgedLevel& judged : levels) {
    if (judged.verdict != Verdict::kPass || (limit && judged.level > *limit)) continue;
    safe.push_back(judged.level);
  }
  std::sort(safe.begin(), safe.end());
  return safe;
}

}  // namespace tidemark
