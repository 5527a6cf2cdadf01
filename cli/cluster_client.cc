#include "cli/cluster_client.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/contexts.h"

namespace tidemark {
namespace {

std::string Variable(const std::vector<std::string>& environment, absl::string_view name) {
  const std::string start = absl::StrCat(name, "=");
  for (const std::string& entry : environment) {
    if (absl::StartsWith(entry, start)) return entry.substr(start.size());
  }
  return "";
}

}  // namespace

ConnectionFlags ConnectionFlagsOf(const ClusterSettings& cluster, const std::vector<std::string>& environment) {
  ConnectionFlags flags;
  flags.coordinator = cluster.coordinator;
  flags.context = cluster.context;
  flags.plaintext = cluster.plaintext;
  flags.tls_cert = cluster.tls_cert;
  flags.tls_key = cluster.tls_key;
  flags.tls_ca = cluster.tls_ca;
  flags.token_file = cluster.token_file;
  flags.token = Variable(environment, "TIDEMARK_TOKEN");
  flags.home = Variable(environment, "HOME");
  flags.contexts_path = ContextsPath(Variable(environment, "XDG_CONFIG_HOME"), flags.home);
  return flags;
}

absl::StatusOr<ClusterClient> MakeClusterClient(const ClusterSettings& cluster,
                                                const std::vector<std::string>& environment, bool use_current,
                                                const Clock* clock, const BenchmarkClientLimits& limits,
                                                const std::function<void(const std::string&)>& say) {
  const absl::StatusOr<ChosenConnection> chosen =
      ChooseConnection(ConnectionFlagsOf(cluster, environment), use_current);
  if (!chosen.ok()) return chosen.status();
  if (!chosen->warning.empty()) say(chosen->warning);
  absl::StatusOr<std::unique_ptr<BenchmarkClient>> client = BenchmarkClient::Create(
      chosen->connection, clock, limits,
      [say](const absl::Status& status) { say(absl::StrCat(status.message(), "; trying again")); });
  if (!client.ok()) return client.status();
  const std::string& address = chosen->connection.coordinator;
  return ClusterClient{*std::move(client),
                       chosen->context.empty() ? address : absl::StrCat(chosen->context, " (", address, ")")};
}

}  // namespace tidemark
