#ifndef TIDEMARK_COMMON_HTTP_SERVER_HTTP_SERVER_H_
#define TIDEMARK_COMMON_HTTP_SERVER_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/clock/clock.h"

// A small HTTP/1.1 server for what people and monitors look at: metrics, health, pages. GET and HEAD only,
// one request a connection. The one door to cpp-httplib, which parses requests and writes answers; sockets,
// TLS and threads are ours, so that every wait has a deadline and stop ends it.
namespace tidemark {

// PEM files. Read anew for each connection, so rotated files hold from the next one on; while the new ones
// are not readable or do not fit together, the last good ones serve on.
struct HttpServerTls {
  std::string cert;  // chain, leaf first
  std::string key;
  std::string ca;    // of client certificates
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Who may have a route.
enum class HttpAccess {
  kOpen,     // anyone: health
  kGuarded,  // TLS: a verified client certificate or a bearer token. Plaintext: a bearer token where one is
             // asked for at all (token_allowed), else anyone.
};

struct HttpRoute {
  std::string path;  // matched whole, the query apart: "/metrics"
  HttpAccess access = HttpAccess::kGuarded;
  std::function<HttpAnswer()> answer;  // called on any of the server's threads, several at a time
};

struct HttpServerOptions {
  std::string listen;  // HOST:PORT, [V6]:PORT or :PORT; port 0 picks a free one
  std::optional<HttpServerTls> tls;  // nothing: plaintext
  // True when this bearer token may read guarded routes. Null: no token may. Any thread; the token must
  // not be kept or logged.
  std::function<bool(absl::string_view token)> token_allowed;
  size_t threads = 4;                 // that make answers
  size_t max_connections = 256;       // beyond them the oldest that waits for its client is given up for a new one
  size_t max_head_bytes = 16 << 10;   // request line and headers
  int64_t connection_timeout = 10 * kNanosPerSecond;  // for all of one connection, handshake included
};

// Thread-safe.
class HttpServer {
 public:
  // Listens and serves from now on. `clock` must outlive it. InvalidArgument names what is wrong with
  // `listen`; FailedPrecondition: the address is taken or not ours, or a TLS file is not fit.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options,
                                                           std::vector<HttpRoute> routes, const Clock* clock);
  virtual ~HttpServer() = default;  // Stop()

  virtual uint16_t port() const = 0;               // bound
  virtual const std::string& address() const = 0;  // bound, numeric: "127.0.0.1:7080", "[::]:7080"

  // Ends waiting connections, lets answers under way finish (within connection_timeout), and returns when
  // no handler runs any more. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_SERVER_HTTP_SERVER_H_
