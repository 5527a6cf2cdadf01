#include "agent/program/agent_program.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/engine/engine.h"
#include "agent/exporter/agent_metrics.h"
#include "agent/program/session_log.h"
#include "agent/program/spool_folder.h"
#include "agent/session/agent_session.h"
#include "agent/session/coordinator_channel.h"
#include "agent/session/host_facts.h"
#include "agent/session/selftest_record.h"
#include "agent/session/target_policy.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/environment/environment.h"
#include "common/environment/process_environment.h"
#include "common/exposition/monitoring_routes.h"
#include "common/local_address/source_address.h"
#include "common/log/log.h"
#include "common/rpc/health_server.h"
#include "common/rpc/listen_address.h"

namespace tidemark {
namespace {

// Checks what flags give it; the functions keep what they use.
absl::StatusOr<TargetAccess> MakeAccess(const AgentSettings& settings) {
  const std::string& dir = settings.secrets.dir;
  std::error_code error;
  if (!dir.empty() && !std::filesystem::is_directory(dir, error)) {
    return absl::InvalidArgumentError(absl::StrCat("--secrets-dir is ", dir, ": want a folder that is there and can be read"));
  }
  absl::StatusOr<SecretSource> secrets = SecretSource::Create(settings.secrets, RealSecretReader());
  if (!secrets.ok()) return secrets.status();
  absl::StatusOr<TargetPolicy> targets = TargetPolicy::Create(settings.allow_target);
  if (!targets.ok()) return targets.status();
  TargetAccess access;
  access.secret = [source = *std::move(secrets)](const std::string& name, const SecretDestination& to) {
    return source.Resolve(name, to.host, to.port, to.unprotected);
  };
  access.address = [policy = *std::move(targets)](const std::string& host, const std::string& ip, uint16_t port) {
    return policy.Check(host, ip, port);
  };
  absl::StatusOr<std::vector<SourceAddress>> sources = ParseSourceAddresses(settings.source_addresses);
  if (!sources.ok()) return sources.status();
  access.sources = *std::move(sources);
  return access;
}

// What its selftest found, where that holds here.
std::optional<SelftestRecord> SelftestOf(const AgentSettings& settings) {
  const std::string path = settings.selftest_file.empty() ? SelftestPath(ProcessEnvironment()) : settings.selftest_file;
  KeptSelftest kept = LoadSelftest(path, KeyOfThisHost());
  if (!kept.why_not.empty()) Log(LogLevel::kWarning, kept.why_not);
  return kept.record;
}

// The agent's parts, in the order in which they need each other.
class AgentProgram {
 public:
  AgentProgram(const AgentSettings& settings, Termination* termination, const Clock* clock)
      : settings_(settings), termination_(termination), clock_(clock), log_(!settings.daemon.security.plaintext) {}

  absl::Status Start() {
    absl::StatusOr<TargetAccess> access = MakeAccess(settings_);
    if (!access.ok()) return access.status();
    if (absl::Status s = CheckSecurity(settings_.daemon.security, Role::kAgent, clock_->WallNanos()); !s.ok()) return s;
    if (const auto raised = RaiseDescriptorLimit(); !raised.ok()) return raised.status();
    const auto sources = static_cast<uint32_t>(std::max<size_t>(1, access->sources.size()));
    hello_ = BuildHello({settings_.id, static_cast<uint32_t>(settings_.capacity), sources, SelftestOf(settings_)});
    if (absl::Status s = OpenSpool(); !s.ok()) return s;
    if (absl::Status s = Listen(); !s.ok()) return s;
    StartSession(*std::move(access));
    health_->SetServing(true);
    return absl::OkStatus();
  }

  void End() { health_->SetServing(false); }

 private:
  absl::Status OpenSpool() {
    absl::StatusOr<std::unique_ptr<SpoolFolder>> spool = SpoolFolder::Open(settings_.spool_dir, hello_.agent_id());
    if (!spool.ok()) return spool.status();
    spool_ = *std::move(spool);
    return absl::OkStatus();
  }

  absl::Status Listen() {
    auto health = HealthServer::Start(*ParseListenAddress("--health", settings_.daemon.health));
    if (!health.ok()) return health.status();
    health_ = *std::move(health);
    LogListening("health", ToString(health_->address()));
    AgentMetricsOptions options;
    options.version = VersionString();
    options.agent_id = hello_.agent_id();
    options.capacity = hello_.capacity().streams();
    options.spool_dir = spool_->path();
    options.spool_limit_bytes = EngineOptions().spool_limit_bytes;
    metrics_ = std::make_unique<AgentMetrics>(std::move(options), clock_);
    auto http = HttpServer::Start(HttpOptionsOf(settings_.daemon),
                                  MonitoringRoutes([this] { return metrics_->Text(); },
                                                   [this] { return metrics_->WhyNotReady(); }),
                                  clock_);
    if (!http.ok()) return absl::Status(http.status().code(), absl::StrCat("--http: ", http.status().message()));
    http_ = *std::move(http);
    LogListening("http", http_->address());
    return absl::OkStatus();
  }

  void StartSession(TargetAccess access) {
    EngineOptions engine;
    engine.loops = static_cast<uint32_t>(settings_.loops);
    engine.spool_dir = spool_->path();
    engine.access = access;
    engine_ = NewCurlEngine(std::move(engine), clock_);
    AgentSessionOptions session;
    session.hello = hello_;
    session.channel = DialCoordinator(settings_.coordinator, settings_.daemon.security);
    session.engine = engine_.get();
    session.prober.access = std::move(access);
    session.observe = [this](const SessionStep& step) {
      metrics_->OnStep(step);
      log_.OnStep(step);
    };
    session.exited = [this](const std::string& reason, bool failed) {
      if (failed) Log(LogLevel::kError, "the agent cannot go on", {{"reason", reason}});
      termination_->End(failed ? kExitCannotRun : kExitEnded);
    };
    Log(LogLevel::kInfo, "agent starts",
        {{"id", hello_.agent_id()}, {"build", hello_.build()}, {"coordinator", settings_.coordinator},
         {"capacity", absl::StrCat(hello_.capacity().streams())}, {"capacity_source", hello_.capacity().source()}});
    session_ = std::make_unique<AgentSession>(std::move(session), clock_);
  }

  const AgentSettings& settings_;
  Termination* const termination_;
  const Clock* const clock_;
  v1::Hello hello_;
  std::unique_ptr<SpoolFolder> spool_;
  std::unique_ptr<HealthServer> health_;
  std::unique_ptr<AgentMetrics> metrics_;
  std::unique_ptr<HttpServer> http_;
  SessionLog log_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<AgentSession> session_;
};

}  // namespace

absl::StatusOr<int> RunAgent(const AgentSettings& settings, Termination* termination, const Clock* clock) {
  AgentProgram program(settings, termination, clock);
  if (absl::Status status = program.Start(); !status.ok()) return status;
  const int exit_code = termination->Wait();
  program.End();
  return exit_code;
}

}  // namespace tidemark
