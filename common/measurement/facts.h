#ifndef TIDEMARK_COMMON_MEASUREMENT_FACTS_H_
#define TIDEMARK_COMMON_MEASUREMENT_FACTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/measurement/histogram.h"
#include "common/measurement/metric_table.h"

// The mergeable facts of measurement.proto as validated structs; field comments stand there.
// Each Merge is commutative and associative. Codecs are in facts_codec.h. Thread-compatible.
namespace tidemark {

struct OutcomeCounts {
  uint64_t sent = 0, ok = 0, failed = 0, cancelled = 0, unfinished = 0;

  void Merge(const OutcomeCounts& other);
  // sent = ok + failed + cancelled + unfinished.
  bool Conserved() const { return sent == ok + failed + cancelled + unfinished; }
  friend bool operator==(const OutcomeCounts&, const OutcomeCounts&) = default;
};

struct FailureExample {
  std::string failure_class;
  int32_t status = 0;
  std::string excerpt, server, via, retry_after;
  uint64_t age_us = 0;
  friend bool operator==(const FailureExample&, const FailureExample&) = default;
  // By class, then status, age and the texts.
  friend bool operator<(const FailureExample& a, const FailureExample& b);
};

struct SlaEvidence {
  uint64_t n = 0, v = 0;
  Histogram histogram;
  void Merge(const SlaEvidence& other);
  friend bool operator==(const SlaEvidence&, const SlaEvidence&) = default;
};

struct SliceRow {
  uint64_t n = 0, ended = 0, tokens = 0;
  std::vector<SlaEvidence> sla;  // in the order of the plan's SLAs
  // Rows of one plan have as many SLAs; one that has none yet (default) takes the other's.
  void Merge(const SliceRow& other);
  friend bool operator==(const SliceRow&, const SliceRow&) = default;
};

struct AddressFacts {
  uint64_t requests = 0, errors = 0;
  Histogram time_to_first_token;
  void Merge(const AddressFacts& other);
  friend bool operator==(const AddressFacts&, const AddressFacts&) = default;
};

// At most this many examples are kept of a failure class (per delta and merged).
inline constexpr size_t kExamplesPerClass = 3;

// The facts of a Delta, or of many merged (then without sequence).
struct MeasuredFacts {
  OutcomeCounts measured, unmeasured;
  std::array<Histogram, kMetricCount> histograms;  // measured successes, by Metric
  std::map<uint32_t, SliceRow> slices;             // by slice number
  std::map<std::string, uint64_t> failures;        // by failure class; measured only
  std::vector<FailureExample> examples;            // sorted, at most kExamplesPerClass a class
  std::map<std::string, AddressFacts> addresses;   // measured only
  uint64_t output_tokens = 0, input_tokens = 0, failed_tokens = 0;
  uint64_t usage_from_server = 0, usage_from_chunks = 0, usage_from_tokenizer = 0,
           usage_from_events = 0;
  uint64_t length_missed = 0;
  uint64_t in_flight_now = 0;  // a level, not a count: Merge keeps the sum over agents' latest only
                               // when the caller clears it; Merge itself adds
  uint64_t connection_reused_stale = 0, done_but_open = 0, data_after_done = 0;
  uint64_t multi_event_reads = 0, reads = 0;
  uint64_t sent_output_tokens = 0, sent_input_tokens = 0;  // every ended request's, fillers included

  Histogram& histogram(Metric m) { return histograms[static_cast<size_t>(m)]; }
  const Histogram& histogram(Metric m) const { return histograms[static_cast<size_t>(m)]; }
  // Keeps `example` unless its class has kExamplesPerClass that stand before it in FailureExample's
  // order: so the same are kept in whatever order they come.
  void AddExample(FailureExample example);
  // True when nothing but in_flight_now could be non-zero.
  bool Empty() const;
  void Merge(const MeasuredFacts& other);
  friend bool operator==(const MeasuredFacts&, const MeasuredFacts&) = default;
};

struct WindowFacts {
  uint32_t slots = 0;
  uint64_t measured_requests = 0, successes = 0, good_requests = 0;
  bool has_window = false;
  uint64_t width_ns = 0;
  uint64_t output_millitokens = 0, input_millitokens = 0;
  uint64_t in_flight_integral_ns = 0;
  uint64_t ended_in_window = 0, ended_sojourn_ns = 0;
  uint64_t edge_age_start_ns = 0, edge_age_end_ns = 0;
  uint64_t backoff_ns = 0;
  friend bool operator==(const WindowFacts&, const WindowFacts&) = default;
};

struct SelfCheckFacts {
  Histogram loop_lag_us, send_lateness_us, slot_turnaround_us;
  uint64_t loop_cpu_ns = 0, wall_ns = 0;  // of the busiest loop
  uint64_t cgroup_throttled_ns = 0, cgroup_periods = 0, cgroup_throttled_periods = 0;
  uint64_t run_queue_wait_ns = 0;
  uint64_t sockets_opened = 0, descriptors_limit = 0, descriptors_used_max = 0;
  uint64_t unread_socket_bytes_max = 0;
  Histogram reader_delay_us;
  uint64_t reads = 0, queued_inside = 0, connections_open_max = 0, ports_limit = 0;
  // Of another loop of the same agent: the lag kept is that of the worst loop (largest p99, then max:
  // among the ticks of seven good loops those of a bad one would not show), the other histograms, sockets,
  // reads and connections add, the busiest loop's CPU (largest loop_cpu_ns / wall_ns) is kept with its run-queue wait,
  // of all else (facts of the process) the largest.
  void Merge(const SelfCheckFacts& other);
  friend bool operator==(const SelfCheckFacts&, const SelfCheckFacts&) = default;
};

struct FinalSnapshot {
  OutcomeCounts measured, unmeasured;
  uint64_t deltas = 0;
  std::vector<WindowFacts> windows;  // one for each loop that had slots
  SelfCheckFacts self_check;
  bool stopped_early = false;
  uint64_t records_written = 0, records_lost = 0, records_bytes = 0;
  friend bool operator==(const FinalSnapshot&, const FinalSnapshot&) = default;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MEASUREMENT_FACTS_H_
