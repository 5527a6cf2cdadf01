#include "agent/core/recorder.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace tidemark {
namespace {

// The metrics that have one value a request (the gaps between chunks have many).
constexpr Metric kSingleMetrics[] = {
    Metric::kTimeToFirstToken,     Metric::kTimeToSecondToken,
    Metric::kTimeToFirstOutputToken, Metric::kTimeToFirstEvent,
    Metric::kRequestLatency,       Metric::kInterTokenLatency,
    Metric::kTokensPerChunk,       Metric::kOutputTokenThroughputPerUser,
    Metric::kInputSequenceLength,  Metric::kOutputSequenceLength,
    Metric::kReasoningTokenCount,  Metric::kScheduleDelay,
    Metric::kEffectiveLatency,     Metric::kConnectTime,
    Metric::kTlsTime,              Metric::kTimeToFirstByte,
};

void CountOutcome(Outcome outcome, OutcomeCounts* counts) {
  switch (outcome) {
    case Outcome::kOk:
      ++counts->ok;
      return;
    case Outcome::kFailed:
      ++counts->failed;
      return;
    case Outcome::kCancelled:
      ++counts->cancelled;
      return;
    case Outcome::kUnfinished:
    case Outcome::kInFlight:
      ++counts->unfinished;
      return;
  }
}

void CountSource(TokenCountSource source, MeasuredFacts* facts) {
  switch (source) {
    case TokenCountSource::kUsage:
      ++facts->usage_from_server;
      return;
    case TokenCountSource::kChunkUsage:
      ++facts->usage_from_chunks;
      return;
    case TokenCountSource::kTokenizer:
      ++facts->usage_from_tokenizer;
      return;
    case TokenCountSource::kEvents:
      ++facts->usage_from_events;
      return;
  }
}

uint64_t SumOfAges(int64_t now, absl::Span<RequestRecord* const> in_flight) {
  int64_t sum = 0;
  for (const RequestRecord* record : in_flight) sum += now - record->sent;
  return static_cast<uint64_t>(std::max<int64_t>(0, sum));
}

std::optional<uint64_t> LargestGap(const RequestRecord& record) {
  const auto largest = std::max_element(record.chunk_gaps_us.begin(), record.chunk_gaps_us.end());
  if (largest == record.chunk_gaps_us.end()) return std::nullopt;
  return *largest;
}

// Millitokens of the first `events` of a request's token events when its tokens are spread evenly over
// them. Rounded down as a running sum, so that the parts of a request add up to its whole.
uint64_t SpreadMillitokens(uint64_t tokens, uint64_t events, uint64_t all_events) {
  if (all_events == 0) return 0;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(tokens) * 1'000 * events / all_events);
}

}  // namespace

bool Meets(const SlaThreshold& sla, uint64_t value) {
  if (value == sla.threshold) return sla.inclusive;
  return sla.upper ? value < sla.threshold : value > sla.threshold;
}

std::optional<uint64_t> MetricValue(const RequestRecord& record, Metric metric) {
  switch (metric) {
    case Metric::kTimeToFirstToken:
      return TimeToFirstTokenUs(record);
    case Metric::kTimeToSecondToken:
      return TimeToSecondTokenUs(record);
    case Metric::kTimeToFirstOutputToken:
      return TimeToFirstOutputTokenUs(record);
    case Metric::kTimeToFirstEvent:
      return TimeToFirstEventUs(record);
    case Metric::kRequestLatency:
      return RequestLatencyUs(record);
    case Metric::kInterTokenLatency:
      return InterTokenLatencyUs(record);
    case Metric::kInterChunkLatency:
      return LargestGap(record);
    case Metric::kTokensPerChunk:
      return TokensPerChunkMilli(record);
    case Metric::kOutputTokenThroughputPerUser:
      return TokensPerSecondPerUserMilli(record);
    case Metric::kInputSequenceLength:
      return InputSequenceLength(record);
    case Metric::kOutputSequenceLength:
      return OutputSequenceLength(record);
    case Metric::kReasoningTokenCount:
      return record.usage_reasoning_tokens;
    case Metric::kScheduleDelay:
      return ScheduleDelayUs(record);
    case Metric::kEffectiveLatency:
      return EffectiveLatencyUs(record);
    case Metric::kConnectTime:
      return ConnectTimeUs(record);
    case Metric::kTlsTime:
      return TlsTimeUs(record);
    case Metric::kTimeToFirstByte:
      return TimeToFirstByteUs(record);
  }
  return std::nullopt;
}

