#include "agent/http/curl_shard.h"

#include <sys/epoll.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "agent/http/curl_failure.h"

namespace tidemark {
namespace {

// libcurl counts resends over a handle's life, not a request's, and fails the sixth: a server that
// closes after each answer without saying so (llama.cpp's) would fail every sixth request.
void ForgetResends(CurlSlot* slot, CurlShared* shared) {
  if (!slot->resent) return;
  slot->resent = false;
  slot->target = slot->address = UINT32_MAX;
  curl_easy_reset(slot->easy);
  SetCurlOptions(slot, shared);
}

}  // namespace

CurlShard::~CurlShard() {
  loop_->CancelTimer(timer_);
  loop_->DropTurnEnd(this);
  curl_multi_cleanup(multi_);
}

bool CurlShard::Init(uint32_t slots) {
  if (multi_ == nullptr) return false;
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(slots));
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlShard::OnSocketChange);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlShard::OnTimerChange);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  return true;
}

void CurlShard::Send(CurlSlot* slot, const OutgoingRequest& request, ResponseHandler* handler) {
  if (!inside_ && !slot->attached) return Start(slot, request, handler);
  slot->next = request;
  slot->next_handler = handler;
  WaitForTurnEnd(slot);
}

void CurlShard::Abort(CurlSlot* slot) {
  slot->handler = nullptr;
  slot->next_handler = nullptr;
  if (!slot->attached) return;
  if (inside_) return WaitForTurnEnd(slot);
  Detach(slot);
}

void CurlShard::FailConnecting(CurlSlot* slot) {
  ResponseHandler* const handler = std::exchange(slot->handler, nullptr);
  if (handler == nullptr) return;
  Detach(slot);
  const std::string& address = shared_->options.targets[slot->target].addresses[slot->address];
  handler->OnFailure(FailureClass::kTimeoutConnect, loop_->Now(),
                     absl::StrCat("no connection within the connect limit (", address, ")"));
}

void CurlShard::Start(CurlSlot* slot, const OutgoingRequest& request, ResponseHandler* handler) {
  ForgetResends(slot, shared_);
  Configure(slot, request);
  slot->handler = handler;
  slot->head.Reset();
  slot->error[0] = '\0';
  slot->opened_socket = slot->sent_on_kept = false;
  shared_->connect_limit.End(slot->number);
  slot->started = loop_->Now();
  inside_ = true;
  curl_multi_add_handle(multi_, slot->easy);
  inside_ = false;
  slot->attached = true;
  ++attached_;
  ActOnTimeout();
  // Neither on a connection nor making one: libcurl itself keeps it back.
  if (slot->attached && !slot->opened_socket && !slot->sent_on_kept)
    ++shared_->counters.queued_inside;
}

void CurlShard::Configure(CurlSlot* slot, const OutgoingRequest& request) {
  curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request.body.size()));
  if (slot->target == request.target && slot->address == request.address) return;
  slot->target = request.target;
  slot->address = request.address;
  const TransportTarget& target = shared_->options.targets[request.target];
  curl_easy_setopt(slot->easy, CURLOPT_URL, target.url.c_str());
  curl_easy_setopt(slot->easy, CURLOPT_CONNECT_TO,
                   shared_->connect_to[request.target][request.address].get());
  if (!target.ca_cert.empty()) curl_easy_setopt(slot->easy, CURLOPT_CAINFO, target.ca_cert.c_str());
  curl_easy_setopt(slot->easy, CURLOPT_SSL_VERIFYPEER, target.insecure_skip_verify ? 0L : 1L);
  curl_easy_setopt(slot->easy, CURLOPT_SSL_VERIFYHOST, target.insecure_skip_verify ? 0L : 2L);
}

// In the middle of a transfer this closes the connection.
void CurlShard::Detach(CurlSlot* slot) {
  inside_ = true;
  curl_multi_remove_handle(multi_, slot->easy);
  inside_ = false;
  slot->attached = false;
  --attached_;
}

