#include "common/measurement/facts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark {
namespace {

template <typename Key>
void MergeCounts(std::map<Key, uint64_t>& into, const std::map<Key, uint64_t>& from) {
  for (const auto& [key, count] : from) into[key] += count;
}

template <typename Key, typename Facts>
void MergeEach(std::map<Key, Facts>& into, const std::map<Key, Facts>& from) {
  for (const auto& [key, facts] : from) into[key].Merge(facts);
}

// Whether loop a was busier than loop b. A total order over the facts compared, so that the busiest
// of many does not depend on the order of merging; a loop that took no time comes last.
bool Busier(const SelfCheckFacts& a, const SelfCheckFacts& b) {
  if ((a.wall_ns == 0) != (b.wall_ns == 0)) return b.wall_ns == 0;
  using uint128 = unsigned __int128;
  const uint128 share_a = static_cast<uint128>(a.loop_cpu_ns) * b.wall_ns;
  const uint128 share_b = static_cast<uint128>(b.loop_cpu_ns) * a.wall_ns;
  if (share_a != share_b) return share_a > share_b;
  return std::tie(a.wall_ns, a.loop_cpu_ns, a.run_queue_wait_ns) >
         std::tie(b.wall_ns, b.loop_cpu_ns, b.run_queue_wait_ns);
}

std::string EncodedBytes(const Histogram& histogram) {
  v1::Histogram encoded;
  histogram.EncodeTo(&encoded);
  return encoded.SerializeAsString();
}

// Whether loop lag a is worse than b. A total order too: equal only where the histograms are.
bool Laggier(const Histogram& a, const Histogram& b) {
  const auto key = [](const Histogram& h) {
    return std::make_tuple(h.empty() ? 0 : h.Quantile(0.99), h.max(), h.count());
  };
  if (key(a) != key(b)) return key(a) > key(b);
  return EncodedBytes(a) > EncodedBytes(b);
}

}  // namespace

void OutcomeCounts::Merge(const OutcomeCounts& other) {
  sent += other.sent;
  ok += other.ok;
  failed += other.failed;
  cancelled += other.cancelled;
  unfinished += other.unfinished;
}

bool operator<(const FailureExample& a, const FailureExample& b) {
  const auto key = [](const FailureExample& e) {
    return std::tie(e.failure_class, e.status, e.age_us, e.excerpt, e.server, e.via, e.retry_after);
  };
  return key(a) < key(b);
}

void SlaEvidence::Merge(const SlaEvidence& other) {
  n += other.n;
  v += other.v;
  histogram.Merge(other.histogram);
}

void SliceRow::Merge(const SliceRow& other) {
  n += other.n;
  ended += other.ended;
  tokens += other.tokens;
  sla.resize(std::max(sla.size(), other.sla.size()));
  for (size_t i = 0; i < other.sla.size(); ++i) sla[i].Merge(other.sla[i]);
}

void AddressFacts::Merge(const AddressFacts& other) {
  requests += other.requests;
  errors += other.errors;
  time_to_first_token.Merge(other.time_to_first_token);
}

void MeasuredFacts::AddExample(FailureExample example) {
  const auto same_class = [&](const FailureExample& e) {
    return e.failure_class == example.failure_class;
  };
  const auto first = std::find_if(examples.begin(), examples.end(), same_class);
  const auto last = std::find_if_not(first, examples.end(), same_class);
  const bool full = static_cast<size_t>(last - first) >= kExamplesPerClass;
  if (full && !(example < *(last - 1))) return;
  if (full) examples.erase(last - 1);
  const auto at = std::upper_bound(examples.begin(), examples.end(), example);
  examples.insert(at, std::move(example));
}

bool MeasuredFacts::Empty() const {
  MeasuredFacts nothing;
  nothing.in_flight_now = in_flight_now;
  return *this == nothing;
}

void MeasuredFacts::Merge(const MeasuredFacts& other) {
  measured.Merge(other.measured);
  unmeasured.Merge(other.unmeasured);
  for (size_t i = 0; i < histograms.size(); ++i) histograms[i].Merge(other.histograms[i]);
  MergeEach(slices, other.slices);
  MergeCounts(failures, other.failures);
  for (const FailureExample& example : other.examples) AddExample(example);
  MergeEach(addresses, other.addresses);
  output_tokens += other.output_tokens;
  input_tokens += other.input_tokens;
  failed_tokens += other.failed_tokens;
  usage_from_server += other.usage_from_server;
  usage_from_chunks += other.usage_from_chunks;
  usage_from_tokenizer += other.usage_from_tokenizer;
  usage_from_events += other.usage_from_events;
  length_missed += other.length_missed;
  in_flight_now += other.in_flight_now;
  connection_reused_stale += other.connection_reused_stale;
  done_but_open += other.done_but_open;
  data_after_done += other.data_after_done;
  multi_event_reads += other.multi_event_reads;
  reads += other.reads;
  sent_output_tokens += other.sent_output_tokens;
  sent_input_tokens += other.sent_input_tokens;
}

void SelfCheckFacts::Merge(const SelfCheckFacts& other) {
  if (Busier(other, *this)) {
    loop_cpu_ns = other.loop_cpu_ns;
    wall_ns = other.wall_ns;
    run_queue_wait_ns = other.run_queue_wait_ns;
  }
  if (Laggier(other.loop_lag_us, loop_lag_us)) loop_lag_us = other.loop_lag_us;
  send_lateness_us.Merge(other.send_lateness_us);
  slot_turnaround_us.Merge(other.slot_turnaround_us);
  reader_delay_us.Merge(other.reader_delay_us);
  sockets_opened += other.sockets_opened;
  reads += other.reads;
  queued_inside += other.queued_inside;
  connections_open_max += other.connections_open_max;
  cgroup_throttled_ns = std::max(cgroup_throttled_ns, other.cgroup_throttled_ns);
  cgroup_periods = std::max(cgroup_periods, other.cgroup_periods);
  cgroup_throttled_periods = std::max(cgroup_throttled_periods, other.cgroup_throttled_periods);
  descriptors_limit = std::max(descriptors_limit, other.descriptors_limit);
  descriptors_used_max = std::max(descriptors_used_max, other.descriptors_used_max);
  unread_socket_bytes_max = std::max(unread_socket_bytes_max, other.unread_socket_bytes_max);
  ports_limit = std::max(ports_limit, other.ports_limit);
}

}  // namespace tidemark
