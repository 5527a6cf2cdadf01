#include "common/http_server/connection.h"

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace tidemark {
namespace {

constexpr int64_t kLinger = kNanosPerSecond / 4;
constexpr size_t kLingerBytes = 64 << 10;
constexpr char kTooLarge[] =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

int SslSize(size_t size) { return static_cast<int>(std::min<size_t>(size, INT_MAX)); }

}  // namespace

Connection::Connection(OwnedFd fd, std::shared_ptr<SSL_CTX> context, size_t max_head_bytes, int64_t deadline)
    : fd_(std::move(fd)),
      context_(std::move(context)),
      state_(context_ == nullptr ? State::kHead : State::kHandshake),
      max_head_bytes_(max_head_bytes),
      deadline_(deadline),
      wanted_(POLLIN) {
  if (context_ == nullptr) return;
  ssl_ = SSL_new(context_.get());
  if (ssl_ == nullptr) {
    state_ = State::kOver;
    return;
  }
  SSL_set_fd(ssl_, fd_.get());
}

Connection::~Connection() { SSL_free(ssl_); }

void Connection::Advance(int64_t now) {
  if (waits() && now >= deadline_) Over();
  while (Step(now)) {
  }
}

bool Connection::Step(int64_t now) {
  switch (state_) {
    case State::kHandshake: return Shake();
    case State::kHead: return TakeHead(now);
    case State::kWriting: return Write(now);
    case State::kLingering: return Linger();
    case State::kAnswering:
    case State::kOver: break;
  }
  return false;
}

bool Connection::Over() {
  state_ = State::kOver;
  return false;
}

bool Connection::Shake() {
  ERR_clear_error();
  const ptrdiff_t outcome = OutcomeOfTls(SSL_accept(ssl_));
  if (outcome == kWait) return false;
  if (outcome <= 0) return Over();
  state_ = State::kHead;
  return true;
}

bool Connection::TakeHead(int64_t now) {
  char bytes[4096];
  const ptrdiff_t count = Receive(bytes, sizeof(bytes));
  if (count == kWait) return false;
  if (count <= 0) return Over();
  const size_t seen = head_.size() < 3 ? 0 : head_.size() - 3;
  head_.append(bytes, static_cast<size_t>(count));
  const bool whole = head_.find("\r\n\r\n", seen) != std::string::npos;
  if (whole || head_.size() > max_head_bytes_) state_ = State::kAnswering;
  if (head_.size() > max_head_bytes_) Answer(kTooLarge, now);
  return state_ == State::kHead;
}

void Connection::Answer(std::string bytes, int64_t now) {
  answer_ = std::move(bytes);
  state_ = State::kWriting;
  Advance(now);
}

bool Connection::Write(int64_t now) {
  if (written_ < answer_.size()) {
    const ptrdiff_t count = Send(answer_.data() + written_, answer_.size() - written_);
    if (count == kWait) return false;
    if (count <= 0) return Over();
    written_ += static_cast<size_t>(count);
    return true;
  }
  if (ssl_ != nullptr) {
    ERR_clear_error();
    SSL_shutdown(ssl_);
  }
  shutdown(fd_.get(), SHUT_WR);
  std::string().swap(answer_);
  deadline_ = std::min(deadline_, now + kLinger);
  state_ = State::kLingering;
  return true;
}

bool Connection::Linger() {
  char ignored[4096];
  const ptrdiff_t count = OutcomeOf(recv(fd_.get(), ignored, sizeof(ignored), 0), POLLIN);
  if (count == kWait) return false;
  if (count <= 0) return Over();
  lingered_ += static_cast<size_t>(count);
  return lingered_ < kLingerBytes || Over();
}

ptrdiff_t Connection::Receive(char* out, size_t size) {
  if (ssl_ == nullptr) return OutcomeOf(recv(fd_.get(), out, size, 0), POLLIN);
  ERR_clear_error();
  return OutcomeOfTls(SSL_read(ssl_, out, SslSize(size)));
}

ptrdiff_t Connection::Send(const char* bytes, size_t size) {
  if (ssl_ == nullptr) return OutcomeOf(send(fd_.get(), bytes, size, MSG_NOSIGNAL), POLLOUT);
  ERR_clear_error();
  return OutcomeOfTls(SSL_write(ssl_, bytes, SslSize(size)));
}

ptrdiff_t Connection::OutcomeOf(ptrdiff_t result, short events) {
  if (result > 0) return result;
  wanted_ = events;
  return result < 0 && (errno == EAGAIN || errno == EINTR) ? kWait : kEnd;
}

ptrdiff_t Connection::OutcomeOfTls(int result) {
  if (result > 0) return result;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: wanted_ = POLLIN; return kWait;
    case SSL_ERROR_WANT_WRITE: wanted_ = POLLOUT; return kWait;
    default: return kEnd;
  }
}

bool HasVerifiedClient(const SSL* ssl) {
  return ssl != nullptr && SSL_get0_peer_certificate(ssl) != nullptr && SSL_get_verify_result(ssl) == X509_V_OK;
}

}  // namespace tidemark
