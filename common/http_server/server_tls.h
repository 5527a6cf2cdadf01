#ifndef TIDEMARK_COMMON_HTTP_SERVER_SERVER_TLS_H_
#define TIDEMARK_COMMON_HTTP_SERVER_SERVER_TLS_H_

#include <openssl/ssl.h>

#include <memory>

#include "absl/status/statusor.h"
#include "common/http_server/http_server.h"
#include "common/mutex.h"

namespace tidemark {

// The server's certificate, read anew at each use. Thread-safe.
class ServerTls {
 public:
  // FailedPrecondition names the file that is not fit.
  static absl::StatusOr<std::unique_ptr<ServerTls>> Load(HttpServerTls files);

  // The context for one connection: of the files as they are now, or the last good one (logged once for
  // each reason). Client certificates are asked for and verified, but none is needed.
  std::shared_ptr<SSL_CTX> Current();

 private:
  ServerTls(HttpServerTls files, std::shared_ptr<SSL_CTX> context);

  const HttpServerTls files_;
  Mutex mutex_;
  std::shared_ptr<SSL_CTX> last_good_ TIDEMARK_GUARDED_BY(mutex_);
  std::string said_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_SERVER_SERVER_TLS_H_
