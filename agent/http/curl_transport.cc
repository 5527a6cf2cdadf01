#include "agent/http/curl_transport.h"

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/http/curl_shard.h"
#include "agent/http/resolve.h"

namespace tidemark {
namespace {

// A multi handle's cost a request grows with its handles: it saturates at thousands.
constexpr uint32_t kSlotsAMulti = 128;
// Of each slot, and so the largest part of its memory. Holds several events.
constexpr long kReceiveBuffer = 2048;
// libcurl keeps a limit of its own for connecting, five minutes unless it is told another.
constexpr int64_t kLibcurlsConnectLimit = 300 * kNanosPerSecond;
constexpr long kUploadBuffer = 16384;  // libcurl's least

void Append(CurlStrings& list, const std::string& text) {
  list.reset(curl_slist_append(list.release(), text.c_str()));
}

bool Names(const std::string& header, absl::string_view name) {
  return absl::StartsWithIgnoreCase(header, name) && header.size() > name.size() &&
         header[name.size()] == ':';
}

CurlStrings HeaderList(const std::vector<std::string>& headers) {
  CurlStrings list;
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

void NoteOpened(Transport::Counters* counters) {
  ++counters->connections_opened;
  ++counters->connections_open;
  counters->connections_open_max = std::max(counters->connections_open_max, counters->connections_open);
}

// Called by libcurl for a slot.

curl_socket_t OpenSocket(void* data, curlsocktype, curl_sockaddr* address) {
  auto* slot = static_cast<CurlSlot*>(data);
  CurlShared* shared = slot->shard->shared();
  const int fd =
      socket(address->family, address->socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  const std::vector<SourceAddress>& sources = shared->options.sources;
  if (!sources.empty() &&
      !BindToSource(fd, address->family, sources, shared->sources_taken[{slot->target, slot->address}]++)) {
    close(fd);
    return CURL_SOCKET_BAD;
  }
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
  auto* shared = static_cast<CurlShared*>(data);
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
  auto* slot = static_cast<CurlSlot*>(data);
  slot->shard->shared()->connect_limit.End(slot->number);
  if (!slot->opened_socket) slot->sent_on_kept = true;
  if (slot->handler == nullptr) return CURL_PREREQFUNC_ABORT;
  if (!slot->opened_socket) return CURL_PREREQFUNC_OK;
  const CurlShared* shared = slot->shard->shared();
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
  auto* slot = static_cast<CurlSlot*>(data);
  if (slot->handler == nullptr) return 0;
  const int64_t arrival = slot->shard->shared()->reads.Arrival(slot->started);
  slot->head.OnLine({bytes, size}, arrival, slot->handler);
  return slot->handler == nullptr ? 0 : size;
}

size_t OnBodyBytes(char* bytes, size_t, size_t size, void* data) {
  auto* slot = static_cast<CurlSlot*>(data);
  if (slot->handler == nullptr) return 0;
  SocketReads& reads = slot->shard->shared()->reads;
  const int64_t arrival = reads.Arrival(slot->started);
  if (slot->handler->OnBody({bytes, size}, arrival, reads.number())) {
    return slot->handler == nullptr ? 0 : size;
  }
  slot->handler = nullptr;
  return 0;
}

}  // namespace

void SetCurlOptions(CurlSlot* slot, CurlShared* shared) {
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

namespace {

bool SetUp(CurlSlot* slot, CurlShared* shared) {
  slot->easy = curl_easy_init();
  if (slot->easy == nullptr) return false;
  SetCurlOptions(slot, shared);
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
  CurlShared shared_;
  std::vector<CurlSlot> slots_;
  std::vector<std::unique_ptr<CurlShard>> shards_;
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
  slots_ = std::vector<CurlSlot>(shared_.options.slots);
}

CurlTransport::~CurlTransport() {
  for (CurlSlot& slot : slots_) {
    if (slot.attached) slot.shard->Abort(&slot);
  }
  for (CurlSlot& slot : slots_) curl_easy_cleanup(slot.easy);
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
    shards_.push_back(std::make_unique<CurlShard>(&shared_));
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
