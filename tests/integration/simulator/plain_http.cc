#include "tests/integration/simulator/plain_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace tidemark::testing {

std::string HttpResponse::body() const {
  std::string out;
  for (const std::string& chunk : chunks) out += chunk;
  return out;
}

PlainHttp::PlainHttp(int port, int timeout_ms, const char* ip) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
  timeval limit = {};
  limit.tv_sec = timeout_ms / 1000;
  limit.tv_usec = timeout_ms % 1000 * 1000;
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, ip, &address.sin_addr);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Close();
}

PlainHttp::~PlainHttp() { Close(); }

void PlainHttp::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void PlainHttp::Send(const std::string& method, const std::string& path, const std::string& body,
                     const std::string& headers) {
  SendRaw(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
          "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

void PlainHttp::SendRaw(const std::string& text) {
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

bool PlainHttp::Fill() {
  char buffer[65536];
  const ssize_t n = ::recv(fd_, buffer, sizeof(buffer), 0);
  if (n > 0) {
    in_.append(buffer, static_cast<size_t>(n));
    return true;
  }
  end_ = n == 0 ? HttpEnd::kFin : errno == ECONNRESET ? HttpEnd::kReset : HttpEnd::kTimeout;
  return false;
}

bool PlainHttp::Need(size_t bytes) {
  while (in_.size() < bytes) {
    if (!Fill()) return false;
  }
  return true;
}

bool PlainHttp::Line(std::string* line) {
  size_t end;
  while ((end = in_.find("\r\n")) == std::string::npos) {
    if (!Fill()) return false;
  }
  *line = in_.substr(0, end);
  in_.erase(0, end + 2);
  return true;
}

bool PlainHttp::ReadHead(HttpResponse* out) {
  std::string line;
  do {
    if (!Line(&line)) return false;
    out->head += line + "\r\n";
  } while (!line.empty());
  out->status = std::atoi(out->head.c_str() + 9);
  return true;
}

// False at the last chunk and at every other end.
bool PlainHttp::ReadChunk(HttpResponse* out) {
  std::string line;
  if (!Line(&line)) return false;
  const size_t size = std::strtoul(line.c_str(), nullptr, 16);
  if (!Need(size + 2)) return false;
  if (size == 0) end_ = HttpEnd::kComplete;
  if (size > 0) out->chunks.push_back(in_.substr(0, size));
  in_.erase(0, size + 2);
  return size > 0;
}

HttpResponse PlainHttp::Read() {
  HttpResponse out;
  if (ReadHead(&out)) {
    const size_t length = out.head.find("Content-Length: ");
    if (length == std::string::npos) {
      while (ReadChunk(&out)) {
      }
    } else {
      const size_t size = std::strtoul(out.head.c_str() + length + 16, nullptr, 10);
      if (Need(size)) end_ = HttpEnd::kComplete;
      out.chunks.push_back(in_.substr(0, size));
      in_.erase(0, size);
    }
  }
  out.end = end_;
  return out;
}

HttpResponse PlainHttp::ReadStart() {
  HttpResponse out;
  if (ReadHead(&out)) ReadChunk(&out);
  return out;
}

HttpResponse PlainHttp::Post(const std::string& path, const std::string& body) {
  Send("POST", path, body);
  return Read();
}

HttpResponse PlainHttp::Get(const std::string& path) {
  Send("GET", path);
  return Read();
}

std::string PlainHttp::ReadPast(const std::string& mark) {
  while (in_.find(mark) == std::string::npos && Fill()) {
  }
  return std::exchange(in_, {});
}

bool PlainHttp::ClosedByServer() { return in_.empty() && !Fill() && end_ == HttpEnd::kFin; }

long JsonNumber(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  const size_t at = json.find(key);
  return at == std::string::npos ? -1 : std::atol(json.c_str() + at + key.size());
}

}  // namespace tidemark::testing