void CurlShard::OnSocketReady(int fd, uint32_t events) {
  const int set = ((events & (EPOLLIN | EPOLLHUP)) ? CURL_CSELECT_IN : 0) |
                  ((events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                  ((events & EPOLLERR) ? CURL_CSELECT_ERR : 0);
  Act(fd, set, (events & (EPOLLIN | EPOLLERR)) == EPOLLIN);  // an error is libcurl's to take
  of_socket_ = true;
  CollectEnded();
  of_socket_ = false;
}

void CurlShard::Act(curl_socket_t fd, int events, bool readable) {
  int running = 0;
  const SocketReads::Look look(&shared_->reads, fd, readable);
  inside_ = true;
  curl_multi_socket_action(multi_, fd, events, &running);
  inside_ = false;
  if (running < attached_) NeedTurnEnd();  // some have ended
}

// libcurl tells of its timer only when that has changed, so one that has been used up and was not
// told anew is asked for.
void CurlShard::ActOnTimeout() {
  due_ = TimerQueue::kNever;
  timer_told_ = false;
  Act(CURL_SOCKET_TIMEOUT, 0, false);
  if (timer_told_) return;
  long millis = -1;
  curl_multi_timeout(multi_, &millis);
  SetTimer(millis);
}

void CurlShard::SetTimer(long millis) {
  timer_told_ = true;
  if (millis < 0) {
    due_ = TimerQueue::kNever;
    return;
  }
  due_ = loop_->Now() + millis * kNanosPerMilli;
  if (millis == 0) return NeedTurnEnd();
  if (due_ >= timer_at_) return;
  loop_->CancelTimer(timer_);
  timer_at_ = due_;
  timer_ = loop_->At(due_, [this] { OnTimer(); });
}

void CurlShard::OnTimer() {
  timer_ = 0;
  timer_at_ = TimerQueue::kNever;
  if (due_ <= loop_->Now()) {
    ActOnTimeout();
    CollectEnded();
  } else if (due_ != TimerQueue::kNever) {
    timer_at_ = due_;
    timer_ = loop_->At(due_, [this] { OnTimer(); });
  }
}

void CurlShard::OnTurnEnd() {
  turn_end_asked_ = false;
  handling_.swap(waiting_);
  for (CurlSlot* slot : handling_) {
    slot->waiting = false;
    if (slot->attached && slot->handler == nullptr) Detach(slot);
    StartNext(slot);
  }
  handling_.clear();
  if (due_ <= loop_->Now()) ActOnTimeout();
  CollectEnded();
}

void CurlShard::CollectEnded() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* slot = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
    Finish(reinterpret_cast<CurlSlot*>(slot), code);
  }
}

void CurlShard::Finish(CurlSlot* slot, CURLcode code) {
  ResponseHandler* const handler = std::exchange(slot->handler, nullptr);
  Detach(slot);
  if (handler != nullptr) {
    Report(slot, code, handler);
  } else {
    StartNext(slot);
  }
}

// The end of a response is as old as the bytes that told it; a connection's end has no stamp.
int64_t CurlShard::EndTime(const CurlSlot* slot) {
  return of_socket_ && shared_->reads.any() ? shared_->reads.Arrival(slot->started) : loop_->Now();
}

void CurlShard::Report(CurlSlot* slot, CURLcode code, ResponseHandler* handler) {
  const TransportTarget& target = shared_->options.targets[slot->target];
  long error_number = 0;
  curl_easy_getinfo(slot->easy, CURLINFO_OS_ERRNO, &error_number);
  // Memory has not run out: that is libcurl's word for a line of the head that it does not take.
  const char* const said = code == CURLE_OUT_OF_MEMORY ? "a header of the answer is longer than 100 KB" : slot->error;
  const std::string message = said[0] != '\0' ? said : curl_easy_strerror(code);
  // A TLS peer that closes without saying so is libcurl's receive error, not a reset.
  const bool closed_inside =
      code == CURLE_PARTIAL_FILE || (code == CURLE_RECV_ERROR && target.tls && error_number == 0 &&
                                     CurlFailureClass(code, message) == FailureClass::kConnectionReset);
  if (slot->head.ended() && (code == CURLE_OK || closed_inside)) {
    return handler->OnResponseEnd(code == CURLE_OK, EndTime(slot));
  }
  const std::string what = code == CURLE_OK ? "closed inside the response's head" : message;
  handler->OnFailure(CurlFailureClass(code, message), loop_->Now(),
                     absl::StrCat(what, " (", target.addresses[slot->address], ")"));
}

void CurlShard::StartNext(CurlSlot* slot) {
  if (slot->attached || slot->next_handler == nullptr) return;
  Start(slot, slot->next, std::exchange(slot->next_handler, nullptr));
}

void CurlShard::NeedTurnEnd() {
  if (turn_end_asked_) return;
  turn_end_asked_ = true;
  loop_->AtTurnEnd(this);
}

void CurlShard::WaitForTurnEnd(CurlSlot* slot) {
  if (!slot->waiting) waiting_.push_back(slot);
  slot->waiting = true;
  NeedTurnEnd();
}

int CurlShard::OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto* shard = static_cast<CurlShard*>(self);
  if (what == CURL_POLL_REMOVE) {
    shard->loop_->UnwatchSocket(fd);
  } else {
    const uint32_t events =
        ((what & CURL_POLL_IN) ? EPOLLIN : 0u) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);
    shard->loop_->WatchSocket(fd, events, shard);
  }
  return 0;
}

int CurlShard::OnTimerChange(CURLM*, long millis, void* self) {
  static_cast<CurlShard*>(self)->SetTimer(millis);
  return 0;
}

}  // namespace tidemark
