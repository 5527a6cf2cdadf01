#include "coordinator/program/coordinator_program.h"

#include <atomic>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/environment/environment.h"
#include "common/rpc/health_server.h"
#include "common/rpc/listen_address.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/exporter/metrics_endpoint.h"
#include "coordinator/rpc/authorizer.h"
#include "coordinator/rpc/benchmark_service.h"
#include "coordinator/rpc/rpc_server.h"
#include "coordinator/rpc/session_service.h"
#include "coordinator/store/job_store.h"

namespace tidemark {
namespace {

// Calls under way have this long once the end has begun.
constexpr int64_t kCallLimit = 3 * kNanosPerSecond;

// The coordinator's parts, in the order in which they need each other.
class CoordinatorProgram {
 public:
  CoordinatorProgram(const CoordinatorSettings& settings, const Clock* clock) : settings_(settings), clock_(clock) {}

  absl::Status Start() {
    const TransportSecurity& security = settings_.daemon.security;
    if (absl::Status s = CheckSecurity(security, Role::kCoordinator, clock_->WallNanos()); !s.ok()) return s;
    auto authorizer = Authorizer::Create({!security.plaintext, settings_.tokens_file});
    if (!authorizer.ok()) return authorizer.status();
    authorizer_ = *std::move(authorizer);
    if (const auto raised = RaiseDescriptorLimit(); !raised.ok()) return raised.status();
    auto store = JobStore::Open(settings_.data_dir);
    if (!store.ok()) return absl::Status(store.status().code(), absl::StrCat("--data-dir: ", store.status().message()));
    Log(LogLevel::kInfo, "coordinator starts",
        {{"build", BuildString()}, {"data_dir", settings_.data_dir}, {"store", (*store)->epoch().store_uuid},
         {"start", absl::StrCat((*store)->epoch().counter)}});
    if (absl::Status s = ListenForHealth(); !s.ok()) return s;
    metrics_ = std::make_unique<CoordinatorMetrics>(VersionString());
    auto coordinator = Coordinator::Start(Options(), *std::move(store), metrics_.get(), clock_);
    if (!coordinator.ok()) {
      return absl::Status(coordinator.status().code(), absl::StrCat("--data-dir: ", coordinator.status().message()));
    }
    coordinator_ = *std::move(coordinator);
    return Listen();
  }

  // In the order in which others notice: probes and Prometheus, then clients and agents.
  void End() {
    ready_ = false;
    health_->SetServing(false);
    coordinator_->Shutdown();
    rpc_->Shutdown(kCallLimit);
  }

 private:
  CoordinatorOptions Options() const {
    CoordinatorOptions options;
    options.tool_version = VersionString();
    options.environment = DescribeHost();
    options.results_dir = absl::StrCat(settings_.data_dir, "/results");
    options.agent_wait = static_cast<int64_t>(settings_.agent_wait_s) * kNanosPerSecond;
    options.max_agents = settings_.max_agents;
    options.max_jobs = settings_.max_jobs;
    return options;
  }

  absl::Status ListenForHealth() {
    auto health = HealthServer::Start(*ParseListenAddress("--health", settings_.daemon.health));
    if (!health.ok()) return health.status();
    health_ = *std::move(health);
    LogListening("health", ToString(health_->address()));
    return absl::OkStatus();
  }

  absl::Status Listen() {
    auto http = StartMetricsEndpoint(HttpOptions(), metrics_.get(), [this] { return WhyNotReady(); }, clock_);
    if (!http.ok()) return absl::Status(http.status().code(), absl::StrCat("--http: ", http.status().message()));
    http_ = *std::move(http);
    LogListening("http", http_->address());
    sessions_ = NewSessionService(coordinator_.get(), authorizer_.get());
    benchmark_ = NewBenchmarkService(coordinator_.get(), authorizer_.get());
    auto rpc = RpcServer::Start(*ParseListenAddress("--listen", settings_.listen), settings_.daemon.security,
                                authorizer_->wants_tokens(), {sessions_.get(), benchmark_.get()});
    if (!rpc.ok()) return rpc.status();
    rpc_ = *std::move(rpc);
    LogListening("grpc", ToString(rpc_->address()));
    ready_ = true;
    health_->SetServing(true);
    return absl::OkStatus();
  }

  HttpServerOptions HttpOptions() {
    HttpServerOptions options = HttpOptionsOf(settings_.daemon);
    if (authorizer_->wants_tokens()) {
      options.token_allowed = [this](absl::string_view token) { return authorizer_->KnowsToken(token); };
    }
    return options;
  }

  std::string WhyNotReady() const { return ready_ ? "" : "it starts or ends"; }

  const CoordinatorSettings& settings_;
  const Clock* const clock_;
  std::atomic<bool> ready_{false};
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<HealthServer> health_;
  std::unique_ptr<CoordinatorMetrics> metrics_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<v1::AgentSession::CallbackService> sessions_;
  std::unique_ptr<v1::Benchmark::CallbackService> benchmark_;
  std::unique_ptr<RpcServer> rpc_;
};

}  // namespace

absl::StatusOr<int> RunCoordinator(const CoordinatorSettings& settings, Termination* termination, const Clock* clock) {
  CoordinatorProgram program(settings, clock);
  if (absl::Status status = program.Start(); !status.ok()) return status;
  const int exit_code = termination->Wait();
  program.End();
  return exit_code;
}

}  // namespace tidemark
