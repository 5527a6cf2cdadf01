#ifndef TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_
#define TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/clock/clock.h"
#include "common/http_server/listener.h"

namespace tidemark {

// One client's connection, plain or TLS: takes in the head of one request, sends one answer, and is over. Never
// waits: its owner polls, and calls Advance. Times are CLOCK_MONOTONIC ns. Thread-compatible.
class Connection {
 public:
  enum class State {
    kHandshake,
    kHead,       // of the request
    kAnswering,  // head() is whole: the owner is to say Answer, and meanwhile nothing is done
    kWriting,
    kLingering,  // said that nothing more comes, and takes in for a moment what the client still sends: closing before
                 // that would make the kernel throw away an answer that the client has not read
    kOver,
  };

  // `context` null: plaintext. Of a request that is longer than `max_head_bytes` no more is taken in.
  Connection(OwnedFd fd, std::shared_ptr<SSL_CTX> context, size_t max_head_bytes, int64_t deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Does all that can be done now.
  void Advance(int64_t now);

  // Sends `bytes`. REQUIRES: kAnswering.
  void Answer(std::string bytes, int64_t now);

  State state() const { return state_; }
  // Waits for its client. Else it is with its owner, or over.
  bool waits() const { return state_ != State::kAnswering && state_ != State::kOver; }
  bool awaits_request() const { return state_ == State::kHandshake || state_ == State::kHead; }
  int fd() const { return fd_.get(); }
  short wanted() const { return wanted_; }  // of poll
  int64_t deadline() const { return deadline_; }

  const std::string& head() const { return head_; }
  const SSL* ssl() const { return ssl_; }  // null: plaintext

 private:
  // What a system or SSL_ call came to: bytes, or one of these.
  static constexpr ptrdiff_t kWait = -1, kEnd = -2;
  ptrdiff_t OutcomeOf(ptrdiff_t result, short events);
  ptrdiff_t OutcomeOfTls(int result);
  ptrdiff_t Receive(char* out, size_t size);
  ptrdiff_t Send(const char* bytes, size_t size);

  // Each does one step; false: there is nothing to be done before the client acts, or the owner.
  bool Step(int64_t now);
  bool Shake();
  bool TakeHead(int64_t now);
  bool Write(int64_t now);
  bool Linger();
  bool Over();

  OwnedFd fd_;
  std::shared_ptr<SSL_CTX> context_;
  SSL* ssl_ = nullptr;
  State state_;
  const size_t max_head_bytes_;
  int64_t deadline_;
  short wanted_ = 0;
  std::string head_;
  std::string answer_;
  size_t written_ = 0;   // of answer_
  size_t lingered_ = 0;  // bytes
};

// The other side of `ssl` (null: plaintext) showed a certificate that the CA has signed.
bool HasVerifiedClient(const SSL* ssl);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_