Recorder::Recorder(RecorderOptions options) : options_(std::move(options)) {
  window_.slots = options_.slots;
}

void Recorder::OnSend(const RequestRecord& record) {
  ++in_flight_;
  if (window_open()) requests_.Start(record.sent - t0_);
  if (!record.measured) {
    ++facts_.unmeasured.sent;
    ++unmeasured_total_.sent;
    return;
  }
  ++facts_.measured.sent;
  ++measured_total_.sent;
  ++window_.measured_requests;
  ++SliceOf(record).n;
}

void Recorder::BeginWindow(int64_t now, absl::Span<RequestRecord* const> in_flight) {
  if (window_begun_) return;
  window_begun_ = true;
  t0_ = now;
  requests_.at_begin = in_flight_;
  backoffs_.at_begin = backing_off_;
  window_.edge_age_start_ns = SumOfAges(now, in_flight);
  for (RequestRecord* record : in_flight) record->token_events_before_window = record->token_events;
}

void Recorder::EndWindow(int64_t now, absl::Span<RequestRecord* const> in_flight) {
  if (!window_open()) return;
  window_ended_ = true;
  t1_ = now;
  window_.has_window = now > t0_;
  window_.width_ns = static_cast<uint64_t>(std::max<int64_t>(0, now - t0_));
  window_.edge_age_end_ns = SumOfAges(now, in_flight);
  for (RequestRecord* record : in_flight) {
    record->token_events_before_window_end = record->token_events;
  }
  window_.in_flight_integral_ns = requests_.Integral(window_.width_ns);
  window_.backoff_ns = backoffs_.Integral(window_.width_ns);
}

void Recorder::OnBackoffBegin(int64_t at) {
  ++backing_off_;
  if (window_open()) backoffs_.Start(at - t0_);
}

void Recorder::OnBackoffEnd(int64_t at) {
  --backing_off_;
  if (window_open()) backoffs_.End(at - t0_);
}

void Recorder::LevelInWindow::Start(int64_t offset) {
  ++net_starts;
  net_start_offsets += offset;
}

void Recorder::LevelInWindow::End(int64_t offset) {
  --net_starts;
  net_start_offsets -= offset;
}

uint64_t Recorder::LevelInWindow::Integral(uint64_t width) const {
  const __int128 level = static_cast<__int128>(at_begin) + net_starts;
  const __int128 integral = level * static_cast<__int128>(width) - net_start_offsets;
  return static_cast<uint64_t>(std::max<__int128>(0, integral));
}

void Recorder::OnEnd(const RequestRecord& record) {
  --in_flight_;
  CountSojourn(record);
  CreditTokens(record);
  RecordWire(record);
  facts_.sent_output_tokens += OutputSequenceLength(record);
  facts_.sent_input_tokens += InputSequenceLength(record);
  CountOutcome(record.outcome, record.measured ? &facts_.measured : &facts_.unmeasured);
  CountOutcome(record.outcome, record.measured ? &measured_total_ : &unmeasured_total_);
  if (!record.measured) return;
  if (record.ok()) RecordSuccess(record);
  if (record.outcome == Outcome::kFailed) RecordFailure(record);
  RecordSlice(record);
  RecordAddress(record);
}

MeasuredFacts Recorder::TakeFacts() {
  MeasuredFacts taken = std::exchange(facts_, MeasuredFacts());
  taken.in_flight_now = in_flight_;
  return taken;
}

SliceRow& Recorder::SliceOf(const RequestRecord& record) {
  const int64_t width = std::max<int64_t>(1, options_.slice_width);
  const int64_t number = std::max<int64_t>(0, record.sent - options_.slice_origin) / width;
  SliceRow& row = facts_.slices[static_cast<uint32_t>(
      std::min<int64_t>(number, std::numeric_limits<uint32_t>::max()))];
  row.sla.resize(options_.slas.size());
  return row;
}

