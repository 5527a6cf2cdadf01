// The server side of HTTPS.
#ifndef TIDEMARK_SIMULATOR_TLS_CONTEXT_H_
#define TIDEMARK_SIMULATOR_TLS_CONTEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

struct bufferevent;
struct event_base;

namespace tidemark {

// Thread-compatible.
class TlsContext {
 public:
  // Reads PEM files; InvalidArgument names the file that is wrong.
  static absl::StatusOr<std::unique_ptr<TlsContext>> FromFiles(const std::string& certificate,
                                                               const std::string& key);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // A stream that accepts a handshake on the descriptor that it will be given. The caller owns it.
  bufferevent* NewStream(event_base* base);

 private:
  explicit TlsContext(void* context) : context_(context) {}
  void* const context_;  // SSL_CTX, which needs no header of OpenSSL here
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_TLS_CONTEXT_H_
