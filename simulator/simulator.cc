#include "simulator/simulator.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "simulator/inference_server.h"
#include "simulator/listener.h"
#include "simulator/tls_context.h"

namespace tidemark {
namespace {

constexpr ev_ssize_t kMostHeaderBytes = 256 * 1024;
constexpr ev_ssize_t kMostBodyBytes = 64 * 1024 * 1024;
constexpr int kAllMethods = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |
                            EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE |
                            EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH;

event_base* MakeBase() {
  event_config* config = event_config_new();
  // Timers of a microsecond, counted from now and not from the start of the loop's turn.
  event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
  event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
  // A crowd of new requests is interrupted for the timer of due tokens.
  timeval interval = {};
  interval.tv_usec = 500;
  event_config_set_max_dispatch_interval(config, &interval, 16, 1);
  event_base* base = event_base_new_with_config(config);
  event_config_free(config);
  event_base_priority_init(base, 2);
  return base;
}

absl::StatusOr<evconnlistener*> Listen(event_base* base, const SimulatorOptions& options) {
  const absl::StatusOr<int> socket = ListenOn(options.host, options.port);
  if (!socket.ok()) return socket.status();
  constexpr int kListensAlready = 0;
  return evconnlistener_new(base, nullptr, nullptr, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, kListensAlready, *socket);
}

}  // namespace

// Owns everything of one Start. All but the constructor, Open, and Stop run on the thread.
class Simulator::Loop {
 public:
  Loop() : base_(MakeBase()), http_(evhttp_new(base_)), wake_(::eventfd(0, EFD_CLOEXEC)) {}

  ~Loop() {
    if (thread_.joinable()) Stop();
    server_.reset();  // its unfinished answers free their connections, so before their owner
    evhttp_free(http_);
    if (stop_ != nullptr) event_free(stop_);
    event_base_free(base_);
    ::close(wake_);
  }

  absl::StatusOr<int> Open(SimulatorOptions options) {
    absl::Status checked = CheckOptions(options);
    if (!checked.ok()) return checked;
    if (!options.tls_cert.empty()) {
      auto tls = TlsContext::FromFiles(options.tls_cert, options.tls_key);
      if (!tls.ok()) return tls.status();
      tls_ = *std::move(tls);
    }
    const auto listener = Listen(base_, options);
    if (!listener.ok()) return listener.status();
    port_ = PortOf(evconnlistener_get_fd(*listener));
    evhttp_bind_listener(http_, *listener);
    url_ = UrlOf(tls_ ? "https" : "http", options.host, port_);
    server_ = std::make_unique<InferenceServer>(base_, std::move(options));
    SetUpHttp();
    thread_ = std::thread([this] { event_base_loop(base_, EVLOOP_NO_EXIT_ON_EMPTY); });
    return port_;
  }

  void Stop() {
    const uint64_t one = 1;
    while (::write(wake_, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    thread_.join();
  }

  const std::string& url() const { return url_; }

 private:
  void SetUpHttp() {
    evhttp_set_allowed_methods(http_, kAllMethods);
    evhttp_set_max_headers_size(http_, kMostHeaderBytes);
    evhttp_set_max_body_size(http_, kMostBodyBytes);
    evhttp_set_bevcb(http_, &Loop::NewStream, this);
    evhttp_set_gencb(
        http_,
        [](evhttp_request* request, void* self) {
          static_cast<Loop*>(self)->server_->Handle(request);
        },
        this);
    stop_ = event_new(
        base_, wake_, EV_READ,
        [](evutil_socket_t, short, void* base) {
          event_base_loopbreak(static_cast<event_base*>(base));
        },
        base_);
    event_priority_set(stop_, 0);
    event_add(stop_, nullptr);
  }

  static bufferevent* NewStream(event_base* base, void* self) {
    auto* loop = static_cast<Loop*>(self);
    loop->server_->CountConnection();
    if (loop->tls_ != nullptr) return loop->tls_->NewStream(base);
    return bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  }

  event_base* const base_;
  evhttp* const http_;
  const int wake_;
  event* stop_ = nullptr;
  std::unique_ptr<TlsContext> tls_;
  std::unique_ptr<InferenceServer> server_;
  std::thread thread_;
  int port_ = 0;
  std::string url_;
};

Simulator::Simulator() = default;

Simulator::~Simulator() = default;

absl::StatusOr<int> Simulator::Start(SimulatorOptions options) {
  if (loop_ != nullptr) return absl::FailedPreconditionError("the simulator runs already");
  RaiseFileLimit();
  auto loop = std::make_unique<Loop>();
  absl::StatusOr<int> port = loop->Open(std::move(options));
  if (port.ok()) loop_ = std::move(loop);
  return port;
}

std::string Simulator::url() const { return loop_->url(); }

void Simulator::Stop() { loop_.reset(); }

}  // namespace tidemark
