#include "simulator/null_endpoint.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "simulator/listener.h"
#include "simulator/null_loop.h"

namespace tidemark {
namespace {

constexpr double kDayMs = 86'400'000;
constexpr size_t kMostEventBytes = 1 << 20;

int64_t Nanos(double ms) { return std::llround(ms * 1e6); }

absl::Status CheckDelay(const char* field, double value) {
  if (value >= 0 && value <= kDayMs) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, "; it must be from 0 to ", kDayMs));
}

absl::Status Check(const NullOptions& options) {
  const size_t least = NullReply::MinEventBytes(options.model);
  if (options.event_bytes < least || options.event_bytes > kMostEventBytes) {
    return absl::InvalidArgumentError(absl::StrCat("event-bytes is ", options.event_bytes, "; it must be from ", least,
                                                   " (an event without padding) to ", kMostEventBytes));
  }
  if (options.port < 0 || options.port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("port is ", options.port, "; it must be from 0 to 65535"));
  }
  absl::Status status = CheckDelay("delay-ms", options.first_token_ms);
  return status.ok() ? CheckDelay("itl-ms", options.inter_token_ms) : status;
}

absl::Status Pin(std::thread* thread, int cpu) {
  if (cpu < 0) return absl::OkStatus();
  cpu_set_t only;
  CPU_ZERO(&only);
  if (cpu < CPU_SETSIZE) CPU_SET(cpu, &only);
  const int error = ::pthread_setaffinity_np(thread->native_handle(), sizeof(only), &only);
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cpu ", cpu, ": ", std::strerror(error), "; give a core that this process may use"));
}

}  // namespace

// Owns everything of one Start.
class NullEndpoint::Server {
 public:
  explicit Server(const NullOptions& options)
      : options_(options),
        chat_(NullReply::Api::kChat, options.model, options.event_bytes),
        text_(NullReply::Api::kText, options.model, options.event_bytes) {}
  ~Server() {
    if (!thread_.joinable()) return;
    loop_->Stop();
    thread_.join();
  }

  absl::StatusOr<int> Open() {
    const NullSchedule schedule(Nanos(options_.first_token_ms), Nanos(options_.inter_token_ms));
    std::unique_ptr<SendLog> log;
    if (!options_.send_log.empty()) {
      auto created = SendLog::Create(options_.send_log, schedule.first_ns(), schedule.gap_ns());
      if (!created.ok()) return created.status();
      log = *std::move(created);
    }
    const absl::StatusOr<int> listener = ListenOn(options_.host, options_.port);
    if (!listener.ok()) return listener.status();
    const int port = PortOf(*listener);
    url_ = UrlOf("http", options_.host, port);
    loop_.emplace(*listener, &chat_, &text_, schedule, std::move(log));
    thread_ = std::thread([this] { loop_->Run(); });
    const absl::Status pinned = Pin(&thread_, options_.cpu);
    if (!pinned.ok()) return pinned;
    return port;
  }
  const std::string& url() const { return url_; }

 private:
  const NullOptions options_;
  const NullReply chat_, text_;
  std::string url_;
  std::optional<NullLoop> loop_;
  std::thread thread_;
};

NullEndpoint::NullEndpoint() = default;

NullEndpoint::~NullEndpoint() = default;

absl::StatusOr<int> NullEndpoint::Start(const NullOptions& options) {
  if (server_ != nullptr) return absl::FailedPreconditionError("the null endpoint runs already");
  absl::Status status = Check(options);
  if (!status.ok()) return status;
  RaiseFileLimit();
  auto server = std::make_unique<Server>(options);
  absl::StatusOr<int> port = server->Open();
  if (port.ok()) server_ = std::move(server);
  return port;
}

std::string NullEndpoint::url() const { return server_->url(); }

void NullEndpoint::Stop() { server_.reset(); }

}  // namespace tidemark
