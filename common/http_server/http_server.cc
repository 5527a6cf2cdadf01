#include "common/http_server/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/http_server/connection.h"
#include "common/http_server/listener.h"
#include "common/http_server/server_tls.h"
#include "common/log/log.h"

// Parts of httplib's classes are there only with it: ours must look like those in Debian's shared library,
// whose pkg-config file says so.
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#error "compile with the flags of pkg-config --cflags cpp-httplib"
#endif

namespace tidemark {
namespace {

constexpr int kIdlePollMillis = 1'000;

// A connection as httplib sees it.
class RequestStream : public httplib::Stream {
 public:
  explicit RequestStream(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return at_ < end_ || connection_.Readable(); }
  bool is_writable() const override { return true; }

  // httplib reads heads byte by byte.
  ssize_t read(char* out, size_t size) override {
    if (at_ == end_) {
      const ptrdiff_t count = connection_.Read(buffer_, sizeof(buffer_));
      if (count <= 0) return count;
      at_ = 0;
      end_ = static_cast<size_t>(count);
    }
    const size_t count = std::min(size, end_ - at_);
    std::copy_n(buffer_ + at_, count, out);
    at_ += count;
    return static_cast<ssize_t>(count);
  }

  // All of it: httplib does not write heads in parts.
  ssize_t write(const char* bytes, size_t size) override {
    for (size_t written = 0; written < size;) {
      const ptrdiff_t count = connection_.Write(bytes + written, size - written);
      if (count <= 0) return -1;
      written += static_cast<size_t>(count);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_.fd(); }

 private:
  Connection& connection_;
  char buffer_[4096];
  size_t at_ = 0, end_ = 0;
};

// httplib's parser and writer alone: it never listens.
class Parser : public httplib::Server {
 public:
  // Reads one request and writes its answer.
  void Serve(Connection& connection) {
    RequestStream stream(connection);
    const std::function<void(httplib::Request&)> setup = [&connection](httplib::Request& request) {
      request.ssl = connection.ssl();
    };
    Process(*this, stream, setup);
  }

 private:
  // 0.18 (Debian 13) wants the addresses besides.
  template <typename Self>
  static void Process(Self& self, httplib::Stream& stream, const std::function<void(httplib::Request&)>& setup) {
    bool closed = false;
    if constexpr (requires { self.process_request(stream, true, closed, setup); }) {
      self.process_request(stream, true, closed, setup);
    } else {
      self.process_request(stream, "", 0, "", 0, true, closed, setup);
    }
  }
};

std::string BearerToken(const httplib::Request& request) {
  constexpr absl::string_view kScheme = "Bearer ";
  const std::string value = request.get_header_value("Authorization");
  return absl::StartsWithIgnoreCase(value, kScheme) ? value.substr(kScheme.size()) : "";
}

HttpAnswer Plain(int status, absl::string_view text) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = absl::StrCat(text, "\n");
  return answer;
}

class ThreadedHttpServer : public HttpServer {
 public:
  ThreadedHttpServer(HttpServerOptions options, std::vector<HttpRoute> routes, Listener listener, OwnedFd stop,
                     std::unique_ptr<ServerTls> tls, const Clock* clock)
      : options_(std::move(options)),
        routes_(std::move(routes)),
        listener_(std::move(listener)),
        stop_(std::move(stop)),
        tls_(std::move(tls)),
        clock_(clock) {
    parser_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Respond(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }

  ~ThreadedHttpServer() override { Stop(); }

  uint16_t port() const override { return listener_.port; }
  const std::string& address() const override { return listener_.address; }

  void Stop() override {
    MutexLock lock(stop_mutex_);
    eventfd_write(stop_.get(), 1);  // stays readable: nobody reads it
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    listener_.fd = OwnedFd();  // or the kernel would go on accepting
  }

 private:
  // Every thread takes connections by itself: what none has taken waits in the kernel.
  void Work() {
    while (true) {
      pollfd fds[2] = {{listener_.fd.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
      poll(fds, 2, kIdlePollMillis);
      if (fds[1].revents != 0) return;
      if (OwnedFd fd = AcceptFrom(listener_); fd.valid()) Serve(std::move(fd));
    }
  }

  void Serve(OwnedFd fd) {
    ConnectionLimits limits;
    limits.deadline = clock_->MonotonicNanos() + options_.connection_timeout;
    limits.max_read_bytes = options_.max_head_bytes;
    limits.stop_fd = stop_.get();
    Connection connection(std::move(fd), tls_ == nullptr ? nullptr : tls_->Current(), limits, clock_);
    if (!connection.Handshake()) return;
    try {
      parser_.Serve(connection);
    } catch (const std::exception& e) {
      Log(LogLevel::kWarning, "HTTP server gave up a request", {{"reason", e.what()}});
    }
    connection.Close();
  }

  void Respond(const httplib::Request& request, httplib::Response& response) const {
    const auto route = std::find_if(routes_.begin(), routes_.end(),
                                    [&](const HttpRoute& each) { return each.path == request.path; });
    HttpAnswer answer;
    if (route == routes_.end()) {
      answer = Plain(404, "not found");
    } else if (request.method != "GET" && request.method != "HEAD") {
      answer = Plain(405, "only GET and HEAD");
      response.set_header("Allow", "GET, HEAD");
    } else if (route->access == HttpAccess::kGuarded && !Allowed(request)) {
      answer = Plain(401, tls_ == nullptr ? "needs a bearer token" : "needs a client certificate or a bearer token");
      response.set_header("WWW-Authenticate", "Bearer realm=\"tidemark\"");
    } else {
      answer = route->answer();
    }
    response.status = answer.status;
    response.set_content(answer.body, answer.content_type.c_str());
  }

  bool Allowed(const httplib::Request& request) const {
    if (HasVerifiedClient(request.ssl)) return true;
    if (!options_.token_allowed) return tls_ == nullptr;
    const std::string token = BearerToken(request);
    return !token.empty() && options_.token_allowed(token);
  }

  const HttpServerOptions options_;
  const std::vector<HttpRoute> routes_;
  Listener listener_;
  const OwnedFd stop_;
  const std::unique_ptr<ServerTls> tls_;
  const Clock* const clock_;
  Parser parser_;
  Mutex stop_mutex_;
  std::vector<std::thread> threads_ TIDEMARK_GUARDED_BY(stop_mutex_);  // last: they use all of the above
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                              std::vector<HttpRoute> routes, const Clock* clock) {
  std::unique_ptr<ServerTls> tls;
  if (options.tls) {
    absl::StatusOr<std::unique_ptr<ServerTls>> loaded = ServerTls::Load(*options.tls);
    if (!loaded.ok()) return loaded.status();
    tls = *std::move(loaded);
  }
  absl::StatusOr<Listener> listener = ListenOn(options.listen);
  if (!listener.ok()) return listener.status();
  OwnedFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) return absl::ResourceExhaustedError("no descriptor is left for the HTTP server");
  return std::unique_ptr<HttpServer>(std::make_unique<ThreadedHttpServer>(
      std::move(options), std::move(routes), *std::move(listener), std::move(stop), std::move(tls), clock));
}

}  // namespace tidemark
