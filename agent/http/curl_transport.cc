#include "agent/http/curl_transport.h"

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/http/connect_limit.h"
#include "agent/http/curl_failure.h"
#include "agent/http/resolve.h"
#include "agent/http/response_head.h"
#include "agent/http/socket_reads.h"

namespace tidemark {
namespace {

// A multi handle's cost a request grows with its handles: it saturates at thousands.
constexpr uint32_t kSlotsAMulti = 128;
// Of each slot, and so the largest part of its memory. Holds several events.
constexpr long kReceiveBuffer = 2048;
// libcurl keeps a limit of its own for connecting, five minutes unless it is told another.
constexpr int64_t kLibcurlsConnectLimit = 300 * kNanosPerSecond;
constexpr long kUploadBuffer = 16384;  // libcurl's least

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using StringList = std::unique_ptr<curl_slist, FreeList>;

void Append(StringList& list, const std::string& text) {
  list.reset(curl_slist_append(list.release(), text.c_str()));
}

bool Names(const std::string& header, absl::string_view name) {
  return absl::StartsWithIgnoreCase(header, name) && header.size() > name.size() &&
         header[name.size()] == ':';
}

StringList HeaderList(const std::vector<std::string>& headers) {
  StringList list;
  for (const std::string& header : headers) Append(list, header);
  for (const char* standard : {"Content-Type: application/json", "Accept: */*",
                               "Accept-Encoding: identity", "User-Agent: tidemark"}) {
    const std::string name(standard, strcspn(standard, ":"));
    const bool given = std::any_of(headers.begin(), headers.end(),
                                   [&](const std::string& header) { return Names(header, name); });
    if (!given) Append(list, standard);
  }
  Append(list, "Expect:");  // libcurl would ask for 100-continue and wait
  return list;
}

class Shard;
class CurlTransport;

// One slot's easy handle, used again for each of its requests.
struct Slot {
  uint32_t number = 0;
  CURL* easy = nullptr;
  Shard* shard = nullptr;
  ResponseHandler* handler = nullptr;  // null: idle, or what comes is not wanted any more
  bool attached = false;               // with the multi handle
  bool waiting = false;                // in the shard's list for the turn's end
  bool opened_socket = false;          // for this request
  bool sent_on_kept = false;           // this request went out on a kept connection
  bool resent = false;                 // libcurl has counted a resend on the handle
  int64_t started = 0;
  uint32_t target = UINT32_MAX, address = UINT32_MAX;  // as set on the handle
  ResponseHead head;
  OutgoingRequest next;  // to be sent once the last one is torn down
  ResponseHandler* next_handler = nullptr;
  char error[CURL_ERROR_SIZE] = "";
};

// What shards share.
struct Shared {
  Shared(EpollLoop* on, const TransportOptions& given, std::function<void(uint32_t)> connects_too_long)
      : loop(on),
        reads(on, on->clock(), given.kernel_stamps),
        connect_limit(on, std::max(given.connect_timeout, kNanosPerMilli), std::move(connects_too_long)) {}

  EpollLoop* const loop;
  SocketReads reads;
  // libcurl could keep the limit, but each of its handles would carry a timer for the limit's whole time, connected
  // or not, and sort it anew at each event.
  ConnectLimit connect_limit;
  TransportOptions options;
  StringList headers;
  std::vector<std::vector<StringList>> connect_to;  // by target, address
  Transport::Counters counters;
};

// One multi handle with its slots.
class Shard final : public EpollLoop::SocketHandler, public EpollLoop::TurnEndTask {
 public:
  explicit Shard(Shared* shared)
      : shared_(shared), loop_(shared->loop), multi_(curl_multi_init()) {}
  ~Shard() override;

  bool Init(uint32_t slots);
  void Send(Slot* slot, const OutgoingRequest& request, ResponseHandler* handler);
  void Abort(Slot* slot);
  // Ends its request: there was no connection in time.
  void FailConnecting(Slot* slot);

  void OnSocketReady(int fd, uint32_t events) override;
  void OnTurnEnd() override;
  EpollLoop* loop() { return loop_; }
  Shared* shared() { return shared_; }

 private:
  static int OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int OnTimerChange(CURLM*, long millis, void* self);

  void Start(Slot* slot, const OutgoingRequest& request, ResponseHandler* handler);
  void Configure(Slot* slot, const OutgoingRequest& request);
  void Detach(Slot* slot);
  void Act(curl_socket_t fd, int events, bool readable);
  void ActOnTimeout();
  void SetTimer(long millis);
  void OnTimer();
  void CollectEnded();
  void Finish(Slot* slot, CURLcode code);
  void Report(Slot* slot, CURLcode code, ResponseHandler* handler);
  int64_t EndTime(const Slot* slot);
  void StartNext(Slot* slot);
  void NeedTurnEnd();
  void WaitForTurnEnd(Slot* slot);

