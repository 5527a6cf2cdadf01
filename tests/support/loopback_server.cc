#include "tests/support/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark::testing {
namespace {

constexpr int kLookMillis = 20;

int Listen(uint16_t port, uint16_t* bound) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 16) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    perror("LoopbackServer");
    abort();
  }
  *bound = ntohs(address.sin_port);
  return fd;
}

size_t ContentLength(const std::string& head) {
  const size_t at = absl::AsciiStrToLower(head).find("content-length:");
  if (at == std::string::npos) return 0;
  size_t length = 0;
  const size_t begin = at + strlen("content-length:");
  const std::string text = head.substr(begin, head.find("\r\n", begin) - begin);
  return absl::SimpleAtoi(text, &length) ? length : 0;
}

// False when the peer left before the whole request was there.
bool ReadRequest(int fd, LoopbackServer::Request* request) {
  std::string in;
  char buffer[65536];
  for (;;) {
    const size_t end = in.find("\r\n\r\n");
    if (end != std::string::npos) {
      request->head = in.substr(0, end + 2);
      request->body = in.substr(end + 4);
      if (request->body.size() >= ContentLength(request->head)) break;
    }
    const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
    if (got <= 0) return false;
    in.append(buffer, static_cast<size_t>(got));
  }
  const size_t space = request->head.find(' ');
  request->method = request->head.substr(0, space);
  request->path = request->head.substr(space + 1, request->head.find(' ', space + 1) - space - 1);
  return true;
}

void SendAll(int fd, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

}  // namespace

LoopbackServer::LoopbackServer(Handler handler, uint16_t port)
    : handler_(std::move(handler)), fd_(Listen(port, &port_)), thread_([this] { Serve(); }) {}

LoopbackServer::~LoopbackServer() {
  ended_ = true;
  thread_.join();
  close(fd_);
}

std::string LoopbackServer::Url(const std::string& path) const {
  return absl::StrCat("http://127.0.0.1:", port_, path);
}

std::vector<LoopbackServer::Request> LoopbackServer::Requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

void LoopbackServer::Serve() {
  while (!ended_) {
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, kLookMillis) <= 0) continue;
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    Answer(fd);
    close(fd);
  }
}

void LoopbackServer::Answer(int fd) {
  const timeval limit{5, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  Request request;
  if (!ReadRequest(fd, &request)) return;
  {
    MutexLock lock(mutex_);
    requests_.push_back(request);
  }
  const Reply reply = handler_(request);
  for (int held = 0; held < reply.hold_ms && !ended_; held += kLookMillis)
    poll(nullptr, 0, kLookMillis);
  SendAll(fd, reply.bytes);
  if (!reply.reset) return;
  const linger now{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

std::string HttpReply(int status, const std::string& body, const std::string& headers) {
  return absl::StrCat("HTTP/1.1 ", status, " Status\r\n", headers,
                      "Connection: close\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
}

uint16_t ClosedPort() {
  uint16_t port = 0;
  close(Listen(0, &port));
  return port;
}

}  // namespace tidemark::testing
