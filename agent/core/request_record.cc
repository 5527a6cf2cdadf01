#include "agent/core/request_record.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tidemark {
namespace {

constexpr int64_t kNanosPerMicro = 1'000;

// From one point to another, ns; never negative (kernel stamps and our own reads of the clock may
// cross by microseconds). Nothing when either was not reached.
std::optional<uint64_t> Between(int64_t from, int64_t to) {
  if (from == kNoTime || to == kNoTime) return std::nullopt;
  return static_cast<uint64_t>(std::max<int64_t>(0, to - from));
}

uint64_t RoundToMicros(uint64_t nanos) { return (nanos + kNanosPerMicro / 2) / kNanosPerMicro; }

std::optional<uint64_t> MicrosBetween(int64_t from, int64_t to) {
  const std::optional<uint64_t> nanos = Between(from, to);
  if (!nanos) return std::nullopt;
  return RoundToMicros(*nanos);
}

// When the answer was complete, as the user sees it.
int64_t AnswerEnd(const RequestRecord& r) { return r.streaming ? r.last_token : r.ended; }

// The time over which the tokens after the first came, ns; nothing when there was no such token.
std::optional<uint64_t> GenerationNanos(const RequestRecord& r) {
  if (!r.ok() || !r.streaming || OutputSequenceLength(r) < 2) return std::nullopt;
  return Between(r.first_token, r.last_token);
}

}  // namespace

void RequestRecord::AddTokenEvent(int64_t time, bool new_read, bool output) {
  if (first_token == kNoTime) {
    first_token = time;
  } else if (second_token == kNoTime) {
    second_token = time;
  }
  if (output && first_output_token == kNoTime) first_output_token = time;
  if (new_read) {
    if (last_token != kNoTime) {
      const uint64_t gap = *MicrosBetween(last_token, time);
      chunk_gaps_us.push_back(static_cast<uint32_t>(
          std::min<uint64_t>(gap, std::numeric_limits<uint32_t>::max())));
    }
    ++token_reads;
  }
  last_token = time;
  ++token_events;
}

void RequestRecord::Reset() {
  RequestRecord fresh;
  std::string* const kept[] = {&address, &excerpt, &server, &via, &retry_after};
  std::string* const into[] = {&fresh.address, &fresh.excerpt, &fresh.server, &fresh.via,
                               &fresh.retry_after};
  for (size_t i = 0; i < std::size(kept); ++i) {
    kept[i]->clear();
    *into[i] = std::move(*kept[i]);
  }
  chunk_gaps_us.clear();
  fresh.chunk_gaps_us = std::move(chunk_gaps_us);
  *this = std::move(fresh);
}

std::optional<uint64_t> TimeToFirstTokenUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.first_token);
}

std::optional<uint64_t> TimeToSecondTokenUs(const RequestRecord& r) {
  return MicrosBetween(r.first_token, r.second_token);
}

std::optional<uint64_t> TimeToFirstOutputTokenUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.first_output_token);
}

std::optional<uint64_t> TimeToFirstEventUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.first_event);
}

std::optional<uint64_t> RequestLatencyUs(const RequestRecord& r) {
  if (!r.ok()) return std::nullopt;
  return MicrosBetween(r.sent, AnswerEnd(r));
}

std::optional<uint64_t> InterTokenLatencyUs(const RequestRecord& r) {
  const std::optional<uint64_t> nanos = GenerationNanos(r);
  if (!nanos) return std::nullopt;
  const uint64_t divisor = kNanosPerMicro * (OutputSequenceLength(r) - 1);
  return (*nanos + divisor / 2) / divisor;
}

std::optional<uint64_t> TimeToFirstByteUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.first_byte);
}

std::optional<uint64_t> ConnectTimeUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.connected);
}

std::optional<uint64_t> TlsTimeUs(const RequestRecord& r) {
  return MicrosBetween(r.connected, r.tls_done);
}

std::optional<uint64_t> ScheduleDelayUs(const RequestRecord& r) {
  return MicrosBetween(r.planned, r.sent);
}

std::optional<uint64_t> EffectiveLatencyUs(const RequestRecord& r) {
  if (!r.ok()) return std::nullopt;
  return MicrosBetween(r.planned, AnswerEnd(r));
}

uint64_t FailureAgeUs(const RequestRecord& r) {
  return MicrosBetween(r.sent, r.ended).value_or(0);
}

std::optional<uint64_t> TokensPerChunkMilli(const RequestRecord& r) {
  if (!r.ok() || !r.streaming || r.token_events == 0) return std::nullopt;
  return (OutputSequenceLength(r) * 1'000 + r.token_events / 2) / r.token_events;
}

std::optional<uint64_t> TokensPerSecondPerUserMilli(const RequestRecord& r) {
  const std::optional<uint64_t> nanos = GenerationNanos(r);
  if (!nanos || *nanos == 0) return std::nullopt;
  const unsigned __int128 milli_nanos =
      static_cast<unsigned __int128>(OutputSequenceLength(r) - 1) * 1'000'000'000'000;
  return static_cast<uint64_t>((milli_nanos + *nanos / 2) / *nanos);
}

uint64_t OutputSequenceLength(const RequestRecord& r) {
  return r.usage_completion_tokens.value_or(r.token_events);
}

uint64_t InputSequenceLength(const RequestRecord& r) {
  return r.usage_prompt_tokens.value_or(r.planned_input_tokens);
}

TokenCountSource OutputTokenSource(const RequestRecord& r) {
  if (!r.usage_completion_tokens) return TokenCountSource::kEvents;
  return r.usage_from_token_chunk ? TokenCountSource::kChunkUsage : TokenCountSource::kUsage;
}

bool LengthMissed(const RequestRecord& r) {
  if (r.requested_output_tokens == 0) return false;
  const uint64_t wanted = r.requested_output_tokens;
  const uint64_t got = OutputSequenceLength(r);
  const uint64_t off = got > wanted ? got - wanted : wanted - got;
  return off > 50 && off * 20 > wanted;
}

}  // namespace tidemark
