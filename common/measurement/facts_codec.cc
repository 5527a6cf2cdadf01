#include "common/measurement/facts_codec.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxExcerptBytes = 512;
constexpr size_t kSequenceBytes = 11;  // tag and the longest varint
constexpr size_t kItemOverhead = 6;    // tag and length of an embedded message

absl::Status Invalid(absl::string_view field, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

// ---- Encoding

void EncodeExample(const FailureExample& example, v1::FailureExample* out) {
  out->set_failure_class(example.failure_class);
  out->set_status(example.status);
  out->set_excerpt(example.excerpt);
  out->set_server(example.server);
  out->set_via(example.via);
  out->set_retry_after(example.retry_after);
  out->set_age_us(example.age_us);
}

void EncodeTotals(const MeasuredFacts& facts, v1::Delta* out) {
  *out->mutable_measured() = EncodeCounts(facts.measured);
  *out->mutable_unmeasured() = EncodeCounts(facts.unmeasured);
  out->set_output_tokens(facts.output_tokens);
  out->set_input_tokens(facts.input_tokens);
  out->set_failed_tokens(facts.failed_tokens);
  out->set_usage_from_server(facts.usage_from_server);
  out->set_usage_from_chunks(facts.usage_from_chunks);
  out->set_usage_from_tokenizer(facts.usage_from_tokenizer);
  out->set_usage_from_events(facts.usage_from_events);
  out->set_length_missed(facts.length_missed);
  out->set_in_flight_now(facts.in_flight_now);
  out->set_connection_reused_stale(facts.connection_reused_stale);
  out->set_done_but_open(facts.done_but_open);
  out->set_data_after_done(facts.data_after_done);
  out->set_multi_event_reads(facts.multi_event_reads);
  out->set_reads(facts.reads);
  out->set_sent_output_tokens(facts.sent_output_tokens);
  out->set_sent_input_tokens(facts.sent_input_tokens);
}

void EncodeHistograms(const MeasuredFacts& facts, v1::Delta* out) {
  for (const MetricInfo& info : MetricTable()) {
    const Histogram& histogram = facts.histogram(info.metric);
    if (histogram.empty()) continue;
    v1::MetricHistogram* item = out->add_histograms();
    item->set_tag(std::string(info.tag));
    histogram.EncodeTo(item->mutable_histogram());
  }
}

void EncodeAddresses(const MeasuredFacts& facts, v1::Delta* out) {
  for (const auto& [address, of_address] : facts.addresses) {
    v1::AddressFacts* item = out->add_addresses();
    item->set_address(address);
    item->set_requests(of_address.requests);
    item->set_errors(of_address.errors);
    of_address.time_to_first_token.EncodeTo(item->mutable_time_to_first_token());
  }
}

// ---- Splitting

// Fills deltas up to a size, in the order items come.
class DeltaPacker {
 public:
  DeltaPacker(v1::Delta first, size_t max_bytes)
      : budget_(max_bytes > kSequenceBytes ? max_bytes - kSequenceBytes : 0),
        used_(first.ByteSizeLong()) {
    deltas_.push_back(std::move(first));
  }

  // Moves `items` into the deltas; `list` is the mutable accessor of the field they belong to.
  template <typename Item>
  void Pack(google::protobuf::RepeatedPtrField<Item>* items,
            google::protobuf::RepeatedPtrField<Item>* (v1::Delta::*list)()) {
    for (Item& item : *items) {
      const size_t bytes = item.ByteSizeLong() + kItemOverhead;
      if (used_ > 0 && used_ + bytes > budget_) {
        deltas_.emplace_back();
        used_ = 0;
      }
      used_ += bytes;
      *(deltas_.back().*list)()->Add() = std::move(item);
    }
  }

  std::vector<v1::Delta> Take() { return std::move(deltas_); }

 private:
  const size_t budget_;
  size_t used_;
  std::vector<v1::Delta> deltas_;
};

// ---- Decoding

OutcomeCounts DecodeCounts(const v1::OutcomeCounts& in) {
  return {in.sent(), in.ok(), in.failed(), in.cancelled(), in.unfinished()};
}

absl::Status DecodeHistogram(absl::string_view field, const v1::Histogram& in, Histogram& out) {
  absl::StatusOr<Histogram> histogram = Histogram::Decode(in);
  if (!histogram.ok()) return Invalid(field, histogram.status().message());
  out = *std::move(histogram);
  return absl::OkStatus();
}

// Classes become labels and file keys: lower-case letters, digits and '_' only.
absl::Status CheckFailureClass(absl::string_view field, absl::string_view name) {
  const auto allowed = [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_';
  };
  if (!name.empty() && name.size() <= kMaxNameBytes &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return absl::OkStatus();
  }
  return Invalid(field, absl::StrCat("\"", name.substr(0, kMaxNameBytes),
                                     "\" should be 1 to 256 of a-z, 0-9 and _"));
}

absl::Status DecodeMetric(const v1::MetricHistogram& in, MeasuredFacts& out) {
  const std::string field = absl::StrCat("histograms[\"", in.tag().substr(0, kMaxNameBytes), "\"]");
  const std::optional<Metric> metric = MetricByTag(in.tag());
  if (!metric.has_value()) return Invalid(field, "no such metric in this build's metric table");
  if (!out.histogram(*metric).empty()) return Invalid(field, "should come once");
  if (in.histogram().count() == 0) return Invalid(field, "should be left out when empty");
  return DecodeHistogram(field, in.histogram(), out.histogram(*metric));
}

absl::Status DecodeSla(const std::string& field, const v1::SlaEvidence& in, SlaEvidence& out) {
  if (in.v() > in.n()) {
    return Invalid(field, absl::StrCat("v is ", in.v(), ": should be at most n, ", in.n()));
  }
  out.n = in.n();
  out.v = in.v();
  return DecodeHistogram(field + ".histogram", in.histogram(), out.histogram);
}

absl::Status DecodeSlice(const v1::SliceRow& in, size_t sla_count, MeasuredFacts& out) {
  const std::string field = absl::StrCat("slices[", in.slice(), "]");
  if (out.slices.count(in.slice()) > 0) return Invalid(field, "should come once");
  if (static_cast<size_t>(in.sla_size()) != sla_count) {
    return Invalid(field,
                   absl::StrCat("has ", in.sla_size(), " sla: should be the plan's ", sla_count));
  }
  SliceRow row{in.n(), in.ended(), in.tokens(), std::vector<SlaEvidence>(sla_count)};
  for (size_t i = 0; i < sla_count; ++i) {
    const v1::SlaEvidence& evidence = in.sla(static_cast<int>(i));
    absl::Status status = DecodeSla(absl::StrCat(field, ".sla[", i, "]"), evidence, row.sla[i]);
    if (!status.ok()) return status;
  }
  out.slices.emplace(in.slice(), std::move(row));
  return absl::OkStatus();
}

absl::Status DecodeFailure(const v1::FailureCount& in, MeasuredFacts& out) {
  absl::Status status = CheckFailureClass("failures.failure_class", in.failure_class());
  if (!status.ok()) return status;
  const std::string field = absl::StrCat("failures[\"", in.failure_class(), "\"]");
  if (in.count() == 0) return Invalid(field, "count is 0: should be left out");
  if (!out.failures.emplace(in.failure_class(), in.count()).second) {
    return Invalid(field, "should come once");
  }
  return absl::OkStatus();
}

absl::Status DecodeExample(const v1::FailureExample& in, MeasuredFacts& out) {
  absl::Status status = CheckFailureClass("examples.failure_class", in.failure_class());
  if (!status.ok()) return status;
  const std::string field = absl::StrCat("examples[\"", in.failure_class(), "\"]");
  if (in.excerpt().size() > kMaxExcerptBytes) {
    return Invalid(field, absl::StrCat("excerpt has ", in.excerpt().size(),
                                       " bytes: should be at most ", kMaxExcerptBytes));
  }
  const auto same_class = [&](const FailureExample& e) {
    return e.failure_class == in.failure_class();
  };
  const auto kept = std::count_if(out.examples.begin(), out.examples.end(), same_class);
  if (static_cast<size_t>(kept) >= kExamplesPerClass) {
    return Invalid(field, absl::StrCat("should be at most ", kExamplesPerClass));
  }
  out.AddExample({in.failure_class(), in.status(), in.excerpt(), in.server(), in.via(),
                  in.retry_after(), in.age_us()});
  return absl::OkStatus();
}

absl::Status DecodeAddress(const v1::AddressFacts& in, MeasuredFacts& out) {
  const std::string field =
      absl::StrCat("addresses[\"", in.address().substr(0, kMaxNameBytes), "\"]");
  if (in.address().empty() || in.address().size() > kMaxNameBytes) {
    return Invalid(field, "should have 1 to 256 bytes");
  }
  AddressFacts facts{in.requests(), in.errors(), {}};
  absl::Status status = DecodeHistogram(field + ".time_to_first_token", in.time_to_first_token(),
                                        facts.time_to_first_token);
  if (!status.ok()) return status;
  if (!out.addresses.emplace(in.address(), std::move(facts)).second) {
    return Invalid(field, "should come once");
  }
  return absl::OkStatus();
}

void DecodeTotals(const v1::Delta& in, MeasuredFacts& out) {
  out.measured = DecodeCounts(in.measured());
  out.unmeasured = DecodeCounts(in.unmeasured());
  out.output_tokens = in.output_tokens();
  out.input_tokens = in.input_tokens();
  out.failed_tokens = in.failed_tokens();
  out.usage_from_server = in.usage_from_server();
  out.usage_from_chunks = in.usage_from_chunks();
  out.usage_from_tokenizer = in.usage_from_tokenizer();
  out.usage_from_events = in.usage_from_events();
  out.length_missed = in.length_missed();
  out.in_flight_now = in.in_flight_now();
  out.connection_reused_stale = in.connection_reused_stale();
  out.done_but_open = in.done_but_open();
  out.data_after_done = in.data_after_done();
  out.multi_event_reads = in.multi_event_reads();
  out.reads = in.reads();
  out.sent_output_tokens = in.sent_output_tokens();
  out.sent_input_tokens = in.sent_input_tokens();
}

// Runs `decode` over `items` until one is refused.
template <typename Items, typename Decode>
absl::Status DecodeEach(const Items& items, Decode decode) {
  for (const auto& item : items) {
    if (absl::Status status = decode(item); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DecodeWindow(const v1::WindowFacts& in, std::vector<WindowFacts>& out) {
  const std::string field = absl::StrCat("windows[", out.size(), "]");
  if (in.slots() == 0) return Invalid(field, "slots is 0: should be at least 1");
  if (in.has_window() != (in.width_ns() > 0)) {
    return Invalid(field, absl::StrCat("width_ns is ", in.width_ns(), ": should be ",
                                       in.has_window() ? "above 0" : "0 without a window"));
  }
  if (in.successes() > in.measured_requests() || in.good_requests() > in.successes()) {
    return Invalid(field, absl::StrCat("good_requests ", in.good_requests(), ", successes ",
                                       in.successes(), ", measured_requests ",
                                       in.measured_requests(), ": none should exceed the next"));
  }
  out.push_back({in.slots(), in.measured_requests(), in.successes(), in.good_requests(),
                 in.has_window(), in.width_ns(), in.output_millitokens(), in.input_millitokens(),
                 in.in_flight_integral_ns(), in.ended_in_window(), in.ended_sojourn_ns(),
                 in.edge_age_start_ns(), in.edge_age_end_ns(), in.backoff_ns()});
  return absl::OkStatus();
}

absl::Status DecodeSelfCheckHistograms(const v1::SelfCheckFacts& in, SelfCheckFacts& out) {
  absl::Status status =
      DecodeHistogram("self_check.loop_lag_us", in.loop_lag_us(), out.loop_lag_us);
  if (!status.ok()) return status;
  status =
      DecodeHistogram("self_check.send_lateness_us", in.send_lateness_us(), out.send_lateness_us);
  if (!status.ok()) return status;
  status = DecodeHistogram("self_check.slot_turnaround_us", in.slot_turnaround_us(), out.slot_turnaround_us);
  if (!status.ok()) return status;
  return DecodeHistogram("self_check.reader_delay_us", in.reader_delay_us(), out.reader_delay_us);
}

absl::Status DecodeSelfCheck(const v1::SelfCheckFacts& in, SelfCheckFacts& out) {
  out.loop_cpu_ns = in.loop_cpu_ns();
  out.wall_ns = in.wall_ns();
  out.cgroup_throttled_ns = in.cgroup_throttled_ns();
  out.cgroup_periods = in.cgroup_periods();
  out.cgroup_throttled_periods = in.cgroup_throttled_periods();
  out.run_queue_wait_ns = in.run_queue_wait_ns();
  out.sockets_opened = in.sockets_opened();
  out.descriptors_limit = in.descriptors_limit();
  out.descriptors_used_max = in.descriptors_used_max();
  out.unread_socket_bytes_max = in.unread_socket_bytes_max();
  out.reads = in.reads();
  out.queued_inside = in.queued_inside();
  out.connections_open_max = in.connections_open_max();
  out.ports_limit = in.ports_limit();
  return DecodeSelfCheckHistograms(in, out);
}

}  // namespace

v1::OutcomeCounts EncodeCounts(const OutcomeCounts& counts) {
  v1::OutcomeCounts out;
  out.set_sent(counts.sent);
  out.set_ok(counts.ok);
  out.set_failed(counts.failed);
  out.set_cancelled(counts.cancelled);
  out.set_unfinished(counts.unfinished);
  return out;
}

v1::WindowFacts EncodeWindow(const WindowFacts& window) {
  v1::WindowFacts out;
  out.set_slots(window.slots);
  out.set_measured_requests(window.measured_requests);
  out.set_successes(window.successes);
  out.set_good_requests(window.good_requests);
  out.set_has_window(window.has_window);
  out.set_width_ns(window.width_ns);
  out.set_output_millitokens(window.output_millitokens);
  out.set_input_millitokens(window.input_millitokens);
  out.set_in_flight_integral_ns(window.in_flight_integral_ns);
  out.set_ended_in_window(window.ended_in_window);
  out.set_ended_sojourn_ns(window.ended_sojourn_ns);
  out.set_edge_age_start_ns(window.edge_age_start_ns);
  out.set_edge_age_end_ns(window.edge_age_end_ns);
  out.set_backoff_ns(window.backoff_ns);
  return out;
}

v1::SelfCheckFacts EncodeSelfCheck(const SelfCheckFacts& facts) {
  v1::SelfCheckFacts out;
  facts.loop_lag_us.EncodeTo(out.mutable_loop_lag_us());
  facts.send_lateness_us.EncodeTo(out.mutable_send_lateness_us());
  facts.slot_turnaround_us.EncodeTo(out.mutable_slot_turnaround_us());
  facts.reader_delay_us.EncodeTo(out.mutable_reader_delay_us());
  out.set_loop_cpu_ns(facts.loop_cpu_ns);
  out.set_wall_ns(facts.wall_ns);
  out.set_cgroup_throttled_ns(facts.cgroup_throttled_ns);
  out.set_cgroup_periods(facts.cgroup_periods);
  out.set_cgroup_throttled_periods(facts.cgroup_throttled_periods);
  out.set_run_queue_wait_ns(facts.run_queue_wait_ns);
  out.set_sockets_opened(facts.sockets_opened);
  out.set_descriptors_limit(facts.descriptors_limit);
  out.set_descriptors_used_max(facts.descriptors_used_max);
  out.set_unread_socket_bytes_max(facts.unread_socket_bytes_max);
  out.set_reads(facts.reads);
  out.set_queued_inside(facts.queued_inside);
  out.set_connections_open_max(facts.connections_open_max);
  out.set_ports_limit(facts.ports_limit);
  return out;
}

v1::SliceRow EncodeSlice(uint32_t slice, const SliceRow& row) {
  v1::SliceRow out;
  out.set_slice(slice);
  out.set_n(row.n);
  out.set_ended(row.ended);
  out.set_tokens(row.tokens);
  for (const SlaEvidence& evidence : row.sla) {
    v1::SlaEvidence* item = out.add_sla();
    item->set_n(evidence.n);
    item->set_v(evidence.v);
    evidence.histogram.EncodeTo(item->mutable_histogram());
  }
  return out;
}

v1::Delta EncodeDelta(const MeasuredFacts& facts) {
  v1::Delta out;
  EncodeTotals(facts, &out);
  EncodeHistograms(facts, &out);
  for (const auto& [slice, row] : facts.slices) *out.add_slices() = EncodeSlice(slice, row);
  for (const auto& [failure_class, count] : facts.failures) {
    v1::FailureCount* item = out.add_failures();
    item->set_failure_class(failure_class);
    item->set_count(count);
  }
  for (const FailureExample& example : facts.examples) EncodeExample(example, out.add_examples());
  EncodeAddresses(facts, &out);
  return out;
}

std::vector<v1::Delta> SplitDelta(const MeasuredFacts& facts, size_t max_bytes) {
  v1::Delta whole = EncodeDelta(facts);
  v1::Delta totals;
  EncodeTotals(facts, &totals);
  DeltaPacker packer(std::move(totals), max_bytes);
  packer.Pack(whole.mutable_failures(), &v1::Delta::mutable_failures);
  packer.Pack(whole.mutable_examples(), &v1::Delta::mutable_examples);
  packer.Pack(whole.mutable_histograms(), &v1::Delta::mutable_histograms);
  packer.Pack(whole.mutable_slices(), &v1::Delta::mutable_slices);
  packer.Pack(whole.mutable_addresses(), &v1::Delta::mutable_addresses);
  return packer.Take();
}

absl::StatusOr<MeasuredFacts> DecodeDelta(const v1::Delta& delta, size_t sla_count) {
  MeasuredFacts out;
  DecodeTotals(delta, out);
  const absl::Status statuses[] = {
      DecodeEach(delta.histograms(), [&](const auto& in) { return DecodeMetric(in, out); }),
      DecodeEach(delta.slices(), [&](const auto& in) { return DecodeSlice(in, sla_count, out); }),
      DecodeEach(delta.failures(), [&](const auto& in) { return DecodeFailure(in, out); }),
      DecodeEach(delta.examples(), [&](const auto& in) { return DecodeExample(in, out); }),
      DecodeEach(delta.addresses(), [&](const auto& in) { return DecodeAddress(in, out); }),
  };
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return out;
}

v1::FinalSnapshot EncodeSnapshot(const FinalSnapshot& snapshot) {
  v1::FinalSnapshot out;
  *out.mutable_measured() = EncodeCounts(snapshot.measured);
  *out.mutable_unmeasured() = EncodeCounts(snapshot.unmeasured);
  out.set_deltas(snapshot.deltas);
  for (const WindowFacts& window : snapshot.windows) *out.add_windows() = EncodeWindow(window);
  *out.mutable_self_check() = EncodeSelfCheck(snapshot.self_check);
  out.set_stopped_early(snapshot.stopped_early);
  out.set_records_written(snapshot.records_written);
  out.set_records_lost(snapshot.records_lost);
  out.set_records_bytes(snapshot.records_bytes);
  return out;
}

absl::StatusOr<FinalSnapshot> DecodeSnapshot(const v1::FinalSnapshot& snapshot) {
  FinalSnapshot out;
  out.measured = DecodeCounts(snapshot.measured());
  out.unmeasured = DecodeCounts(snapshot.unmeasured());
  out.deltas = snapshot.deltas();
  out.stopped_early = snapshot.stopped_early();
  out.records_written = snapshot.records_written();
  out.records_lost = snapshot.records_lost();
  out.records_bytes = snapshot.records_bytes();
  absl::Status status = DecodeEach(
      snapshot.windows(), [&](const auto& window) { return DecodeWindow(window, out.windows); });
  if (!status.ok()) return status;
  status = DecodeSelfCheck(snapshot.self_check(), out.self_check);
  if (!status.ok()) return status;
  return out;
}

}  // namespace tidemark
