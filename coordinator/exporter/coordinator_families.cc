#include "coordinator/exporter/coordinator_families.h"

#include <vector>

namespace tidemark {
namespace {

using Labels = std::vector<absl::string_view>;

Labels LevelLabels(const Labels& more = {}) {
  Labels labels = {"job_id", "level", "attempt", "concurrency"};
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

MetricFamily Gauge(absl::string_view name, absl::string_view unit, Labels labels, absl::string_view help) {
  return {name, MetricKind::kGauge, unit, std::move(labels), help};
}

MetricFamily Counter(absl::string_view name, absl::string_view unit, Labels labels, absl::string_view help) {
  return {name, MetricKind::kCounter, unit, std::move(labels), help};
}

MetricFamily Latency(absl::string_view name, absl::string_view help) {
  return {name, MetricKind::kHistogram, "seconds", LevelLabels({"phase"}), help};
}

std::vector<MetricFamily> ClusterFamilies() {
  return {
      Gauge("tidemark_coordinator_build_info", "1", {"version"}, "Always 1; the coordinator's version"),
      Gauge("tidemark_jobs", "jobs", {"state"}, "Jobs that have not ended"),
      Counter("tidemark_jobs_ended_total", "jobs", {"state"}, "Jobs that ended since the coordinator started"),
      Gauge("tidemark_agents", "agents", {"state"},
            "Agents that hold a lease: idle, busy in a level, or cut off (no stream just now)"),
      Gauge("tidemark_capacity_requests", "requests", {}, "Concurrent requests that all agents can carry together"),
      Counter("tidemark_agents_lost_total", "agents", {}, "Agents whose lease lapsed or whose process was started anew"),
      Counter("tidemark_attempts_void_total", "attempts", {}, "Attempts of levels that were void and ran again"),
      Counter("tidemark_stale_messages_total", "messages", {},
              "Messages about another level, attempt or epoch; none was merged"),
      Counter("tidemark_hellos_refused_total", "hellos", {}, "Agents that were refused when they said Hello"),
  };
}

std::vector<MetricFamily> JobFamilies() {
  return {
      Gauge("tidemark_job_info", "1", {"job_id", "job_name"}, "Always 1; the job that runs, or the last one"),
      Gauge("tidemark_level_index", "1", {"job_id"}, "The level that runs, counted from 0; absent between levels"),
      Gauge("tidemark_level_phase", "1", {"job_id", "phase"}, "1 for the phase of the level that runs, else 0"),
      Gauge("tidemark_target_concurrency", "requests", {"job_id"},
            "Concurrent requests that the running level asks for; 0 between levels"),
      Gauge("tidemark_in_flight_requests", "requests", {"job_id"},
            "Requests in flight, summed over the agents' latest reports; 0 between levels"),
  };
}

std::vector<MetricFamily> LevelFamilies() {
  return {
      Gauge("tidemark_level_planned_requests", "requests", LevelLabels(), "Requests that the level is to measure"),
      Counter("tidemark_requests_total", "requests", LevelLabels({"phase", "outcome"}),
              "Requests that ended: measured ones, and those of ramp, warm-up and fill (unmeasured)"),
      Counter("tidemark_request_failures_total", "requests", LevelLabels({"failure_class"}),
              "Measured requests that failed, by failure class of docs/metrics.md; rare HTTP statuses are http_other"),
      Counter("tidemark_output_tokens_total", "tokens", LevelLabels({"phase"}), "Output tokens of measured successes"),
      Counter("tidemark_input_tokens_total", "tokens", LevelLabels({"phase"}), "Input tokens of measured successes"),
      Counter("tidemark_sent_output_tokens_total", "tokens", LevelLabels(),
              "Output tokens of every request that ended, measured or not: what the endpoint was asked for"),
      Counter("tidemark_sent_input_tokens_total", "tokens", LevelLabels(),
              "Input tokens of every request that ended, measured or not"),
      Latency("tidemark_time_to_first_token_seconds", "Time to first token of measured successes"),
      Latency("tidemark_inter_token_latency_seconds", "Inter-token latency (one figure a request) of measured successes"),
      Latency("tidemark_request_latency_seconds", "Request latency of measured successes"),
      Gauge("tidemark_level_verdict_info", "1", LevelLabels({"verdict", "validity"}),
            "Always 1; how a finished level was judged, and whether its measurement was valid"),
  };
}

std::vector<MetricFamily> AllFamilies() {
  std::vector<MetricFamily> all = ClusterFamilies();
  for (const auto& part : {JobFamilies(), LevelFamilies()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

absl::Span<const MetricFamily> CoordinatorFamilies() {
  static const auto* const kFamilies = new std::vector<MetricFamily>(AllFamilies());
  return *kFamilies;
}

}  // namespace tidemark
