#include "agent/program/agent_settings.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "agent/session/host_facts.h"
#include "common/environment/environment.h"
#include "common/rpc/listen_address.h"

namespace tidemark {
namespace {

constexpr uint64_t kMostStreams = 1'000'000;
constexpr uint64_t kMostLoops = 1'024;

std::string TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return ((error ? "/tmp" : folder) / "tidemark-agent").string();
}

absl::Status Check(const AgentSettings& settings) {
  if (settings.coordinator.empty()) {
    return absl::InvalidArgumentError("--coordinator is missing: give the coordinator's HOST:PORT, like coordinator.example:7070");
  }
  if (const auto address = ParseDialAddress("--coordinator", settings.coordinator); !address.ok()) return address.status();
  if (!settings.id.empty() && AgentIdFrom(settings.id) != settings.id) {
    return absl::InvalidArgumentError(absl::StrCat("--id is \"", settings.id, "\": letters, digits, '.', '_' and '-' make one, 63 at most"));
  }
  if (const auto http = ParseListenAddress("--http", settings.daemon.http); !http.ok()) return http.status();
  return ParseListenAddress("--health", settings.daemon.health).status();
}

}  // namespace

AgentSettings::AgentSettings() : spool_dir(TemporaryFolder()) {
  daemon.http = "0.0.0.0:7081";
  daemon.health = "0.0.0.0:7091";
}

absl::StatusOr<std::optional<std::string>> ReadAgentSettings(const SettingSources& sources, AgentSettings* settings) {
  SettingsTable table("tidemark-agent", VersionString(), "sends its share of the load that a tidemark-coordinator spreads");
  table.Text("coordinator", "HOST:PORT", "where the coordinator listens for agents", &settings->coordinator);
  table.Text("id", "NAME", "its name, the same after each start: the pod's or host's unless given", &settings->id);
  table.Number("capacity", "N", "concurrent requests that it carries; 0: as its selftest found, or as many as the host's limits allow", 0, kMostStreams, &settings->capacity);
  table.Number("loops", "N", "event-loop threads; 0: one for each 2,000 requests, at most the cores", 0, kMostLoops, &settings->loops);
  table.Text("spool-dir", "DIR", "holds records of requests until the coordinator has them", &settings->spool_dir);
  table.Text("selftest-file", "FILE", "what tidemark selftest has found here; ~/.local/state/tidemark/selftest.json unless given", &settings->selftest_file);
  table.List("source-address", "IP[,IP…]", "addresses of this host that its connections come from, in turn; each has local ports of its own", &settings->source_addresses);
  table.Text("secrets-dir", "DIR", "files NAME with a key, NAME.hosts with the hosts that it may go to, one a line; http://HOST: also unprotected", &settings->secrets.dir);
  table.List("secret-env", "NAME@HOST[,HOST…]", "a variable of this process with a key, and the hosts that it may go to; http://HOST: also unprotected", &settings->secrets.env);
  table.List("allow-target", "PATTERN", "where load may go: host, *.domain, 10.0.0.0/8, each perhaps with :port; everywhere unless given", &settings->allow_target);
  AddDaemonSettings(&settings->daemon, &table);
  absl::StatusOr<std::optional<std::string>> read = table.Read(sources);
  if (!read.ok() || read->has_value()) return read;
  if (absl::Status status = Check(*settings); !status.ok()) return status;
  return read;
}

}  // namespace tidemark
