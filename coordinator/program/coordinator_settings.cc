#include "coordinator/program/coordinator_settings.h"

#include "common/environment/environment.h"
#include "common/rpc/listen_address.h"

namespace tidemark {
namespace {

constexpr uint64_t kMostWait = 86'400;  // s
constexpr uint64_t kMostJobs = 1'000'000;
constexpr uint64_t kMostAgents = 10'000;

absl::Status Check(const CoordinatorSettings& settings) {
  if (settings.data_dir.empty()) {
    return absl::InvalidArgumentError("--data-dir is missing: give a directory of its own for jobs and results, like /var/lib/tidemark");
  }
  if (const auto listen = ParseListenAddress("--listen", settings.listen); !listen.ok()) return listen.status();
  if (const auto http = ParseListenAddress("--http", settings.daemon.http); !http.ok()) return http.status();
  return ParseListenAddress("--health", settings.daemon.health).status();
}

}  // namespace

CoordinatorSettings::CoordinatorSettings() {
  daemon.http = "0.0.0.0:7080";
  daemon.health = "0.0.0.0:7090";
}

absl::StatusOr<std::optional<std::string>> ReadCoordinatorSettings(const SettingSources& sources,
                                                                   CoordinatorSettings* settings) {
  SettingsTable table("tidemark-coordinator", VersionString(), "takes jobs, and spreads their load over tidemark-agents");
  table.Text("listen", "HOST:PORT", "where agents and clients call, by gRPC; port 0 picks one", &settings->listen);
  table.Text("data-dir", "DIR", "holds jobs and results; for this process alone", &settings->data_dir);
  table.Text("tokens-file", "FILE", "lines \"name sha256-of-token\": clients then need a token; read again when it changes",
             &settings->tokens_file);
  table.Number("agent-wait", "S", "how long a job waits for agents that it lacks", 0, kMostWait, &settings->agent_wait_s);
  table.Number("max-jobs", "N", "jobs that are kept, those that have ended included", 1, kMostJobs, &settings->max_jobs);
  table.Number("max-agents", "N", "agents at a time", 1, kMostAgents, &settings->max_agents);
  AddDaemonSettings(&settings->daemon, &table);
  absl::StatusOr<std::optional<std::string>> read = table.Read(sources);
  if (!read.ok() || read->has_value()) return read;
  if (absl::Status status = Check(*settings); !status.ok()) return status;
  return read;
}

}  // namespace tidemark
