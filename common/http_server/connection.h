#ifndef TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_
#define TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/clock/clock.h"
#include "common/http_server/listener.h"

namespace tidemark {

struct ConnectionLimits {
  int64_t deadline = 0;       // CLOCK_MONOTONIC ns, of all reads and writes
  size_t max_read_bytes = 0;  // of the request
  int stop_fd = -1;           // readable: no request is waited for any more; one that came is answered
};

// One client's connection, plain or TLS. Waits in poll, never past the deadline. Thread-compatible.
class Connection {
 public:
  // `context` null: plaintext. `clock` must outlive it.
  Connection(OwnedFd fd, std::shared_ptr<SSL_CTX> context, ConnectionLimits limits, const Clock* clock);
  ~Connection();

  // True when there is no TLS, or it stands.
  bool Handshake();

  // As read(2) and write(2): bytes, 0 at the end, -1 for an error, the deadline, or too many bytes read.
  ptrdiff_t Read(char* out, size_t size);
  ptrdiff_t Write(const char* bytes, size_t size);

  // Says that nothing more comes, and takes in for a moment what the client still sends: closing before
  // that would make the kernel throw away an answer that the client has not read.
  void Close();

  const SSL* ssl() const { return ssl_; }  // null: plaintext
  int fd() const { return fd_.get(); }
  // The client has sent something; does not wait.
  bool Readable() const;

 private:
  ptrdiff_t Receive(char* out, size_t size);
  // What an SSL_ call came to: bytes, 0 at the end, -1; kAgain after a wait that succeeded.
  ptrdiff_t OutcomeOf(int result, bool reading);
  bool WaitFor(short events, bool reading);

  OwnedFd fd_;
  std::shared_ptr<SSL_CTX> context_;
  SSL* ssl_ = nullptr;
  bool established_ = false;
  ConnectionLimits limits_;
  size_t bytes_read_ = 0;
  const Clock* clock_;
};

// The other side of `ssl` (null: plaintext) showed a certificate that the CA has signed.
bool HasVerifiedClient(const SSL* ssl);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_SERVER_CONNECTION_H_
