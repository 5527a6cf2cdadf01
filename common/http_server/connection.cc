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

constexpr ptrdiff_t kAgain = -2;
constexpr int64_t kLinger = kNanosPerSecond / 4;
constexpr size_t kLingerBytes = 64 << 10;

int Millis(int64_t nanos) {
  const int64_t millis = (nanos + kNanosPerMilli - 1) / kNanosPerMilli;
  return static_cast<int>(std::clamp<int64_t>(millis, 0, INT_MAX));
}

}  // namespace

Connection::Connection(OwnedFd fd, std::shared_ptr<SSL_CTX> context, ConnectionLimits limits, const Clock* clock)
    : fd_(std::move(fd)), context_(std::move(context)), limits_(limits), clock_(clock) {
  if (context_ == nullptr) return;
  ssl_ = SSL_new(context_.get());
  if (ssl_ != nullptr) SSL_set_fd(ssl_, fd_.get());
}

Connection::~Connection() { SSL_free(ssl_); }

bool Connection::Handshake() {
  if (context_ == nullptr) return true;
  if (ssl_ == nullptr) return false;
  ptrdiff_t outcome = kAgain;
  while (outcome == kAgain) {
    ERR_clear_error();
    outcome = OutcomeOf(SSL_accept(ssl_), true);
  }
  established_ = outcome > 0;
  return established_;
}

ptrdiff_t Connection::Read(char* out, size_t size) {
  const size_t left = limits_.max_read_bytes - bytes_read_;
  if (left == 0) return -1;
  const ptrdiff_t count = Receive(out, std::min(size, left));
  if (count > 0) bytes_read_ += static_cast<size_t>(count);
  return count;
}

ptrdiff_t Connection::Receive(char* out, size_t size) {
  while (true) {
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const ptrdiff_t count = OutcomeOf(SSL_read(ssl_, out, static_cast<int>(std::min<size_t>(size, INT_MAX))), true);
      if (count != kAgain) return count;
      continue;
    }
    const ptrdiff_t count = recv(fd_.get(), out, size, 0);
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !WaitFor(POLLIN, true)) return -1;
  }
}

ptrdiff_t Connection::Write(const char* bytes, size_t size) {
  if (size == 0) return 0;
  while (true) {
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const ptrdiff_t count =
          OutcomeOf(SSL_write(ssl_, bytes, static_cast<int>(std::min<size_t>(size, INT_MAX))), false);
      if (count != kAgain) return count;
      continue;
    }
    const ptrdiff_t count = send(fd_.get(), bytes, size, MSG_NOSIGNAL);
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !WaitFor(POLLOUT, false)) return -1;
  }
}

ptrdiff_t Connection::OutcomeOf(int result, bool reading) {
  if (result > 0) return result;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return WaitFor(POLLIN, reading) ? kAgain : -1;
    case SSL_ERROR_WANT_WRITE: return WaitFor(POLLOUT, reading) ? kAgain : -1;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: established_ = false; return -1;
  }
}

bool Connection::WaitFor(short events, bool reading) {
  const int64_t left = limits_.deadline - clock_->MonotonicNanos();
  if (left <= 0) return false;
  pollfd fds[2] = {{fd_.get(), events, 0}, {reading ? limits_.stop_fd : -1, POLLIN, 0}};
  const int ready = poll(fds, 2, Millis(left));
  if (ready < 0) return errno == EINTR;
  return fds[0].revents != 0;
}

bool Connection::Readable() const {
  if (ssl_ != nullptr && SSL_pending(ssl_) > 0) return true;
  pollfd fd = {fd_.get(), POLLIN, 0};
  return poll(&fd, 1, 0) > 0;
}

void Connection::Close() {
  if (established_) {
    ERR_clear_error();
    SSL_shutdown(ssl_);
  }
  shutdown(fd_.get(), SHUT_WR);
  limits_.deadline = std::min(limits_.deadline, clock_->MonotonicNanos() + kLinger);
  char ignored[4096];
  size_t total = 0;
  while (total < kLingerBytes) {
    const ptrdiff_t count = recv(fd_.get(), ignored, sizeof(ignored), 0);
    if (count > 0) total += static_cast<size_t>(count);
    if (count == 0 || (count < 0 && (errno != EAGAIN || !WaitFor(POLLIN, true)))) return;
  }
}

bool HasVerifiedClient(const SSL* ssl) {
  return ssl != nullptr && SSL_get0_peer_certificate(ssl) != nullptr && SSL_get_verify_result(ssl) == X509_V_OK;
}

}  // namespace tidemark