  Shared* const shared_;
  EpollLoop* const loop_;
  CURLM* const multi_;
  int attached_ = 0;
  bool inside_ = false;  // libcurl is on the stack: it must not be called
  bool of_socket_ = false;  // what has ended, ended by what the last look at one socket brought
  bool turn_end_asked_ = false;
  std::vector<Slot*> waiting_, handling_;
  int64_t due_ = TimerQueue::kNever;       // when libcurl wants to be called
  int64_t timer_at_ = TimerQueue::kNever;  // when the loop's timer will run; may be earlier
  EventLoop::TimerId timer_ = 0;
  bool timer_told_ = false;
};

Shard::~Shard() {
  loop_->CancelTimer(timer_);
  loop_->DropTurnEnd(this);
  curl_multi_cleanup(multi_);
}

bool Shard::Init(uint32_t slots) {
  if (multi_ == nullptr) return false;
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(slots));
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Shard::OnSocketChange);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Shard::OnTimerChange);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  return true;
}

void Shard::Send(Slot* slot, const OutgoingRequest& request, ResponseHandler* handler) {
  if (!inside_ && !slot->attached) return Start(slot, request, handler);
  slot->next = request;
  slot->next_handler = handler;
  WaitForTurnEnd(slot);
}

void Shard::Abort(Slot* slot) {
  slot->handler = nullptr;
  slot->next_handler = nullptr;
  if (!slot->attached) return;
  if (inside_) return WaitForTurnEnd(slot);
  Detach(slot);
}

void Shard::FailConnecting(Slot* slot) {
  ResponseHandler* const handler = std::exchange(slot->handler, nullptr);
  if (handler == nullptr) return;
  Detach(slot);
  const std::string& address = shared_->options.targets[slot->target].addresses[slot->address];
  handler->OnFailure(FailureClass::kTimeoutConnect, loop_->Now(),
                     absl::StrCat("no connection within the connect limit (", address, ")"));
}

void SetOptions(Slot* slot, Shared* shared);

// libcurl counts resends over a handle's life, not a request's, and fails the sixth: a server that
// closes after each answer without saying so (llama.cpp's) would fail every sixth request.
void ForgetResends(Slot* slot, Shared* shared) {
  if (!slot->resent) return;
  slot->resent = false;
  slot->target = slot->address = UINT32_MAX;
  curl_easy_reset(slot->easy);
  SetOptions(slot, shared);
}

