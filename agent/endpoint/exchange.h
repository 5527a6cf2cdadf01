#ifndef TIDEMARK_AGENT_ENDPOINT_EXCHANGE_H_
#define TIDEMARK_AGENT_ENDPOINT_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/core/request_record.h"
#include "agent/decode/stream_decoder.h"
#include "agent/endpoint/endpoint_adapter.h"
#include "agent/endpoint/redactor.h"

namespace tidemark {

// One request and its response as a pure state machine: the transport's happenings in, the request
// record out. It alone decides when a request has ended and how (docs/metrics.md, "Success"):
// the first fault on the wire wins.
//
// record.done_but_open is the caller's to set, when it closes the connection of a kDone.
//
// Use: Begin; then any of the On… calls in the order of the wire, until state() is not kOpen; times are
// CLOCK_MONOTONIC ns. Thread-compatible; owned by a slot and re-used.
class Exchange : private StreamEventSink {
 public:
  enum class State {
    kOpen,      // goes on
    kEndSeen,   // the last finish_reason came: waits at most `usage_deadline` for usage and [DONE]
    kDone,      // succeeded at [DONE]; the response's end is still to come (then kEnded). Until the
                // read that brought it is over, more of that read may still turn it into a failure;
                // later data only makes it kFailed with the outcome still kOk
    kEnded,     // record.outcome is final and the response has ended: the connection may be re-used
    kFailed,    // record.outcome is final (it may be kOk): the connection must be closed
  };

  // How long a finished stream is waited for after its last finish_reason.
  static constexpr int64_t kUsageWait = 1'000'000'000;
  static constexpr size_t kExcerptBytes = 512;
  // Limits of a response that is not streamed, and of what is read of an error's body.
  static constexpr size_t kMaxBodyBytes = 64 << 20;
  static constexpr size_t kMaxErrorBytes = 64 << 10;

  // `adapter` and `redactor` must outlive the exchange. `keep_output` keeps the text (output());
  // `redactor` takes secrets out of what the record keeps of a response; null: there are none.
  Exchange(EndpointAdapter* adapter, bool keep_output, const Redactor* redactor = nullptr);
  ~Exchange() override;

  // A new request: resets all; record.sent, index, slot… are then set by the caller.
  void Begin(bool streaming);

  void OnConnected(int64_t now);
  void OnTlsDone(int64_t now);
  // Status line and headers are complete. Header names of any case.
  void OnStatus(int status, int64_t now);
  void OnHeader(absl::string_view name, absl::string_view value);
  void OnHeadersEnd(int64_t now);
  // Body bytes that one network read brought. Reads are numbered: calls with one `read` belong to one
  // read and have one `now`.
  void OnBody(absl::string_view bytes, int64_t now, uint64_t read);
  // The response ended as HTTP says it should. `clean` is false for a FIN inside a body whose framing
  // was not complete.
  void OnResponseEnd(bool clean, int64_t now);
  // A failure of the connection or of a time limit. An error status or wrong content type seen before it
  // is the fault that counts; after the last finish_reason (or [DONE]) the answer is whole: a success.
  void OnFailure(FailureClass failure, int64_t now, absl::string_view detail);
  // The usage wait is over (state kEndSeen): a success.
  void OnUsageDeadline(int64_t now);
  // STOP or CANCEL reached a request in flight. One that had its fault or its [DONE] keeps its outcome.
  void OnCancel(int64_t now);

  State state() const { return state_; }
  // When kEndSeen: the time at which to call OnUsageDeadline.
  int64_t usage_deadline() const { return usage_deadline_; }
  // A token came; never when not streaming.
  bool has_token() const { return record_.first_token != kNoTime; }

  RequestRecord& record() { return record_; }
  const RequestRecord& record() const { return record_; }
  const std::string& output() const { return output_; }

 private:
  enum class Body { kNoHeaders, kStream, kWhole, kError };
  struct Progress;

  bool OnEvent(const StreamEvent& event) override;
  bool OnEventAfterDone(const StreamEvent& event);
  void OnParsed(const StreamEvent& event);
  void OnDone();
  void TakeUsage();
  void TakeTokens();
  void TakeFinishReasons();

  void NoteRead(uint64_t read, int64_t now);
  void FeedStream(absl::string_view bytes);
  void CollectWhole(absl::string_view bytes, int64_t now);
  void CollectError(absl::string_view bytes, int64_t now);
  void EndStream(int64_t now);
  void EndWhole(int64_t now);

  void KeepHeader(absl::string_view value, std::string* kept) const;
  bool final() const { return state_ == State::kFailed || state_ == State::kEnded; }
  void ExpectFault(FailureClass failure);
  void FailAsExpected(int64_t now);
  void Fail(FailureClass failure, int64_t now, absl::string_view excerpt);
  void Succeed(int64_t now);

  EndpointAdapter* const adapter_;
  const std::unique_ptr<StreamDecoder> decoder_;
  const bool keep_output_;
  const Redactor* const redactor_;
  RequestRecord record_;
  State state_ = State::kOpen;
  int64_t usage_deadline_ = kNoTime;
  std::string output_;
  const std::unique_ptr<Progress> progress_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_EXCHANGE_H_
