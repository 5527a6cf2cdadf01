#include "agent/endpoint/exchange.h"

#include <bit>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "agent/endpoint/error_body.h"
#include "agent/endpoint/json_text.h"

namespace tidemark {
namespace {

constexpr size_t kHeaderBytes = 512;
constexpr size_t kKeptBodyBytes = 1 << 20;

// "Text/Event-Stream; charset=utf-8" -> "text/event-stream".
std::string MediaType(absl::string_view value) {
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(value.substr(0, value.find(';'))));
}

// The beginning of `text`, at most `limit` bytes, as a record may keep it.
void AppendShown(absl::string_view text, size_t limit, const Redactor* redactor, std::string* kept) {
  if (redactor == nullptr) return AppendValidUtf8(text, limit, kept);
  AppendValidUtf8(redactor->Apply(text, limit), limit, kept);
}

}  // namespace

struct Exchange::Progress {
  Body body = Body::kNoHeaders;
  bool interim = false;  // a 1xx response: the real one follows
  std::string media_type;
  bool throttled_by_header = false;
  FailureClass expected = FailureClass::kNone;  // known; only the error's body is still collected
  std::string bytes;                            // of a whole or an error's body
  ParsedEvent parsed;

  int64_t now = kNoTime;  // of the read in hand
  uint64_t read = 0;
  bool any_read = false;
  uint32_t tokens_in_read = 0;

  uint64_t seen = 0, finished = 0;  // choices
  bool done = false;
  uint64_t done_read = 0;
  bool body_ended = false;

  bool EverySeenChoiceFinished() const { return seen != 0 && (seen & ~finished) == 0; }

  void Reset() {
    std::string kept_bytes = std::move(bytes);
    kept_bytes.clear();
    if (kept_bytes.capacity() > kKeptBodyBytes) kept_bytes.shrink_to_fit();
    std::string kept_type = std::move(media_type);
    ParsedEvent kept_parsed = std::move(parsed);
    *this = Progress();
    bytes = std::move(kept_bytes);
    media_type = std::move(kept_type);
    media_type.clear();
    parsed = std::move(kept_parsed);
  }
};

Exchange::Exchange(EndpointAdapter* adapter, bool keep_output, const Redactor* redactor)
    : adapter_(adapter),
      decoder_(adapter->NewDecoder()),
      keep_output_(keep_output),
      redactor_(redactor),
      progress_(std::make_unique<Progress>()) {}

Exchange::~Exchange() = default;

void Exchange::Begin(bool streaming) {
  record_.Reset();
  record_.streaming = streaming;
  decoder_->Reset();
  progress_->Reset();
  state_ = State::kOpen;
  usage_deadline_ = kNoTime;
  output_.clear();
}

void Exchange::OnConnected(int64_t now) { record_.connected = now; }

void Exchange::OnTlsDone(int64_t now) { record_.tls_done = now; }

void Exchange::OnStatus(int status, int64_t now) {
  if (final()) return;
  progress_->interim = status >= 100 && status < 200;
  if (progress_->interim) return;
  if (record_.first_byte == kNoTime) record_.first_byte = now;
  record_.status = status;
}

void Exchange::OnHeader(absl::string_view name, absl::string_view value) {
  Progress& p = *progress_;
  if (final() || p.interim || p.body != Body::kNoHeaders) return;  // trailers say nothing to us
  value = absl::StripAsciiWhitespace(value);
  if (absl::EqualsIgnoreCase(name, "content-type")) {
    p.media_type = MediaType(value);
  } else if (absl::EqualsIgnoreCase(name, "retry-after")) {
    KeepHeader(value, &record_.retry_after);
  } else if (absl::EqualsIgnoreCase(name, "server")) {
    KeepHeader(value, &record_.server);
  } else if (absl::EqualsIgnoreCase(name, "via")) {
    KeepHeader(value, &record_.via);
  } else if (absl::EqualsIgnoreCase(name, "x-amzn-errortype")) {
    p.throttled_by_header = absl::StartsWith(value, "ThrottlingException");
  }
}

// A header that may come several times is one comma-separated list.
void Exchange::KeepHeader(absl::string_view value, std::string* kept) const {
  if (!kept->empty()) kept->append(", ");
  if (kept->size() < kHeaderBytes) AppendShown(value, kHeaderBytes - kept->size(), redactor_, kept);
}

void Exchange::OnHeadersEnd(int64_t) {
  Progress& p = *progress_;
  if (final() || p.interim || p.body != Body::kNoHeaders) return;
  p.body = record_.streaming ? Body::kStream : Body::kWhole;
  if (record_.status < 200 || record_.status > 299) {
    ExpectFault(FailureClass::kHttpStatus);
  } else if (!p.media_type.empty() && p.media_type != adapter_->content_type(record_.streaming)) {
    ExpectFault(FailureClass::kProtocolError);
  }
}

