#include "agent/engine/request_slot.h"

#include <algorithm>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

using State = Exchange::State;

absl::string_view LimitText(FailureClass failure) {
  switch (failure) {
    case FailureClass::kTimeoutFirstToken:
      return "no token within the first-token limit";
    case FailureClass::kTimeoutIdle:
      return "no byte within the idle limit";
    default:
      return "not complete within the total limit";
  }
}

int64_t After(int64_t point, uint64_t millis) {
  return point + static_cast<int64_t>(std::min<uint64_t>(millis, 1'000'000'000)) * kNanosPerMilli;
}

}  // namespace

RequestSlot::RequestSlot(uint32_t number, EventLoop* loop, Transport* transport,
                         EndpointAdapter* adapter, const TimeLimits& limits, Owner* owner,
                         bool keep_output, const Redactor* redactor)
    : number_(number),
      loop_(loop),
      transport_(transport),
      owner_(owner),
      limits_(limits),
      exchange_(adapter, keep_output, redactor) {}

RequestSlot::~RequestSlot() { loop_->CancelTimer(timer_); }

RequestRecord& RequestSlot::Begin(bool streaming) {
  exchange_.Begin(streaming);
  seen_ = State::kOpen;
  heard_ = kNoTime;
  failure_detail_.clear();
  return exchange_.record();
}

void RequestSlot::Launch(uint32_t target, uint32_t address) {
  active_ = true;
  ArmTimer();
  transport_->Send(number_, {target, address, body_}, this);
}

void RequestSlot::Cancel(int64_t now) {
  if (!active_) return;
  if (!settled()) exchange_.OnCancel(now);
  Close();
}

void RequestSlot::Fail(FailureClass failure, int64_t now, absl::string_view detail) {
  if (!active_) return;
  if (!settled()) {
    failure_detail_ = std::string(detail);
    exchange_.OnFailure(failure, now, detail);
  }
  Close();
}

void RequestSlot::OnResent(int64_t) { record().reused_stale = true; }

void RequestSlot::OnConnected(int64_t now, absl::string_view) { exchange_.OnConnected(now); }

void RequestSlot::OnTlsDone(int64_t now, absl::string_view version) {
  exchange_.OnTlsDone(now);
  tls_version_.assign(version.data(), version.size());
}

void RequestSlot::OnStatus(int status, int64_t now) {
  exchange_.OnStatus(status, now);
  Advance(now);
}

void RequestSlot::OnHeader(absl::string_view name, absl::string_view value) {
  if (active_) exchange_.OnHeader(name, value);
}

void RequestSlot::OnHeadersEnd(int64_t now) {
  if (!active_) return;
  exchange_.OnHeadersEnd(now);
  Advance(now);
}

bool RequestSlot::OnBody(absl::string_view bytes, int64_t now, uint64_t read) {
  exchange_.OnBody(bytes, now, read);
  return Advance(now);
}

void RequestSlot::OnResponseEnd(bool clean, int64_t now) {
  exchange_.OnResponseEnd(clean, now);
  Finish();
}

void RequestSlot::OnFailure(FailureClass failure, int64_t now, absl::string_view detail) {
  failure_detail_ = std::string(detail);
  exchange_.OnFailure(failure, now, detail);
  Finish();
}

// Acts on what the last bytes made of the exchange; false when no more of them are wanted.
bool RequestSlot::Advance(int64_t now) {
  heard_ = loop_->Now();
  const State state = exchange_.state();
  if (state == seen_) return true;
  seen_ = state;
  switch (state) {
    case State::kOpen:
      return true;
    case State::kDone:
      wait_until_ = heard_ + kDoneWait;
      ArmTimer();
      return true;
    case State::kEndSeen:
      wait_until_ = exchange_.usage_deadline() + (heard_ - now);
      ArmTimer();
      return true;
    case State::kEnded:
    case State::kFailed:
      Close();
      return false;
  }
  return false;
}

RequestSlot::Limit RequestSlot::NextLimit() const {
  const RequestRecord& record = exchange_.record();
  if (exchange_.state() == State::kDone) return {wait_until_, FailureClass::kNone};
  Limit limit{After(record.sent, limits_.total_ms), FailureClass::kTimeoutTotal};
  const auto consider = [&limit](int64_t at, FailureClass failure) {
    if (at < limit.at) limit = {at, failure};
  };
  if (exchange_.state() == State::kEndSeen) {
    consider(wait_until_, FailureClass::kNone);
    return limit;
  }
  if (limits_.first_token_ms > 0 && !exchange_.has_token()) {
    consider(After(record.sent, limits_.first_token_ms), FailureClass::kTimeoutFirstToken);
  }
  if (limits_.idle_ms > 0) {
    consider(After(std::max(record.sent, heard_), limits_.idle_ms), FailureClass::kTimeoutIdle);
  }
  return limit;
}

void RequestSlot::ArmTimer() {
  const int64_t at = NextLimit().at;
  if (at >= timer_at_) return;  // it runs before that and looks again
  loop_->CancelTimer(timer_);
  timer_at_ = at;
  timer_ = loop_->At(at, [this] { OnTimer(); });
}

void RequestSlot::OnTimer() {
  timer_ = 0;
  timer_at_ = INT64_MAX;
  if (!active_) return;
  const int64_t now = loop_->Now();
  const Limit limit = NextLimit();
  if (limit.at > now) return ArmTimer();
  if (limit.failure != FailureClass::kNone)
    return Fail(limit.failure, now, LimitText(limit.failure));
  if (exchange_.state() == State::kEndSeen) {
    exchange_.OnUsageDeadline(now);
  } else {
    record().done_but_open = true;
  }
  Close();
}

void RequestSlot::Close() {
  transport_->Abort(number_);
  Finish();
}

void RequestSlot::Finish() {
  if (!active_) return;
  active_ = false;
  RequestRecord& record = exchange_.record();
  record.connection_reused = record.connected == kNoTime && record.first_byte != kNoTime;
  owner_->OnRequestEnded(*this);
}

}  // namespace tidemark
