#include "cli/one_host.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/engine.h"
#include "agent/session/agent_session.h"
#include "agent/session/host_facts.h"
#include "cli/job_view.h"
#include "cli/law_statement.h"
#include "common/mutex.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/exporter/coordinator_metrics.h"
#include "coordinator/exporter/metrics_endpoint.h"

namespace tidemark {
namespace {

constexpr char kAgentId[] = "local";
constexpr int kMaxMessageBytes = 4 << 20;  // a histogram alone may exceed the usual 64 KiB

class OneHostRunner final : public Runner {
 public:
  OneHostRunner(std::string version, const Clock* clock) : version_(std::move(version)), clock_(clock) {}

  absl::StatusOr<v1::Result> Run(const RunRequest& request, const RunCallbacks& callbacks) override {
    CoordinatorMetrics metrics(version_);
    const absl::StatusOr<std::unique_ptr<HttpServer>> pages = ServeMetrics(request, callbacks, &metrics);
    if (!pages.ok()) return pages.status();
    const absl::StatusOr<std::unique_ptr<Coordinator>> coordinator =
        Coordinator::Start(Options(), nullptr, &metrics, clock_);
    if (!coordinator.ok()) return coordinator.status();
    const auto service = NewSessionService(coordinator->get(), nullptr);
    grpc::ServerBuilder builder;
    builder.RegisterService(service.get());
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) return absl::InternalError("the in-process gRPC server did not start");
    absl::StatusOr<v1::Result> result = RunJob(request, callbacks, **coordinator, *server);
    server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5));
    if (result.ok() && request.simulator) AddLawStatement(request.spec, &*result);
    return result;
  }

  void Stop(bool now) override {
    MutexLock lock(mutex_);
    stop_ = now ? 2 : std::max(stop_, 1);
    if (coordinator_ != nullptr) TellStop();
  }

 private:
  CoordinatorOptions Options() const {
    CoordinatorOptions options;
    options.tool_version = version_;
    options.environment = DescribeEnvironment();
    options.one_host = true;
    return options;
  }

  // Null when none are asked for.
  absl::StatusOr<std::unique_ptr<HttpServer>> ServeMetrics(const RunRequest& request, const RunCallbacks& callbacks,
                                                           const CoordinatorMetrics* metrics) const {
    if (request.http.empty()) return nullptr;
    HttpServerOptions options;
    options.listen = request.http;
    absl::StatusOr<std::unique_ptr<HttpServer>> server =
        StartMetricsEndpoint(std::move(options), metrics, [] { return std::string(); }, clock_);
    if (!server.ok()) return absl::Status(server.status().code(), absl::StrCat("http is ", request.http, ": ", server.status().message()));
    if (callbacks.note) callbacks.note(absl::StrCat("metrics: http://", (*server)->address(), "/metrics"));
    return server;
  }

  void TellStop() TIDEMARK_REQUIRES(mutex_) {
    v1::StopJobRequest stop;
    stop.set_job_id(job_id_);
    stop.set_now(stop_ > 1);
    coordinator_->StopJob(std::move(stop), [](const absl::StatusOr<v1::Job>&) {});
  }

  // The job that Stop reaches; one that was asked for before is told at once.
  void Register(Coordinator* coordinator, const std::string& job_id) {
    MutexLock lock(mutex_);
    coordinator_ = coordinator;
    job_id_ = job_id;
    if (coordinator != nullptr && stop_ > 0) TellStop();
  }

  absl::StatusOr<v1::Result> RunJob(const RunRequest& request, const RunCallbacks& callbacks, Coordinator& coordinator,
                                    grpc::Server& server) {
    const std::string id =
        coordinator.Submit({request.spec, request.job_yaml, request.command, request.output_dir});
    v1::WatchJobRequest watch;
    watch.set_job_id(id);
    const auto planned = static_cast<uint32_t>(request.spec.concurrency.size());
    const uint64_t watcher = coordinator.Watch(
        watch, [&callbacks, planned](const v1::JobUpdate& update) { Show(update, planned, callbacks); },
        [this](const absl::Status&) { SetEnded(); });
    Register(&coordinator, id);
    RunAgent(request, server);
    Register(nullptr, "");
    coordinator.Unwatch(watcher);
    return ResultOf(coordinator, id);
  }

  static void Show(const v1::JobUpdate& update, uint32_t levels_planned, const RunCallbacks& callbacks) {
    if (update.has_progress() && callbacks.progress) callbacks.progress(ToLiveProgress(update.progress(), levels_planned));
    if (update.has_level() && callbacks.level_done) callbacks.level_done(update.level());
    if (update.has_note() && callbacks.note) callbacks.note(update.note().text());
  }

  void SetEnded() {
    MutexLock lock(mutex_);
    ended_ = true;
    changed_.NotifyAll();
  }

  // Asked once the job has ended: the answer is at hand.
  absl::StatusOr<v1::Result> ResultOf(Coordinator& coordinator, const std::string& id) {
    coordinator.GetResult(id, [this](absl::StatusOr<v1::GetResultResponse> response) {
      MutexLock lock(mutex_);
      if (response.ok()) result_ = std::move(*response->mutable_result());
      if (!response.ok()) result_ = response.status();
      changed_.NotifyAll();
    });
    MutexLock lock(mutex_);
    while (!result_) changed_.WaitFor(mutex_, kNanosPerSecond);
    return *std::exchange(result_, std::nullopt);
  }

  // Lives for the job: the agent dials in, works, and leaves when the result is there.
  void RunAgent(const RunRequest& request, grpc::Server& server) {
    EngineOptions engine_options;
    engine_options.loops = request.loops;
    engine_options.spool_dir = request.journal_dir;
    // The user's own job and environment: every target, and every key the job names.
    engine_options.access.secret = [](const std::string& name, const SecretDestination&) { return Secret(name); };
    engine_options.access.sources = request.sources;
    const TargetAccess access = engine_options.access;
    const std::unique_ptr<Engine> engine = NewCurlEngine(std::move(engine_options), clock_);
    AgentSessionOptions session;
    const auto sources = static_cast<uint32_t>(std::max<size_t>(1, request.sources.size()));
    session.hello = BuildHello({kAgentId, request.capacity, sources, request.selftest});
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
    session.channel = server.InProcessChannel(arguments);
    session.engine = engine.get();
    session.prober.access = access;
    const AgentSession agent(std::move(session), clock_);
    WaitForEnd();
  }

  static std::string Secret(const std::string& name) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  }

  // Bounded by the job: every phase of it has its own deadline.
  void WaitForEnd() {
    MutexLock lock(mutex_);
    while (!ended_) changed_.WaitFor(mutex_, kNanosPerSecond);
  }

  const std::string version_;
  const Clock* const clock_;
  Mutex mutex_;
  CondVar changed_;
  Coordinator* coordinator_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;  // while the job can be stopped
  std::string job_id_ TIDEMARK_GUARDED_BY(mutex_);
  int stop_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // 1: drain, 2: at once
  bool ended_ TIDEMARK_GUARDED_BY(mutex_) = false;
  std::optional<absl::StatusOr<v1::Result>> result_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Runner> NewOneHostRunner(const std::string& version, const Clock* clock) {
  return std::make_unique<OneHostRunner>(version, clock);
}

}  // namespace tidemark