void Exchange::OnBody(absl::string_view bytes, int64_t now, uint64_t read) {
  if (final() || bytes.empty()) return;
  NoteRead(read, now);
  Progress& p = *progress_;
  // A body of no type is not the expected one; without a body its type does not matter.
  if (p.body != Body::kError && p.media_type.empty()) ExpectFault(FailureClass::kProtocolError);
  switch (p.body) {
    case Body::kError:
      return CollectError(bytes, now);
    case Body::kWhole:
      return CollectWhole(bytes, now);
    case Body::kStream:
    case Body::kNoHeaders:
      return FeedStream(bytes);
  }
}

void Exchange::OnResponseEnd(bool clean, int64_t now) {
  if (final()) return;
  Progress& p = *progress_;
  p.body_ended = true;
  if (p.expected != FailureClass::kNone) {
    FailAsExpected(now);
  } else if (p.body == Body::kNoHeaders) {
    Fail(FailureClass::kConnectionReset, now, "the connection was closed before a response");
  } else if (p.body == Body::kStream) {
    EndStream(now);
  } else if (!clean) {
    Fail(p.bytes.empty() ? FailureClass::kEmptyResponse : FailureClass::kTruncated, now, p.bytes);
  } else {
    EndWhole(now);
  }
  state_ = clean && !record_.data_after_done ? State::kEnded : State::kFailed;
}

void Exchange::OnFailure(FailureClass failure, int64_t now, absl::string_view detail) {
  if (final()) return;
  if (state_ == State::kDone) {
    state_ = State::kFailed;
  } else if (progress_->expected != FailureClass::kNone) {
    FailAsExpected(now);
  } else if (state_ == State::kEndSeen && has_token()) {
    Succeed(now);
  } else {
    Fail(failure, now, detail);
  }
}

void Exchange::OnUsageDeadline(int64_t now) {
  if (state_ != State::kEndSeen) return;
  if (!has_token()) return Fail(FailureClass::kEmptyResponse, now, "");
  Succeed(now);
}

void Exchange::OnCancel(int64_t now) {
  if (final()) return;
  if (state_ != State::kDone && progress_->expected != FailureClass::kNone) return FailAsExpected(now);
  if (state_ != State::kDone) {
    record_.outcome = Outcome::kCancelled;
    record_.ended = now;
  }
  state_ = State::kFailed;
}

void Exchange::NoteRead(uint64_t read, int64_t now) {
  Progress& p = *progress_;
  p.now = now;
  if (p.any_read && p.read == read) return;
  p.any_read = true;
  p.read = read;
  p.tokens_in_read = 0;
  ++record_.reads;
}

void Exchange::FeedStream(absl::string_view bytes) {
  const absl::Status status = decoder_->Feed(bytes, *this);
  if (status.ok() || final()) return;
  if (!progress_->done || progress_->read == progress_->done_read) {
    return Fail(FailureClass::kProtocolError, progress_->now, absl::string_view(status.message()));
  }
  record_.data_after_done = true;
  state_ = State::kFailed;
}

void Exchange::CollectWhole(absl::string_view bytes, int64_t now) {
  std::string& body = progress_->bytes;
  if (body.size() + bytes.size() > kMaxBodyBytes) {
    return Fail(FailureClass::kProtocolError, now, body);
  }
  body.append(bytes.data(), bytes.size());
}

void Exchange::CollectError(absl::string_view bytes, int64_t now) {
  std::string& body = progress_->bytes;
  bytes = bytes.substr(0, kMaxErrorBytes - body.size());
  body.append(bytes.data(), bytes.size());
  if (body.size() == kMaxErrorBytes) FailAsExpected(now);
}

void Exchange::EndStream(int64_t now) {
  Progress& p = *progress_;
  if (now != p.now) p.tokens_in_read = 0;
  p.now = now;
  const absl::Status status = decoder_->Finish(*this);
  if (final() || state_ == State::kDone) return;
  if (!status.ok()) {
    Fail(FailureClass::kProtocolError, now, absl::string_view(status.message()));
  } else if (!has_token()) {
    Fail(FailureClass::kEmptyResponse, now, "");
  } else if (!p.EverySeenChoiceFinished()) {
    Fail(FailureClass::kTruncated, now, "");
  } else {
    Succeed(now);
  }
}

