#include "common/http_server/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <list>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/http_server/connection.h"
#include "common/http_server/listener.h"
#include "common/http_server/server_tls.h"
#include "common/log/log.h"
#include "common/mutex.h"

// Parts of httplib's classes are there only with it: ours must look like those in Debian's shared library,
// whose pkg-config file says so.
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#error "compile with the flags of pkg-config --cflags cpp-httplib"
#endif

namespace tidemark {
namespace {

constexpr int64_t kIdlePoll = kNanosPerSecond;
constexpr int64_t kAcceptPause = kNanosPerSecond / 10;
constexpr int kMostAccepted = 64;  // in a turn
constexpr size_t kListener = 1, kFirstConnection = 2;  // of what is polled

// A whole head as httplib sees it, and what httplib writes.
class RequestStream : public httplib::Stream {
 public:
  explicit RequestStream(const Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return at_ < connection_.head().size(); }
  bool is_writable() const override { return true; }

  ssize_t read(char* out, size_t size) override {
    const size_t count = std::min(size, connection_.head().size() - at_);
    std::copy_n(connection_.head().data() + at_, count, out);
    at_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, size_t size) override {
    answer_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_.fd(); }

  std::string TakeAnswer() { return std::move(answer_); }

 private:
  const Connection& connection_;
  size_t at_ = 0;
  std::string answer_;
};

// httplib's parser and writer alone: it never listens, and sees no socket.
class Parser : public httplib::Server {
 public:
  // All bytes of the answer to the connection's request; nothing: there is none.
  std::string AnswerTo(const Connection& connection) {
    RequestStream stream(connection);
    const std::function<void(httplib::Request&)> setup = [&connection](httplib::Request& request) {
      request.ssl = connection.ssl();
    };
    try {
      Process(*this, stream, setup);
    } catch (const std::exception& e) {
      Log(LogLevel::kWarning, "HTTP server gave up a request", {{"reason", e.what()}});
      return "";
    }
    return stream.TakeAnswer();
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

// One thread owns all connections and waits for none of them; others only make answers.
class PollingHttpServer : public HttpServer {
 public:
  PollingHttpServer(HttpServerOptions options, std::vector<HttpRoute> routes, Listener listener, OwnedFd wake,
                    std::unique_ptr<ServerTls> tls, const Clock* clock)
      : options_(std::move(options)),
        routes_(std::move(routes)),
        listener_(std::move(listener)),
        wake_(std::move(wake)),
        tls_(std::move(tls)),
        clock_(clock) {
    parser_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Respond(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i) {
      threads_.emplace_back([this] { MakeAnswers(); });
    }
    threads_.emplace_back([this] { ServeConnections(); });
  }

  ~PollingHttpServer() override { Stop(); }

  uint16_t port() const override { return listener_.port; }
  const std::string& address() const override { return listener_.address; }

  void Stop() override {
    MutexLock lock(stop_mutex_);
    {
      MutexLock work_lock(mutex_);
      stopping_ = true;
    }
    Wake();
    for (auto thread = threads_.rbegin(); thread != threads_.rend(); ++thread) thread->join();
    threads_.clear();
    listener_.fd = OwnedFd();  // or the kernel would go on accepting
  }

 private:
  using Connections = std::list<std::unique_ptr<Connection>>;

  void Wake() { eventfd_write(wake_.get(), 1); }

  // ---- threads that make answers ----

  void MakeAnswers() {
    while (Connection* connection = NextRequest()) {
      std::string bytes = parser_.AnswerTo(*connection);
      {
        MutexLock lock(mutex_);
        answers_.emplace_back(connection, std::move(bytes));
      }
      Wake();
    }
  }

  // Null: none comes any more.
  Connection* NextRequest() {
    MutexLock lock(mutex_);
    while (requests_.empty() && !closed_) changed_.WaitFor(mutex_, kNanosPerSecond);
    if (requests_.empty()) return nullptr;
    Connection* const next = requests_.front();
    requests_.pop_front();
    return next;
  }

  // ---- the thread that owns the connections, oldest first ----

  void ServeConnections() {
    Connections connections;
    for (bool stopping = false; !stopping || !connections.empty();) {
      const std::vector<pollfd> ready = Poll(connections, stopping);
      const int64_t now = clock_->MonotonicNanos();
      size_t i = kFirstConnection;
      for (const auto& connection : connections) {
        const bool due = connection->waits() && connection->deadline() <= now;
        if (ready[i++].revents != 0 || due) Advance(*connection, now);
      }
      SendAnswers(now);
      if (ready[kListener].revents != 0) Accept(connections, now);
      stopping = IsStopping();
      connections.remove_if([stopping](const auto& connection) { return IsOver(*connection, stopping); });
    }
    MutexLock lock(mutex_);
    closed_ = true;
    changed_.NotifyAll();
  }

  // At the end no request is waited for any more; one that came is answered.
  static bool IsOver(const Connection& connection, bool stopping) {
    const Connection::State state = connection.state();
    return state == Connection::State::kOver ||
           (stopping && (connection.awaits_request() || state == Connection::State::kLingering));
  }

  bool IsStopping() {
    MutexLock lock(mutex_);
    return stopping_;
  }

  std::vector<pollfd> Poll(const Connections& connections, bool stopping) {
    const bool accepts = !stopping && accept_from_ <= clock_->MonotonicNanos();
    std::vector<pollfd> fds = {{wake_.get(), POLLIN, 0}, {accepts ? listener_.fd.get() : -1, POLLIN, 0}};
    int64_t until = clock_->MonotonicNanos() + (accepts || stopping ? kIdlePoll : kAcceptPause);
    for (const auto& connection : connections) {
      fds.push_back({connection->waits() ? connection->fd() : -1, connection->wanted(), 0});
      if (connection->waits()) until = std::min(until, connection->deadline());
    }
    const int64_t left = std::max<int64_t>(0, until - clock_->MonotonicNanos());
    poll(fds.data(), fds.size(), static_cast<int>((left + kNanosPerMilli - 1) / kNanosPerMilli));
    eventfd_t ignored;
    if (fds[0].revents != 0) eventfd_read(wake_.get(), &ignored);
    return fds;
  }

  void Advance(Connection& connection, int64_t now) {
    connection.Advance(now);
    if (connection.state() != Connection::State::kAnswering) return;
    MutexLock lock(mutex_);
    requests_.push_back(&connection);
    changed_.NotifyAll();
  }

  void SendAnswers(int64_t now) {
    std::vector<std::pair<Connection*, std::string>> answers;
    {
      MutexLock lock(mutex_);
      answers.swap(answers_);
    }
    for (auto& [connection, bytes] : answers) connection->Answer(std::move(bytes), now);
  }

  // A client that says nothing, or does not read, is given up for a new one: a probe always has its answer.
  void Accept(Connections& connections, int64_t now) {
    for (int taken = 0; taken < kMostAccepted; ++taken) {
      if (connections.size() >= options_.max_connections && !GiveUpOne(connections)) return;
      OwnedFd fd = AcceptFrom(listener_);
      if (!fd.valid()) {
        if (errno == EMFILE || errno == ENFILE) accept_from_ = now + kAcceptPause;
        return;
      }
      connections.push_back(std::make_unique<Connection>(std::move(fd), tls_ == nullptr ? nullptr : tls_->Current(),
                                                         options_.max_head_bytes, now + options_.connection_timeout));
      Advance(*connections.back(), now);
    }
  }

  static bool GiveUpOne(Connections& connections) {
    auto one = std::find_if(connections.begin(), connections.end(),
                            [](const auto& connection) { return connection->awaits_request(); });
    if (one == connections.end()) {
      one = std::find_if(connections.begin(), connections.end(), [](const auto& connection) { return connection->waits(); });
    }
    if (one == connections.end()) return false;
    connections.erase(one);
    return true;
  }

  // ---- what is answered ----

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
  const OwnedFd wake_;  // of the thread that owns the connections
  const std::unique_ptr<ServerTls> tls_;
  const Clock* const clock_;
  Parser parser_;
  int64_t accept_from_ = 0;  // no connection is taken before: descriptors had run out
  Mutex mutex_;
  CondVar changed_;
  std::deque<Connection*> requests_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::pair<Connection*, std::string>> answers_ TIDEMARK_GUARDED_BY(mutex_);
  bool stopping_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool closed_ TIDEMARK_GUARDED_BY(mutex_) = false;  // no request comes any more
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
  OwnedFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return absl::ResourceExhaustedError("no descriptor is left for the HTTP server");
  return std::unique_ptr<HttpServer>(std::make_unique<PollingHttpServer>(
      std::move(options), std::move(routes), *std::move(listener), std::move(wake), std::move(tls), clock));
}

}  // namespace tidemark
