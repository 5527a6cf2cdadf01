#include "tests/support/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"

namespace tidemark {
namespace {

constexpr int kLookMillis = 10;  // how often a wait looks whether the server stops

bool Readable(int fd) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, kLookMillis) == 1;
}

size_t ContentLength(const std::string& head) {
  const std::string lower = absl::AsciiStrToLower(head);
  const size_t at = lower.find("content-length:");
  return at == std::string::npos ? 0 : strtoul(lower.c_str() + at + 15, nullptr, 10);
}

}  // namespace

ScriptedServer::ScriptedServer(Reply reply) : reply_(std::move(reply)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 1024) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  acceptor_.join();
  close(listener_);
  MutexLock lock(mutex_);
  for (std::thread& server : servers_) server.join();
}

std::string ScriptedServer::address() const { return absl::StrCat("127.0.0.1:", port_); }
std::string ScriptedServer::url() const {
  return absl::StrCat("http://", address(), "/v1/chat/completions");
}

void ScriptedServer::Accept() {
  while (!stopping_) {
    if (!Readable(listener_)) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int connection = connections_++;
    MutexLock lock(mutex_);
    servers_.emplace_back([this, fd, connection] { Serve(fd, connection); });
  }
}

void ScriptedServer::Serve(int fd, int connection) {
  std::string buffer, head;
  while (ReadRequest(fd, &buffer, &head)) {
    if (!Play(fd, reply_(connection, requests_++, head))) break;
  }
  close(fd);
}

bool ScriptedServer::ReadRequest(int fd, std::string* buffer, std::string* head) {
  while (!stopping_) {
    const size_t end = buffer->find("\r\n\r\n");
    if (end != std::string::npos) {
      const size_t whole = end + 4 + ContentLength(buffer->substr(0, end + 4));
      if (buffer->size() >= whole) {
        *head = buffer->substr(0, end + 4);
        buffer->erase(0, whole);
        return true;
      }
    }
    if (!Readable(fd)) continue;
    char bytes[65536];
    const ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
    if (got <= 0) return false;
    buffer->append(bytes, got);
  }
  return false;
}

bool ScriptedServer::SendBytes(int fd, const std::string& bytes) {
  SendTime time;
  time.before = RealClock().MonotonicNanos();
  if (send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return false;
  time.after = RealClock().MonotonicNanos();
  MutexLock lock(times_);
  send_times_.push_back(time);
  return true;
}

std::vector<ScriptedServer::SendTime> ScriptedServer::send_times() const {
  MutexLock lock(times_);
  return send_times_;
}

// False when the connection is to be closed.
bool ScriptedServer::Play(int fd, const std::vector<ServerStep>& steps) {
  for (const ServerStep& step : steps) {
    switch (step.kind) {
      case ServerStep::Kind::kSend:
        if (!SendBytes(fd, step.bytes)) return false;
        break;
      case ServerStep::Kind::kPause:
        for (int left = step.millis; left > 0 && !stopping_; left -= kLookMillis) {
          poll(nullptr, 0, left < kLookMillis ? left : kLookMillis);
        }
        break;
      case ServerStep::Kind::kClose:
        return false;
      case ServerStep::Kind::kReset: {
        const linger now{1, 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        return false;
      }
    }
  }
  return true;
}

ServerStep ScriptedServer::Send(std::string bytes) {
  return {ServerStep::Kind::kSend, std::move(bytes), 0};
}
ServerStep ScriptedServer::Pause(int millis) { return {ServerStep::Kind::kPause, "", millis}; }
ServerStep ScriptedServer::Close() { return {ServerStep::Kind::kClose, "", 0}; }
ServerStep ScriptedServer::Reset() { return {ServerStep::Kind::kReset, "", 0}; }

std::string ScriptedServer::ChunkedHead(const std::string& content_type) {
  return absl::StrCat("HTTP/1.1 200 OK\r\nContent-Type: ", content_type,
                      "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

std::string ScriptedServer::Chunk(const std::string& bytes) {
  return absl::StrCat(absl::Hex(bytes.size()), "\r\n", bytes, "\r\n");
}

}  // namespace tidemark
