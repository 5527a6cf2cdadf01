#include "tests/bench/epoll_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tests/bench/client_cost.h"

namespace tidemark::bench {
namespace {

constexpr uint32_t kEventsAfterTokens = 2;     // usage and [DONE]
constexpr uint32_t kBytesAfterDone = 7;        // "\r\n0\r\n\r\n"
constexpr size_t kPromptBytes = 700;           // about 128 words
constexpr int64_t kOffsetEveryNs = 1'000'000'000;

// The kernel's receive time of a message in CLOCK_REALTIME; 0 when there is none.
int64_t KernelStamp(msghdr* message) {
  for (cmsghdr* each = CMSG_FIRSTHDR(message); each != nullptr; each = CMSG_NXTHDR(message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp = {};
    std::memcpy(&stamp, CMSG_DATA(each), sizeof(stamp));
    return static_cast<int64_t>(stamp.tv_sec) * 1'000'000'000 + stamp.tv_nsec;
  }
  return 0;
}

bool Failed(const char* what) {
  std::perror(what);
  return false;
}

ClientRequest RequestOf(uint32_t key, int64_t sent_ns, const std::vector<int64_t>& times) {
  ClientRequest request{key, sent_ns, times[0] - sent_ns, {}};
  for (size_t i = 1; i < times.size(); ++i) request.gaps_ns.push_back(times[i] - times[i - 1]);
  return request;
}

}  // namespace

EpollClient::EpollClient(const EpollOptions& options)
    : options_(options), epoll_(::epoll_create1(EPOLL_CLOEXEC)), padding_(kPromptBytes, 'x'), streams_(options.streams) {}

EpollClient::~EpollClient() {
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) ::close(stream.fd);
  }
  ::close(epoll_);
}

bool EpollClient::RunUntil(int64_t monotonic_ns) {
  epoll_event ready[256];
  int64_t now = MonotonicNs();
  if (start_ns_ == 0) start_ns_ = now;
  while (now < monotonic_ns) {
    if (started_ < options_.streams && !StartDue(now)) return false;
    if (now - offset_at_ns_ > kOffsetEveryNs) {
      offset_ns_ = MonotonicMinusRealNs();
      offset_at_ns_ = now;
    }
    const int64_t left_ms = (monotonic_ns - now) / 1'000'000 + 1;
    const int wait_ms = started_ < options_.streams ? 1 : static_cast<int>(std::min<int64_t>(left_ms, 100));
    const int count = ::epoll_wait(epoll_, ready, 256, wait_ms);
    now = MonotonicNs();
    for (int i = 0; i < count; ++i) {
      if (!Read(&streams_[ready[i].data.u32], options_.keep_times ? MonotonicNs() : now)) return false;
    }
  }
  return true;
}

bool EpollClient::StartDue(int64_t now) {
  const double due = static_cast<double>(now - start_ns_) / 1e9 / std::max(options_.ramp_s, 1e-9) * options_.streams;
  for (; started_ < options_.streams && started_ <= due; ++started_) {
    if (!Connect(&streams_[started_]) || !Send(&streams_[started_])) return false;
  }
  return true;
}

bool EpollClient::Connect(Stream* stream) {
  stream->fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (stream->fd < 0) return Failed("socket");
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(options_.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(stream->fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return Failed("connect");
  const int on = 1;
  ::setsockopt(stream->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
  ::setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(stream->fd, F_SETFL, O_NONBLOCK);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u32 = static_cast<uint32_t>(stream - streams_.data());
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, stream->fd, &event) == 0 || Failed("epoll_ctl");
}

std::string EpollClient::Body(uint64_t request) const {
  return "{\"user\":\"" + std::to_string(request) + "\",\"stream\":true,\"max_tokens\":" +
         std::to_string(options_.output_tokens) + ",\"messages\":[{\"role\":\"user\",\"content\":\"" + padding_ +
         "\"}]}";
}

bool EpollClient::Send(Stream* stream) {
  stream->request = requests_++;
  const std::string body = Body(stream->request);
  text_ = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
  stream->in_head = true;
  stream->newlines = stream->events = stream->rest = 0;
  stream->merged = stream->done = false;
  stream->kernel_ns.clear();
  stream->user_ns.clear();
  stream->sent_ns = MonotonicNs();
  const ssize_t sent = ::send(stream->fd, text_.data(), text_.size(), MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(text_.size()) || Failed("send");
}

bool EpollClient::Read(Stream* stream, int64_t now) {
  thread_local char bytes[16384];
  char control[128];
  iovec part = {bytes, sizeof(bytes)};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t count = ::recvmsg(stream->fd, &message, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) return Failed("recvmsg");
  return Take(stream, bytes, static_cast<size_t>(count), KernelStamp(&message) + offset_ns_, now);
}

bool EpollClient::Take(Stream* stream, const char* bytes, size_t count, int64_t kernel_ns, int64_t now) {
  const uint32_t before = std::min(stream->events, options_.output_tokens);
  const char* const end = bytes + count;
  const char* at = bytes;
  while (at < end && !stream->done) at = NextEmptyLine(stream, at, end);
  const uint32_t tokens = std::min(stream->events, options_.output_tokens) - before;
  stream->merged |= tokens > 1;
  if (tokens > 0 && options_.keep_times) {
    stream->kernel_ns.push_back(kernel_ns);
    stream->user_ns.push_back(now);
  }
  if (!stream->done) return true;
  stream->rest -= std::min(stream->rest, static_cast<uint32_t>(end - at));
  return stream->rest > 0 || End(stream);
}

// An event ends at an empty line; so does the head, but for its carriage returns. Steps to the next line's end.
const char* EpollClient::NextEmptyLine(Stream* stream, const char* at, const char* end) {
  if (*at == '\r' && stream->in_head) return at + 1;
  if (*at != '\n') {
    stream->newlines = 0;
    const void* next = std::memchr(at, '\n', static_cast<size_t>(end - at));
    return next == nullptr ? end : static_cast<const char*>(next);
  }
  if (++stream->newlines < 2) return at + 1;
  stream->newlines = 0;
  if (stream->in_head) {
    stream->in_head = false;
  } else if (++stream->events == options_.output_tokens + kEventsAfterTokens) {
    stream->done = true;
    stream->rest = kBytesAfterDone;
  }
  return at + 1;
}

bool EpollClient::End(Stream* stream) {
  if (options_.keep_times) Keep(*stream);
  return Send(stream);
}

void EpollClient::Keep(const Stream& stream) {
  if (stream.merged || stream.kernel_ns.size() != options_.output_tokens) {
    ++left_out_;
    return;
  }
  const uint32_t key = BodyKey(Body(stream.request));
  by_kernel_.push_back(RequestOf(key, stream.sent_ns, stream.kernel_ns));
  by_user_.push_back(RequestOf(key, stream.sent_ns, stream.user_ns));
}

}  // namespace tidemark::bench