void Shard::Start(Slot* slot, const OutgoingRequest& request, ResponseHandler* handler) {
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

void Shard::Configure(Slot* slot, const OutgoingRequest& request) {
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
void Shard::Detach(Slot* slot) {
  inside_ = true;
  curl_multi_remove_handle(multi_, slot->easy);
  inside_ = false;
  slot->attached = false;
  --attached_;
}

void Shard::OnSocketReady(int fd, uint32_t events) {
  const int set = ((events & (EPOLLIN | EPOLLHUP)) ? CURL_CSELECT_IN : 0) |
                  ((events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                  ((events & EPOLLERR) ? CURL_CSELECT_ERR : 0);
  Act(fd, set, (events & EPOLLIN) != 0);
  of_socket_ = true;
  CollectEnded();
  of_socket_ = false;
}

void Shard::Act(curl_socket_t fd, int events, bool readable) {
  int running = 0;
  const SocketReads::Look look(&shared_->reads, fd, readable);
  inside_ = true;
  curl_multi_socket_action(multi_, fd, events, &running);
  inside_ = false;
  if (running < attached_) NeedTurnEnd();  // some have ended
}

// libcurl tells of its timer only when that has changed, so one that has been used up and was not
// told anew is asked for.
void Shard::ActOnTimeout() {
  due_ = TimerQueue::kNever;
  timer_told_ = false;
  Act(CURL_SOCKET_TIMEOUT, 0, false);
  if (timer_told_) return;
  long millis = -1;
  curl_multi_timeout(multi_, &millis);
  SetTimer(millis);
}

void Shard::SetTimer(long millis) {
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

void Shard::OnTimer() {
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

void Shard::OnTurnEnd() {
  turn_end_asked_ = false;
  handling_.swap(waiting_);
  for (Slot* slot : handling_) {
    slot->waiting = false;
    if (slot->attached && slot->handler == nullptr) Detach(slot);
    StartNext(slot);
  }
  handling_.clear();
  if (due_ <= loop_->Now()) ActOnTimeout();
  CollectEnded();
}

void Shard::CollectEnded() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* slot = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
    Finish(reinterpret_cast<Slot*>(slot), code);
  }
}

void Shard::Finish(Slot* slot, CURLcode code) {
  ResponseHandler* const handler = std::exchange(slot->handler, nullptr);
  Detach(slot);
  if (handler != nullptr) {
    Report(slot, code, handler);
  } else {
    StartNext(slot);
  }
}

// The end of a response is as old as the bytes that told it; a connection's end has no stamp.
int64_t Shard::EndTime(const Slot* slot) {
  return of_socket_ && shared_->reads.any() ? shared_->reads.Arrival(slot->started) : loop_->Now();
}

void Shard::Report(Slot* slot, CURLcode code, ResponseHandler* handler) {
  const TransportTarget& target = shared_->options.targets[slot->target];
  long error_number = 0;
  curl_easy_getinfo(slot->easy, CURLINFO_OS_ERRNO, &error_number);
  const std::string message = slot->error[0] != '\0' ? slot->error : curl_easy_strerror(code);
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

void Shard::StartNext(Slot* slot) {
  if (slot->attached || slot->next_handler == nullptr) return;
  Start(slot, slot->next, std::exchange(slot->next_handler, nullptr));
}

void Shard::NeedTurnEnd() {
  if (turn_end_asked_) return;
  turn_end_asked_ = true;
  loop_->AtTurnEnd(this);
}

void Shard::WaitForTurnEnd(Slot* slot) {
  if (!slot->waiting) waiting_.push_back(slot);
  slot->waiting = true;
  NeedTurnEnd();
}

int Shard::OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto* shard = static_cast<Shard*>(self);
  if (what == CURL_POLL_REMOVE) {
    shard->loop_->UnwatchSocket(fd);
  } else {
    const uint32_t events =
        ((what & CURL_POLL_IN) ? EPOLLIN : 0u) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);
    shard->loop_->WatchSocket(fd, events, shard);
  }
  return 0;
}

int Shard::OnTimerChange(CURLM*, long millis, void* self) {
  static_cast<Shard*>(self)->SetTimer(millis);
  return 0;
}

void NoteOpened(Transport::Counters* counters) {
  ++counters->connections_opened;
  ++counters->connections_open;
  counters->connections_open_max = std::max(counters->connections_open_max, counters->connections_open);
}

// Called by libcurl for a slot.

curl_socket_t OpenSocket(void* data, curlsocktype, curl_sockaddr* address) {
  auto* slot = static_cast<Slot*>(data);
  Shared* shared = slot->shard->shared();
  const int fd =
      socket(address->family, address->socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  shared->reads.Opened(fd);
  shared->connect_limit.Begin(slot->number);
  NoteOpened(&shared->counters);
  if (slot->sent_on_kept) {
    slot->sent_on_kept = false;
    slot->resent = true;
    ++shared->counters.reused_stale;
    if (slot->handler != nullptr) slot->handler->OnResent(shared->loop->Now());
  }
  slot->opened_socket = true;
  return fd;
}

// A connection may outlive the slot that made it, so `data` is what all shards share.
int CloseSocket(void* data, curl_socket_t fd) {
  auto* shared = static_cast<Shared*>(data);
  shared->loop->ForgetSocket(fd);
  --shared->counters.connections_open;
  return close(fd);
}

std::string TlsVersion(CURL* easy) {
  curl_tlssessioninfo* info = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == nullptr ||
      info->backend != CURLSSLBACKEND_OPENSSL || info->internals == nullptr) {
    return "";
  }
  return SSL_get_version(static_cast<const SSL*>(info->internals));
}

// There is a connection, and the request is about to be written to it.
int BeforeRequest(void* data, char* ip, char*, int port, int) {
  auto* slot = static_cast<Slot*>(data);
  slot->shard->shared()->connect_limit.End(slot->number);
  if (!slot->opened_socket) slot->sent_on_kept = true;
  if (slot->handler == nullptr) return CURL_PREREQFUNC_ABORT;
  if (!slot->opened_socket) return CURL_PREREQFUNC_OK;
  const Shared* shared = slot->shard->shared();
  const int64_t now = shared->loop->Now();
  const bool tls = shared->options.targets[slot->target].tls;
  curl_off_t connect_us = 0;
  if (tls) curl_easy_getinfo(slot->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
  const int64_t connected = connect_us > 0 ? slot->started + connect_us * kNanosPerMicro : now;
  slot->handler->OnConnected(std::min(connected, now), HostPort(ip, static_cast<uint16_t>(port)));
  if (tls && slot->handler != nullptr) slot->handler->OnTlsDone(now, TlsVersion(slot->easy));
  return CURL_PREREQFUNC_OK;
}

size_t OnHeaderLine(char* bytes, size_t, size_t size, void* data) {
  auto* slot = static_cast<Slot*>(data);
  if (slot->handler == nullptr) return 0;
  const int64_t arrival = slot->shard->shared()->reads.Arrival(slot->started);
  slot->head.OnLine({bytes, size}, arrival, slot->handler);
  return slot->handler == nullptr ? 0 : size;
}

size_t OnBodyBytes(char* bytes, size_t, size_t size, void* data) {
  auto* slot = static_cast<Slot*>(data);
  if (slot->handler == nullptr) return 0;
  SocketReads& reads = slot->shard->shared()->reads;
  const int64_t arrival = reads.Arrival(slot->started);
  if (slot->handler->OnBody({bytes, size}, arrival, reads.number())) {
    return slot->handler == nullptr ? 0 : size;
  }
  slot->handler = nullptr;
  return 0;
}

void SetOptions(Slot* slot, Shared* shared) {
  CURL* easy = slot->easy;
  const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PRIVATE, slot);
  set(CURLOPT_ERRORBUFFER, slot->error);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_HTTPHEADER, shared->headers.get());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PROXY, "");
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 0L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  if (shared->options.connect_timeout >= kLibcurlsConnectLimit) {
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(shared->options.connect_timeout / kNanosPerMilli));
  }
  set(CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  set(CURLOPT_OPENSOCKETDATA, slot);
  set(CURLOPT_CLOSESOCKETFUNCTION, &CloseSocket);
  set(CURLOPT_CLOSESOCKETDATA, shared);
  set(CURLOPT_PREREQFUNCTION, &BeforeRequest);
  set(CURLOPT_PREREQDATA, slot);
  set(CURLOPT_HEADERFUNCTION, &OnHeaderLine);
  set(CURLOPT_HEADERDATA, slot);
  set(CURLOPT_WRITEFUNCTION, &OnBodyBytes);
  set(CURLOPT_WRITEDATA, slot);
}

bool SetUp(Slot* slot, Shared* shared) {
  slot->easy = curl_easy_init();
  if (slot->easy == nullptr) return false;
  SetOptions(slot, shared);
  return true;
}

class CurlTransport final : public Transport {
 public:
  CurlTransport(TransportOptions options, EpollLoop* loop);
  ~CurlTransport() override;

  absl::Status Init();
  void Send(uint32_t slot, const OutgoingRequest& request, ResponseHandler* handler) override {
    slots_[slot].shard->Send(&slots_[slot], request, handler);
  }
  void Abort(uint32_t slot) override { slots_[slot].shard->Abort(&slots_[slot]); }
  Counters counters() const override { return shared_.counters; }
  ReadFacts TakeReadFacts() override { return shared_.reads.TakeFacts(); }

 private:
  Shared shared_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

CurlTransport::CurlTransport(TransportOptions options, EpollLoop* loop)
    : shared_(loop, options, [this](uint32_t late) { slots_[late].shard->FailConnecting(&slots_[late]); }) {
  shared_.headers = HeaderList(options.headers);
  for (const TransportTarget& target : options.targets) {
    auto& lists = shared_.connect_to.emplace_back();
    // An empty host and port match whatever the URL has.
    for (const std::string& address : target.addresses)
      Append(lists.emplace_back(), "::" + address);
  }
  shared_.options = std::move(options);
  slots_ = std::vector<Slot>(shared_.options.slots);
}

CurlTransport::~CurlTransport() {
  for (Slot& slot : slots_) {
    if (slot.attached) slot.shard->Abort(&slot);
  }
  for (Slot& slot : slots_) curl_easy_cleanup(slot.easy);
  shards_.clear();
}

absl::Status CurlTransport::Init() {
  for (const TransportTarget& target : shared_.options.targets) {
    if (!target.ca_cert.empty() && access(target.ca_cert.c_str(), R_OK) != 0) {
      return absl::InvalidArgumentError(absl::StrCat("ca_cert \"", target.ca_cert,
                                                     "\": ", strerror(errno),
                                                     "; it must be a readable PEM file"));
    }
  }
  const uint32_t count = static_cast<uint32_t>(slots_.size());
  const uint32_t shards = (count + kSlotsAMulti - 1) / kSlotsAMulti;
  for (uint32_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>(&shared_));
    if (!shards_.back()->Init((count + shards - 1) / shards)) {
      return absl::ResourceExhaustedError("libcurl could not make a multi handle");
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    slots_[i].number = i;
    slots_[i].shard = shards_[i % shards].get();
    if (!SetUp(&slots_[i], &shared_)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("libcurl could not make handle ", i, " of ", count));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> NewCurlTransport(TransportOptions options,
                                                            EpollLoop* loop) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  auto transport = std::make_unique<CurlTransport>(std::move(options), loop);
  const absl::Status status = transport->Init();
  if (!status.ok()) return status;
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace tidemark
