// A cluster of real processes: one coordinator and its agents, on this host.
#ifndef TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_PROCESS_H_
#define TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/benchmark_client.h"
#include "proto/tidemark/v1/result.pb.h"
#include "tests/support/cluster_certificates.h"
#include "tests/support/exposition.h"
#include "tests/support/process.h"

namespace tidemark::testing {

using Flags = std::vector<std::string>;

struct ClusterOptions {
  bool tls = false;                // mutual TLS and a bearer token; else in the clear
  std::string host = "127.0.0.1";  // where the coordinator listens
  Flags coordinator_flags = {};    // more of them
};

struct AgentOptions {
  int capacity = 64;
  std::string spool_dir = {};                 // empty: one of its own
  std::optional<TlsFiles> tls = {};           // instead of a right agent's
  std::vector<std::string> environment = {};  // "K=V"
  Flags under = {};                           // a program that runs it, such as {"unshare", "--time"}
  std::string coordinator_host = {};          // as this agent sees it; empty: the cluster's
};

// An agent for which `name` has the address `ip`: its part of the load goes there, as in another zone.
AgentOptions WithName(const std::string& name, const std::string& ip);
// An agent whose wall clock is `seconds` ahead of this host's.
AgentOptions WithWallClockAhead(int64_t seconds);

// Everything dies with it. When the test has failed by then, the end of each log is shown. Thread-compatible, but for
// Kill… and Signal…, which only send a signal and may be called on any thread while the process is there.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // On the same data directory each time, and on the same ports as the first time. Fails the test when it does not
  // listen in time. The constructor has done it once.
  void StartCoordinator();
  void KillCoordinator() const;
  // After a kill: until it is gone, and then a new one.
  void RestartCoordinator();

  // "a", "b", "c", … one joins after the other, so that the first is the one that probes. `options` are of all.
  void StartAgents(int count, const AgentOptions& options = {});
  // A second time: a new process of the same id.
  void StartAgent(const std::string& id, const AgentOptions& options = {});
  void SignalAgent(const std::string& id, int signal) const;
  void KillAgent(const std::string& id) const;
  void WaitForAgents(int count);
  std::vector<std::string> AgentIds();

  BenchmarkClient& client() { return *client_; }
  // Fails the test, and gives an empty id, when it is refused.
  std::string CreateJob(const std::string& job_yaml);
  v1::Result ResultOf(const std::string& job_id);
  // The job's files, in a folder of the cluster's.
  std::string FilesOf(const std::string& job_id);
  // /metrics as it is now. In the clear only.
  Exposition Metrics() const;

  // What a process is started with, for those that a test starts itself.
  ProcessOptions CoordinatorCommand() const;
  ProcessOptions AgentCommand(const std::string& id, const AgentOptions& options = {}) const;
  // Flags with which `tidemark` calls this coordinator.
  Flags ClientFlags() const;
  std::string address() const;  // HOST:PORT of gRPC
  const ClusterCertificates& certificates() const { return *certificates_; }
  const TemporaryFolder& folder() const { return folder_; }
  const std::string& token() const { return token_; }
  Process& coordinator() { return *coordinator_; }
  Process& agent(const std::string& id) { return *agents_.at(id); }
  // Everything that was logged, of processes that are gone too.
  std::string Logs() const;

 private:
  Flags TlsFlagsOf(const std::string& name) const;
  Connection ClientConnection() const;
  void KeepLog(const std::string& name, const Process& process);

  const ClusterOptions options_;
  const TemporaryFolder folder_;
  std::unique_ptr<ClusterCertificates> certificates_;  // null: in the clear
  std::string token_;                                  // empty: none
  int port_ = 0, http_port_ = 0;                       // 0: any free one
  std::unique_ptr<Process> coordinator_;
  std::map<std::string, std::unique_ptr<Process>> agents_;
  std::unique_ptr<BenchmarkClient> client_;
  std::string old_logs_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_E2E_CLUSTER_CLUSTER_PROCESS_H_
