#include "agent/exporter/agent_families.h"

#include <iterator>
#include <vector>

namespace tidemark {
namespace {

using Labels = std::vector<absl::string_view>;

MetricFamily Gauge(absl::string_view name, absl::string_view unit, absl::string_view help, Labels labels = {}) {
  return {name, MetricKind::kGauge, unit, std::move(labels), help};
}

MetricFamily Counter(absl::string_view name, absl::string_view unit, absl::string_view help, Labels labels = {}) {
  return {name, MetricKind::kCounter, unit, std::move(labels), help};
}

std::vector<MetricFamily> SessionFamilies() {
  return {
      Gauge("tidemark_agent_build_info", "1", "Always 1; the agent's id and version", {"agent_id", "version"}),
      Gauge("tidemark_agent_connected", "1", "1 while the coordinator's Welcome holds on a live stream, else 0"),
      Gauge("tidemark_agent_lease_remaining_seconds", "seconds",
            "Until the lease lapses and no request is sent any more; 0 without a lease"),
      Counter("tidemark_agent_reconnects_total", "streams", "Streams to the coordinator opened after the first one"),
      Counter("tidemark_agent_stale_messages_total", "messages",
              "Messages about another level, attempt or epoch; none was obeyed"),
      Gauge("tidemark_agent_capacity_requests", "requests", "Concurrent requests that the agent says it can carry"),
  };
}

std::vector<MetricFamily> LoadFamilies() {
  return {
      Gauge("tidemark_agent_level_info", "1", "Always 1; the level that the agent has a part in, absent while idle",
            {"job_id", "level", "attempt"}),
      Gauge("tidemark_agent_slots", "requests", "Its share of the level's concurrency; 0 while idle"),
      Gauge("tidemark_agent_in_flight_requests", "requests", "Requests in flight at its latest report"),
      Counter("tidemark_agent_requests_sent_total", "requests", "Requests sent, measured or not",
              {"phase"}),
      Counter("tidemark_agent_requests_total", "requests", "Requests that ended", {"phase", "outcome"}),
      Gauge("tidemark_agent_loop_silence_seconds", "seconds",
            "Longest time since the last turn of an event loop, at the latest heartbeat; 0 between levels"),
      Gauge("tidemark_agent_loop_lag_p99_seconds", "seconds",
            "p99 of the worst event loop's lag while the last finished level was measured"),
      Gauge("tidemark_agent_loop_cpu_ratio", "1", "CPU time of the busiest loop thread in the last finished level, of 1 core"),
  };
}

std::vector<MetricFamily> HostFamilies() {
  return {
      Counter("tidemark_agent_cgroup_throttled_seconds_total", "seconds", "Time the control group was throttled"),
      Counter("tidemark_agent_cgroup_throttled_periods_total", "periods", "Scheduler periods with throttling"),
      Counter("tidemark_agent_cgroup_periods_total", "periods", "Scheduler periods of the control group"),
      Gauge("tidemark_agent_spool_bytes", "bytes", "Per-request records that wait on disk"),
      Gauge("tidemark_agent_spool_limit_bytes", "bytes", "Most that a level's records may take"),
      Counter("tidemark_agent_records_lost_total", "records", "Records that found no room or no disk"),
      Counter("process_cpu_seconds_total", "seconds", "User and system CPU time of the process"),
      Gauge("process_resident_memory_bytes", "bytes", "Resident memory of the process"),
      Gauge("process_open_fds", "descriptors", "Open file descriptors"),
      Gauge("process_max_fds", "descriptors", "Limit of open file descriptors"),
  };
}

std::vector<MetricFamily> AllFamilies() {
  std::vector<MetricFamily> all = SessionFamilies();
  for (const auto& part : {LoadFamilies(), HostFamilies()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

absl::Span<const MetricFamily> AgentFamilies() {
  static const auto* const kFamilies = new std::vector<MetricFamily>(AllFamilies());
  return *kFamilies;
}

}  // namespace tidemark