void Exchange::EndWhole(int64_t now) {
  Progress& p = *progress_;
  if (p.bytes.empty()) return Fail(FailureClass::kEmptyResponse, now, "");
  if (!adapter_->ParseBody(p.bytes, keep_output_, &p.parsed).ok()) {
    return Fail(FailureClass::kProtocolError, now, p.bytes);
  }
  TakeUsage();
  output_.append(p.parsed.output);
  if (p.parsed.error) {
    record_.status = p.parsed.error_code;
    return Fail(FailureClass::kStreamError, now, p.bytes);
  }
  if (!p.parsed.token()) return Fail(FailureClass::kEmptyResponse, now, "");
  record_.token_events = 1;
  Succeed(now);
}

bool Exchange::OnEvent(const StreamEvent& event) {
  Progress& p = *progress_;
  if (p.done) return OnEventAfterDone(event);
  if (record_.first_event == kNoTime) record_.first_event = p.now;
  if (!adapter_->ParseEvent(event, keep_output_, &p.parsed).ok()) {
    Fail(FailureClass::kProtocolError, p.now, event.data);
  } else {
    OnParsed(event);
  }
  return !final();
}

// A second stream's data. In the read of [DONE] it fails the request; later, or when only the end of the
// body completes it, it costs the connection: the request may have been counted already.
bool Exchange::OnEventAfterDone(const StreamEvent& event) {
  Progress& p = *progress_;
  if (p.read == p.done_read && !p.body_ended) {
    Fail(FailureClass::kProtocolError, p.now, event.data);
  } else {
    record_.data_after_done = true;
    state_ = State::kFailed;
  }
  return false;
}

void Exchange::OnParsed(const StreamEvent& event) {
  const ParsedEvent& parsed = progress_->parsed;
  TakeUsage();
  if (parsed.token()) TakeTokens();
  if (parsed.error) {
    record_.status = parsed.error_code;
    return Fail(FailureClass::kStreamError, progress_->now, event.data);
  }
  if (parsed.end_of_stream) return OnDone();
  TakeFinishReasons();
}

void Exchange::OnDone() {
  Progress& p = *progress_;
  if (!has_token()) return Fail(FailureClass::kEmptyResponse, p.now, "");
  p.done = true;
  p.done_read = p.read;
  Succeed(p.now);
  state_ = State::kDone;
}

// The last one wins; a usage without some count leaves what was known of it.
void Exchange::TakeUsage() {
  const ParsedEvent& parsed = progress_->parsed;
  if (parsed.prompt_tokens) record_.usage_prompt_tokens = parsed.prompt_tokens;
  if (parsed.reasoning_tokens) record_.usage_reasoning_tokens = parsed.reasoning_tokens;
  if (parsed.cached_tokens) record_.usage_cached_tokens = parsed.cached_tokens;
  if (!parsed.completion_tokens) return;
  record_.usage_completion_tokens = parsed.completion_tokens;
  record_.usage_from_token_chunk =
      record_.streaming && parsed.token() && parsed.finished_choices == 0;
}

void Exchange::TakeTokens() {
  Progress& p = *progress_;
  record_.AddTokenEvent(p.now, p.tokens_in_read == 0, p.parsed.text || p.parsed.tool_call);
  if (++p.tokens_in_read == 2) ++record_.multi_event_reads;
  output_.append(p.parsed.output);
}

void Exchange::TakeFinishReasons() {
  Progress& p = *progress_;
  p.seen |= p.parsed.seen_choices;
  p.finished |= p.parsed.finished_choices;
  const bool every = p.EverySeenChoiceFinished() &&
                     static_cast<uint32_t>(std::popcount(p.finished)) >= adapter_->choices_asked();
  if (every && state_ == State::kOpen) {
    state_ = State::kEndSeen;
    usage_deadline_ = p.now + kUsageWait;
  } else if (!every && state_ == State::kEndSeen) {
    state_ = State::kOpen;
    usage_deadline_ = kNoTime;
  }
}

void Exchange::ExpectFault(FailureClass failure) {
  progress_->expected = failure;
  progress_->body = Body::kError;
}

void Exchange::FailAsExpected(int64_t now) {
  const Progress& p = *progress_;
  if (p.expected == FailureClass::kHttpStatus && record_.status == 400 &&
      (p.throttled_by_header || SaysThrottled(p.bytes))) {
    record_.status = 429;
  }
  Fail(p.expected, now, p.bytes);
}

void Exchange::Fail(FailureClass failure, int64_t now, absl::string_view excerpt) {
  record_.outcome = Outcome::kFailed;
  record_.failure = failure;
  record_.ended = now;
  record_.excerpt.clear();
  AppendShown(excerpt, kExcerptBytes, redactor_, &record_.excerpt);
  state_ = State::kFailed;
}

void Exchange::Succeed(int64_t now) {
  record_.outcome = Outcome::kOk;
  record_.ended = now;
  state_ = State::kFailed;  // closed, unless the caller knows that the response has ended
}

}  // namespace tidemark