void Recorder::RecordSuccess(const RequestRecord& record) {
  for (const Metric metric : kSingleMetrics) {
    if (const std::optional<uint64_t> value = MetricValue(record, metric)) {
      facts_.histogram(metric).Record(*value);
    }
  }
  Histogram& gaps = facts_.histogram(Metric::kInterChunkLatency);
  for (const uint32_t gap : record.chunk_gaps_us) gaps.Record(gap);
  facts_.output_tokens += OutputSequenceLength(record);
  facts_.input_tokens += InputSequenceLength(record);
  CountSource(OutputTokenSource(record), &facts_);
  if (LengthMissed(record)) ++facts_.length_missed;
  ++window_.successes;
  // An objective on a value that the request does not have (one token has no time per token) is met.
  const bool good = std::all_of(options_.slas.begin(), options_.slas.end(), [&](const auto& sla) {
    const std::optional<uint64_t> value = MetricValue(record, sla.metric);
    return !value || Meets(sla, *value);
  });
  if (good) ++window_.good_requests;
}

void Recorder::RecordFailure(const RequestRecord& record) {
  std::string name = FailureClassName(record.failure, record.status);
  ++facts_.failures[name];
  facts_.failed_tokens += record.token_events;
  FailureExample example;
  example.failure_class = std::move(name);
  example.status = record.status;
  example.excerpt = record.excerpt;
  example.server = record.server;
  example.via = record.via;
  example.retry_after = record.retry_after;
  example.age_us = FailureAgeUs(record);
  facts_.AddExample(std::move(example));
}

void Recorder::RecordSlice(const RequestRecord& record) {
  SliceRow& row = SliceOf(record);
  ++row.ended;
  if (record.ok()) row.tokens += OutputSequenceLength(record);
  for (size_t i = 0; i < options_.slas.size(); ++i) {
    SlaEvidence& evidence = row.sla[i];
    if (record.outcome == Outcome::kFailed) {
      ++evidence.n;
      ++evidence.v;
    }
    if (!record.ok()) continue;
    const std::optional<uint64_t> value = MetricValue(record, options_.slas[i].metric);
    if (!value) continue;
    ++evidence.n;
    evidence.v += Meets(options_.slas[i], *value) ? 0 : 1;
    evidence.histogram.Record(*value);
  }
}

void Recorder::RecordAddress(const RequestRecord& record) {
  if (record.address.empty()) return;
  if (!record.ok() && record.outcome != Outcome::kFailed) return;
  AddressFacts& address = facts_.addresses[record.address];
  ++address.requests;
  if (!record.ok()) {
    ++address.errors;
  } else if (const std::optional<uint64_t> value = TimeToFirstTokenUs(record)) {
    address.time_to_first_token.Record(*value);
  }
}

void Recorder::RecordWire(const RequestRecord& record) {
  facts_.connection_reused_stale += record.reused_stale ? 1 : 0;
  facts_.done_but_open += record.done_but_open ? 1 : 0;
  facts_.data_after_done += record.data_after_done ? 1 : 0;
  facts_.multi_event_reads += record.multi_event_reads;
  facts_.reads += record.reads;
}

void Recorder::CountSojourn(const RequestRecord& record) {
  if (!window_open()) return;
  requests_.End(record.ended - t0_);
  ++window_.ended_in_window;
  window_.ended_sojourn_ns += static_cast<uint64_t>(std::max<int64_t>(0, record.ended - record.sent));
}

Recorder::CreditedEvents Recorder::EventsInWindow(const RequestRecord& record) const {
  if (!window_begun_) return {};
  // What starts at T1 or later is not among those in flight at T1: nothing of it is inside.
  const uint64_t end = window_ended_ ? record.token_events_before_window_end : record.token_events;
  return {record.token_events_before_window, std::max<uint64_t>(end, record.token_events_before_window)};
}

void Recorder::CreditTokens(const RequestRecord& record) {
  if (record.outcome == Outcome::kFailed || record.outcome == Outcome::kUnfinished) return;
  if (record.streaming) return CreditStream(record);
  if (!record.ok() || !window_open()) return;
  window_.output_millitokens += 1'000 * OutputSequenceLength(record);
  window_.input_millitokens += 1'000 * InputSequenceLength(record);
}

void Recorder::CreditStream(const RequestRecord& record) {
  const CreditedEvents events = EventsInWindow(record);
  if (events.begin == events.end) return;
  // How long a cancelled request would have become is not known: each of its events counts as one.
  const uint64_t tokens = record.ok() ? OutputSequenceLength(record) : record.token_events;
  window_.output_millitokens += SpreadMillitokens(tokens, events.end, record.token_events) -
                                SpreadMillitokens(tokens, events.begin, record.token_events);
  if (events.begin == 0) window_.input_millitokens += 1'000 * InputSequenceLength(record);
}

}  // namespace tidemark
