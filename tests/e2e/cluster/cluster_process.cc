#include "tests/e2e/cluster/cluster_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "tests/integration/simulator/plain_http.h"

namespace tidemark::testing {
namespace {

constexpr int64_t kStartMs = 30'000;  // on a machine that builds something else meanwhile
constexpr int64_t kEndMs = 10'000;
constexpr size_t kShown = 6'000;      // bytes of each log
constexpr char kToken[] = "a-token-of-a-test";
constexpr char kTokenHash[] = "62f3158bcd585c618d8131325fd1b5580efc023a2ba30d38d243b9fad92cb05f";

// The port of the line "listening service=NAME address=HOST:PORT"; 0 when there is none.
int BoundPort(const std::string& log, const std::string& service) {
  const size_t line = log.find(absl::StrCat("listening service=", service, " address="));
  if (line == std::string::npos) return 0;
  const std::string text = log.substr(line, log.find('\n', line) - line);
  return std::atoi(text.c_str() + text.rfind(':') + 1);
}

Flags Joined(Flags a, const Flags& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Flags FlagsOf(const TlsFiles& files) {
  return {"--tls-cert", files.cert, "--tls-key", files.key, "--tls-ca", files.ca};
}

std::string End(const std::string& log) { return log.size() > kShown ? "…" + log.substr(log.size() - kShown) : log; }

// ASan wants to come first; the library allocates nothing before main.
std::vector<std::string> Preload(const std::string& variable) {
  return {absl::StrCat("LD_PRELOAD=", TIDEMARK_OTHER_HOST), variable, "ASAN_OPTIONS=verify_asan_link_order=0"};
}

}  // namespace

AgentOptions WithName(const std::string& name, const std::string& ip) {
  AgentOptions options;
  options.environment = Preload(absl::StrCat("OTHER_HOST_NAMES=", name, "=", ip));
  return options;
}

AgentOptions WithWallClockAhead(int64_t seconds) {
  AgentOptions options;
  options.environment = Preload(absl::StrCat("OTHER_HOST_SECONDS=", seconds));
  return options;
}

Cluster::Cluster(ClusterOptions options) : options_(std::move(options)) {
  if (options_.tls) {
    certificates_ = std::make_unique<ClusterCertificates>();
    token_ = kToken;
    folder_.Write("tokens", absl::StrCat("tester ", kTokenHash, "\n"));
    folder_.Write("token", token_);
  }
  StartCoordinator();
  absl::StatusOr<std::unique_ptr<BenchmarkClient>> client = BenchmarkClient::Create(ClientConnection(), &RealClock());
  EXPECT_TRUE(client.ok()) << client.status();
  if (client.ok()) client_ = *std::move(client);
}

Cluster::~Cluster() {
  for (const auto& [id, agent] : agents_) agent->Signal(SIGKILL);
  coordinator_->Signal(SIGKILL);
  if (::testing::Test::HasFailure()) std::cerr << Logs();
}

// ---- processes ----------------------------------------------------------------------------------

Flags Cluster::TlsFlagsOf(const std::string& name) const {
  return certificates_ ? FlagsOf(certificates_->Of(name)) : Flags{"--plaintext"};
}

ProcessOptions Cluster::CoordinatorCommand() const {
  ProcessOptions process;
  process.arguments = {TIDEMARK_BIN_DIR "/tidemark-coordinator",
                       "--listen", absl::StrCat(options_.host, ":", port_),
                       "--http", absl::StrCat("127.0.0.1:", http_port_),
                       "--health", "127.0.0.1:0",
                       "--data-dir", folder_.File("data")};
  if (certificates_) process.arguments = Joined(process.arguments, {"--tokens-file", folder_.File("tokens")});
  process.arguments = Joined(Joined(process.arguments, TlsFlagsOf("coordinator")), options_.coordinator_flags);
  return process;
}

ProcessOptions Cluster::AgentCommand(const std::string& id, const AgentOptions& options) const {
  const std::string host = options.coordinator_host.empty() ? options_.host : options.coordinator_host;
  const std::string spool = options.spool_dir.empty() ? folder_.File("spool-" + id) : options.spool_dir;
  ProcessOptions process;
  process.arguments = Joined(options.under, {TIDEMARK_BIN_DIR "/tidemark-agent",
                                             "--coordinator", absl::StrCat(host, ":", port_),
                                             "--id", id, "--http", "127.0.0.1:0", "--health", "127.0.0.1:0",
                                             "--capacity", absl::StrCat(options.capacity), "--loops", "1",
                                             "--spool-dir", spool});
  process.arguments = Joined(process.arguments, options.tls ? FlagsOf(*options.tls) : TlsFlagsOf("agent"));
  process.environment = options.environment;
  return process;
}

void Cluster::StartCoordinator() {
  if (coordinator_) KeepLog("coordinator", *coordinator_);
  coordinator_ = std::make_unique<Process>(CoordinatorCommand());
  // gRPC's port comes last: then all is ready.
  const bool listens = Eventually(kStartMs, [this] {
    return BoundPort(coordinator_->err(), "grpc") > 0 || !coordinator_->Running();
  });
  port_ = BoundPort(coordinator_->err(), "grpc");
  http_port_ = BoundPort(coordinator_->err(), "http");
  EXPECT_TRUE(listens && port_ > 0 && http_port_ > 0) << "the coordinator did not start:\n" << coordinator_->err();
}

void Cluster::KillCoordinator() const { kill(coordinator_->pid(), SIGKILL); }

void Cluster::RestartCoordinator() {
  EXPECT_TRUE(coordinator_->Wait(kEndMs).has_value()) << "the coordinator was not killed";
  StartCoordinator();
}

void Cluster::StartAgents(int count, const AgentOptions& options) {
  for (int i = 0; i < count; ++i) {
    StartAgent(std::string(1, static_cast<char>('a' + i)), options);
    if (i == 0) WaitForAgents(1);
  }
  WaitForAgents(count);
}

void Cluster::StartAgent(const std::string& id, const AgentOptions& options) {
  std::unique_ptr<Process>& agent = agents_[id];
  if (agent) KeepLog("agent " + id, *agent);
  agent = std::make_unique<Process>(AgentCommand(id, options));
}

void Cluster::SignalAgent(const std::string& id, int signal) const { kill(agents_.at(id)->pid(), signal); }

void Cluster::KillAgent(const std::string& id) const { SignalAgent(id, SIGKILL); }

std::vector<std::string> Cluster::AgentIds() {
  std::vector<std::string> ids;
  const absl::StatusOr<v1::ListAgentsResponse> agents = client_->ListAgents();
  EXPECT_TRUE(agents.ok()) << agents.status();
  if (!agents.ok()) return ids;
  for (const v1::Agent& agent : agents->agents()) ids.push_back(agent.id());
  return ids;
}

void Cluster::WaitForAgents(int count) {
  EXPECT_TRUE(Eventually(kStartMs, [&] { return static_cast<int>(AgentIds().size()) >= count; }))
      << "there are " << AgentIds().size() << " agents of " << count;
}

// ---- what it is asked ---------------------------------------------------------------------------

std::string Cluster::address() const { return absl::StrCat(options_.host, ":", port_); }

Connection Cluster::ClientConnection() const {
  Connection connection;
  connection.coordinator = address();
  connection.plaintext = certificates_ == nullptr;
  connection.token = token_;
  if (!certificates_) return connection;
  const TlsFiles files = certificates_->Of("client");
  connection.tls_cert = files.cert;
  connection.tls_key = files.key;
  connection.tls_ca = files.ca;
  return connection;
}

Flags Cluster::ClientFlags() const {
  const Flags flags = Joined({"--coordinator", address()}, TlsFlagsOf("client"));
  return token_.empty() ? flags : Joined(flags, {"--token-file", folder_.File("token")});
}

std::string Cluster::CreateJob(const std::string& job_yaml) {
  static int jobs = 0;
  v1::CreateJobRequest request;
  request.set_client_request_id(absl::StrCat("test-", ++jobs));
  request.set_job_yaml(job_yaml);
  const absl::StatusOr<v1::Job> job = client_->CreateJob(request);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? job->id() : "";
}

v1::Result Cluster::ResultOf(const std::string& job_id) {
  const absl::StatusOr<v1::Result> result = client_->GetResult(job_id);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : v1::Result();
}

std::string Cluster::FilesOf(const std::string& job_id) {
  const std::string folder = folder_.File("files-" + job_id);
  Cancellation never;
  const auto files = client_->DownloadArtifacts(job_id, /*without_records=*/false, folder, &never);
  EXPECT_TRUE(files.ok()) << files.status();
  return folder;
}

Exposition Cluster::Metrics() const { return ParseExposition(PlainHttp(http_port_).Get("/metrics").body()); }

// ---- logs ---------------------------------------------------------------------------------------

void Cluster::KeepLog(const std::string& name, const Process& process) {
  absl::StrAppend(&old_logs_, "---- ", name, " (an earlier one)\n", End(process.out() + process.err()));
}

std::string Cluster::Logs() const {
  std::string logs = old_logs_;
  absl::StrAppend(&logs, "---- coordinator\n", End(coordinator_->out() + coordinator_->err()));
  for (const auto& [id, agent] : agents_) {
    absl::StrAppend(&logs, "---- agent ", id, "\n", End(agent->out() + agent->err()));
  }
  return logs;
}

}  // namespace tidemark::testing
