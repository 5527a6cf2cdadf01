// Whatever a server sends, a request ends exactly once and with a record that holds together; how the
// bytes were cut into reads changes the outcome only by the rule about data after [DONE].
// Input: byte 0 chooses streaming, API, status and end; byte 1 the cuts; the rest is the body.
#include <cstdint>
#include <memory>
#include <string>

#include "agent/endpoint/exchange.h"
#include "agent/endpoint/json_text.h"
#include "tests/fuzz/fuzz_check.h"

namespace tidemark {
namespace {

constexpr int64_t kSent = 1'000'000'000;

struct Choice {
  bool streaming, completions, failed_status, clean;
  explicit Choice(uint8_t byte)
      : streaming((byte & 1) == 0),
        completions((byte & 2) != 0),
        failed_status((byte & 4) != 0),
        clean((byte & 8) == 0) {}
};

// Counts are a server's word: nothing made from them may wrap.
void CheckMetrics(const RequestRecord& r) {
  FUZZ_CHECK(OutputSequenceLength(r) <= 1'000'000'000);
  FUZZ_CHECK(InputSequenceLength(r) <= 1'000'000'000);
  FUZZ_CHECK(InterTokenLatencyUs(r).value_or(0) <= RequestLatencyUs(r).value_or(0) + 1);
  FUZZ_CHECK(TokensPerChunkMilli(r).value_or(0) <= 1'000'000'000'000);
}

void CheckRecord(const RequestRecord& r) {
  FUZZ_CHECK(r.outcome == Outcome::kOk || r.outcome == Outcome::kFailed);
  FUZZ_CHECK((r.failure == FailureClass::kNone) == r.ok());
  FUZZ_CHECK(r.ended >= kSent);
  FUZZ_CHECK(!r.ok() || r.token_events > 0);
  FUZZ_CHECK(r.token_reads <= r.token_events);
  FUZZ_CHECK(r.token_reads == 0 || r.chunk_gaps_us.size() == r.token_reads - 1);
  FUZZ_CHECK((r.first_token == kNoTime) == (r.last_token == kNoTime));
  FUZZ_CHECK(r.excerpt.size() <= Exchange::kExcerptBytes);
  std::string valid;
  AppendValidUtf8(r.excerpt, r.excerpt.size(), &valid);
  FUZZ_CHECK(valid == r.excerpt);
  if (r.ok() && r.streaming) FUZZ_CHECK(RequestLatencyUs(r) >= TimeToFirstTokenUs(r));
  CheckMetrics(r);
}

RequestRecord Run(const Choice& choice, const std::string& body, size_t piece) {
  static EndpointAdapter* const kChat = NewEndpointAdapter("openai-chat", {})->release();
  static EndpointAdapter* const kCompletions = NewEndpointAdapter("openai-completions", {})->release();
  Exchange exchange(choice.completions ? kCompletions : kChat, /*keep_output=*/true);
  exchange.Begin(choice.streaming);
  exchange.record().sent = kSent;
  exchange.OnStatus(choice.failed_status ? 400 : 200, kSent);
  exchange.OnHeader("Content-Type", choice.streaming ? "text/event-stream" : "application/json");
  exchange.OnHeadersEnd(kSent);
  int64_t now = kSent;
  uint64_t read = 0;
  for (size_t i = 0; i < body.size(); i += piece) {
    const std::string bytes = body.substr(i, piece);
    exchange.OnBody(bytes, ++now, ++read);
  }
  exchange.OnResponseEnd(choice.clean, ++now);
  FUZZ_CHECK(exchange.state() == Exchange::State::kEnded || exchange.state() == Exchange::State::kFailed);
  const Outcome outcome = exchange.record().outcome;
  exchange.OnFailure(FailureClass::kConnectionReset, ++now, "late");
  exchange.OnCancel(++now);
  FUZZ_CHECK(exchange.record().outcome == outcome);
  CheckRecord(exchange.record());
  return exchange.record();
}

}  // namespace
}  // namespace tidemark

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  if (size < 2 || size > (1 << 16)) return 0;
  const Choice choice(data[0]);
  const std::string body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const RequestRecord whole = Run(choice, body, SIZE_MAX / 2);
  const RequestRecord cut = Run(choice, body, 1 + data[1] % 64);
  const bool after_done = cut.data_after_done || whole.data_after_done;
  FUZZ_CHECK(after_done || (whole.outcome == cut.outcome && whole.failure == cut.failure));
  FUZZ_CHECK(after_done || whole.token_events == cut.token_events);
  return 0;
}
