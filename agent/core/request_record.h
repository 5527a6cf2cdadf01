#ifndef TIDEMARK_AGENT_CORE_REQUEST_RECORD_H_
#define TIDEMARK_AGENT_CORE_REQUEST_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/outcome.h"

namespace tidemark {

// A point that was not reached.
inline constexpr int64_t kNoTime = INT64_MIN;

enum class TokenCountSource : uint8_t { kUsage, kChunkUsage, kTokenizer, kEvents };

// Everything known of one request: its points in time (CLOCK_MONOTONIC, nanoseconds; docs/metrics.md
// says what each means) and its counts. The one place where latencies are defined: the functions
// below are the only ones in the tree that subtract two of these points for a metric.
// Re-used from request to request by its slot (Reset keeps capacities). Thread-compatible.
struct RequestRecord {
  // Identity.
  uint64_t index = 0;  // global request index within the level
  uint32_t slot = 0;   // global slot index
  bool measured = false;
  bool streaming = true;
  uint32_t requested_output_tokens = 0;  // 0: not fixed
  uint32_t planned_input_tokens = 0;
  std::string address;  // target address it went to, "ip:port"; empty until connected

  // Points.
  int64_t planned = kNoTime;
  int64_t sent = kNoTime;
  int64_t connected = kNoTime;  // new connections only
  int64_t tls_done = kNoTime;   // new TLS connections only
  int64_t first_byte = kNoTime;
  int64_t first_event = kNoTime;
  int64_t first_token = kNoTime;
  int64_t second_token = kNoTime;
  int64_t first_output_token = kNoTime;
  int64_t last_token = kNoTime;
  int64_t ended = kNoTime;

  // Counts.
  uint32_t token_events = 0;               // not streaming: 1 when the body had output
  uint32_t token_reads = 0;                // reads that brought token events
  std::vector<uint32_t> chunk_gaps_us;     // between token events of different reads
  std::optional<uint64_t> usage_prompt_tokens;
  std::optional<uint64_t> usage_completion_tokens;
  std::optional<uint64_t> usage_reasoning_tokens;
  std::optional<uint64_t> usage_cached_tokens;
  bool usage_from_token_chunk = false;     // the last usage stood on a chunk in the stream's middle,
                                           // not at its end
  uint32_t token_events_before_window = 0; // set by the recorder at T0 (requests in flight then)
  uint32_t token_events_before_window_end = 0;  // … and at T1

  // End.
  Outcome outcome = Outcome::kInFlight;
  FailureClass failure = FailureClass::kNone;
  int status = 0;         // HTTP's; for stream_error the in-band code
  std::string excerpt;    // first 512 bytes of an error's body or event
  std::string server, via, retry_after;
  bool connection_reused = false;
  bool reused_stale = false;
  bool done_but_open = false;
  bool data_after_done = false;
  uint32_t reads = 0;
  uint32_t multi_event_reads = 0;  // reads with more than one token event: their gaps say nothing

  // A token event came at `time`; `new_read`: the first of its network read; `output`: not only
  // reasoning. Keeps the points and gaps.
  void AddTokenEvent(int64_t time, bool new_read, bool output);

  void Reset();

  bool ok() const { return outcome == Outcome::kOk; }
};

// Latencies in microseconds, rounded to nearest; nothing where docs/metrics.md says the metric does
// not exist for this request.
std::optional<uint64_t> TimeToFirstTokenUs(const RequestRecord& r);
std::optional<uint64_t> TimeToSecondTokenUs(const RequestRecord& r);
std::optional<uint64_t> TimeToFirstOutputTokenUs(const RequestRecord& r);
std::optional<uint64_t> TimeToFirstEventUs(const RequestRecord& r);
std::optional<uint64_t> RequestLatencyUs(const RequestRecord& r);
std::optional<uint64_t> InterTokenLatencyUs(const RequestRecord& r);
std::optional<uint64_t> TimeToFirstByteUs(const RequestRecord& r);
std::optional<uint64_t> ConnectTimeUs(const RequestRecord& r);
std::optional<uint64_t> TlsTimeUs(const RequestRecord& r);
std::optional<uint64_t> ScheduleDelayUs(const RequestRecord& r);
std::optional<uint64_t> EffectiveLatencyUs(const RequestRecord& r);

// From sent to the end of a failed request; no metric, but it shows cuts at one age.
uint64_t FailureAgeUs(const RequestRecord& r);

// Output tokens per displayed unit x 1,000 (fixed point), of metric_table.h.
std::optional<uint64_t> TokensPerChunkMilli(const RequestRecord& r);
std::optional<uint64_t> TokensPerSecondPerUserMilli(const RequestRecord& r);

// First that exists: usage, per-chunk usage, (a tokenizer,) token events.
uint64_t OutputSequenceLength(const RequestRecord& r);
uint64_t InputSequenceLength(const RequestRecord& r);  // usage, else the planned length
TokenCountSource OutputTokenSource(const RequestRecord& r);

// Off from the requested length by more than max(5 %, 50) tokens; false when none was requested.
bool LengthMissed(const RequestRecord& r);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_REQUEST_RECORD_H_
