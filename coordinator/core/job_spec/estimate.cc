#include "coordinator/core/job_spec/estimate.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tidemark {
namespace {

constexpr uint64_t kProbeRequests = 4;  // the real one and calibration's three

// Doubling from the start to the end of the range, as if every level passed, within the iterations:
// the costliest way a search can go up, for levels are the higher the dearer.
std::vector<uint32_t> LevelsOf(const JobSpec& spec) {
  if (!spec.search) return spec.concurrency;
  const SearchSpec& search = spec.search->spec;
  std::vector<uint32_t> levels;
  uint64_t level = search.start.value_or(search.min);
  while (levels.size() < static_cast<size_t>(search.max_iterations)) {
    levels.push_back(static_cast<uint32_t>(level));
    if (level >= search.max) break;
    level = std::min(search.max, level * 2);
  }
  while (levels.size() < static_cast<size_t>(search.max_iterations)) levels.push_back(levels.back());
  return levels;
}

LevelEstimate EstimateLevel(const JobSpec& spec, uint32_t concurrency,
                            std::optional<double> latency) {
  LevelEstimate level;
  level.concurrency = concurrency;
  level.measured = RequestCountAt(spec, concurrency);
  if (latency && !spec.request_count) {
    // The cap ends a level early where the endpoint is slow.
    const double in_time = std::ceil(spec.level_cap_seconds * concurrency / *latency);
    level.measured = static_cast<uint64_t>(std::min(static_cast<double>(level.measured), in_time));
    level.measured = std::max<uint64_t>(level.measured, 1);
  }
  const uint64_t around = spec.fill ? 2 : 1;  // warm-up, and fillers while the last ones end
  level.sent = level.measured + around * concurrency;
  if (latency) {
    // Ramp, warm-up and drain last about a latency each.
    const double rounds = static_cast<double>(level.measured) / concurrency + 3;
    level.seconds = rounds * *latency + spec.level_cooldown_seconds;
  } else if (!spec.request_count) {
    level.seconds = spec.level_cap_seconds + spec.level_cooldown_seconds;
  }
  return level;
}

}  // namespace

JobEstimate EstimateJob(const JobSpec& spec, const LatencyAt& latency_at) {
  JobEstimate estimate;
  estimate.upper_bound = spec.search.has_value();
  estimate.sent = kProbeRequests;
  double seconds = 0;
  bool timed = true;
  for (const uint32_t concurrency : LevelsOf(spec)) {
    const std::optional<double> latency = latency_at ? latency_at(concurrency) : std::nullopt;
    estimate.time_is_a_bound |= !latency.has_value();
    const LevelEstimate level = EstimateLevel(spec, concurrency, latency);
    estimate.measured += level.measured;
    estimate.sent += level.sent;
    timed &= level.seconds.has_value();
    seconds += level.seconds.value_or(0);
    estimate.levels.push_back(level);
  }
  estimate.input_tokens = static_cast<double>(estimate.sent) * spec.workload.input.mean;
  estimate.output_tokens = static_cast<double>(estimate.sent) * spec.workload.output.mean;
  if (spec.search && spec.search->spec.budget.seconds) {
    seconds = timed ? std::min(seconds, *spec.search->spec.budget.seconds)
                    : *spec.search->spec.budget.seconds;
    estimate.time_is_a_bound |= !timed;
    timed = true;
  }
  if (timed) estimate.seconds = seconds;
  return estimate;
}

std::string DescribeEstimate(const JobEstimate& estimate) {
  const absl::string_view most = estimate.upper_bound ? "at most " : "";
  const absl::string_view levels = estimate.levels.size() == 1 ? " level" : " levels";
  const std::string time =
      estimate.seconds
          ? absl::StrCat(estimate.time_is_a_bound ? "no more than about " : "about ",
                         DurationText(*estimate.seconds))
          : "time not known before the endpoint answers";
  return absl::StrCat(most, estimate.levels.size(), levels, ", about ",
                      CountText(static_cast<double>(estimate.sent)), " requests, ",
                      CountText(estimate.input_tokens), " input and ",
                      CountText(estimate.output_tokens), " output tokens, ", time);
}

std::string EstimateJson(const JobEstimate& estimate) {
  return absl::StrCat(
      "{\"levels\":", estimate.levels.size(), ",\"measured_requests\":", estimate.measured,
      ",\"requests\":", estimate.sent, ",\"input_tokens\":",
      absl::StrFormat("%.0f", estimate.input_tokens), ",\"output_tokens\":",
      absl::StrFormat("%.0f", estimate.output_tokens), ",\"seconds\":",
      estimate.seconds ? absl::StrFormat("%.3f", *estimate.seconds) : "null",
      ",\"upper_bound\":", estimate.upper_bound || estimate.time_is_a_bound ? "true" : "false", "}");
}

std::string DurationText(double seconds) {
  if (seconds < 0.9995) return absl::StrFormat("%.0f ms", seconds * 1000);
  if (seconds < 9.95) return absl::StrFormat("%.1f s", seconds);
  const uint64_t whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 120) return absl::StrCat(whole, " s");
  if (whole < 7200) {
    const uint64_t rest = whole % 60;
    return absl::StrCat(whole / 60, " min", rest > 0 ? absl::StrCat(" ", rest, " s") : "");
  }
  const uint64_t minutes = (whole + 30) / 60;
  return absl::StrCat(minutes / 60, " h", minutes % 60 > 0 ? absl::StrCat(" ", minutes % 60, " min") : "");
}

std::string CountText(double count) {
  if (count >= 999.95e12) return absl::StrFormat("%.1fP", count / 1e15);
  if (count >= 999.95e9) return absl::StrFormat("%.1fT", count / 1e12);
  if (count >= 999.95e6) return absl::StrFormat("%.1fG", count / 1e9);
  if (count >= 99'999.5) return absl::StrFormat("%.1fM", count / 1e6);
  const std::string digits = absl::StrFormat("%.0f", count);
  std::string grouped;
  for (size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) grouped += ',';
    grouped += digits[at];
  }
  return grouped;
}

}  // namespace tidemark
