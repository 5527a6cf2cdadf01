#include "simulator/stats.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "simulator/request_json.h"

namespace tidemark {
namespace {

constexpr int kPerOctave = 16;
constexpr size_t kMostPaths = 256;
constexpr size_t kMostPrompts = 1'000'000;

// 0..15 have a bucket each; from then on 16 buckets an octave.
size_t BucketOf(int64_t us) {
  int shift = 0;
  while ((us >> shift) >= 2 * kPerOctave) ++shift;
  return static_cast<size_t>(shift * kPerOctave + (us >> shift));
}

int64_t UpperEdge(size_t bucket) {
  const int64_t index = static_cast<int64_t>(bucket);
  if (index < 2 * kPerOctave) return index;
  const int64_t shift = index / kPerOctave - 1;
  return ((index - shift * kPerOctave + 1) << shift) - 1;
}

std::string MapJson(const std::map<std::string, int64_t>& map) {
  std::string out = "{";
  for (const auto& [name, count] : map) {
    absl::StrAppend(&out, out.size() > 1 ? "," : "", JsonQuote(name), ":", count);
  }
  return out + "}";
}

}  // namespace

void LatenessHistogram::Add(int64_t us) {
  us = std::max<int64_t>(0, us);
  const size_t bucket = BucketOf(us);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  max_ = std::max(max_, us);
}

int64_t LatenessHistogram::Quantile(double quantile) const {
  int64_t rank = static_cast<int64_t>(std::ceil(quantile * static_cast<double>(count_)));
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    rank -= buckets_[bucket];
    if (rank <= 0) return std::min(max_, UpperEdge(bucket));
  }
  return max_;
}

void SimulatorStats::CountRequest(absl::string_view path) {
  ++requests;
  std::string key(path);
  if (paths.size() >= kMostPaths && paths.count(key) == 0) key = "other";
  ++paths[key];
}

void SimulatorStats::CountPrompt(uint64_t hash) {
  if (prompts.size() < kMostPrompts) prompts.insert(hash);
}

void SimulatorStats::Enter() {
  ++in_flight;
  in_flight_max = std::max(in_flight_max, in_flight);
}

void SimulatorStats::Reset() {
  const int64_t now_in_flight = in_flight;
  *this = SimulatorStats();
  in_flight = in_flight_max = now_in_flight;
}

std::string SimulatorStats::ToJson(size_t running, size_t waiting) const {
  std::string out = "{";
  const auto add = [&out](const char* name, int64_t value) {
    absl::StrAppend(&out, "\"", name, "\":", value, ",");
  };
  add("requests", requests);
  add("in_flight", in_flight);
  add("in_flight_max", in_flight_max);
  add("running", static_cast<int64_t>(running));
  add("waiting", static_cast<int64_t>(waiting));
  add("completed", completed);
  add("refused", refused);
  add("cancelled", cancelled);
  add("tokens", tokens);
  add("prompt_tokens", prompt_tokens);
  add("distinct_prompts", static_cast<int64_t>(prompts.size()));
  add("steps", steps);
  add("late_steps", late_steps);
  add("connections", connections);
  add("step_lateness_p50_us", lateness.Quantile(0.5));
  add("step_lateness_p99_us", lateness.Quantile(0.99));
  add("step_lateness_max_us", lateness.max());
  return absl::StrCat(out, "\"paths\":", MapJson(paths), ",\"faults\":", MapJson(faults), "}");
}

}  // namespace tidemark
