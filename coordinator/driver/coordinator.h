#ifndef TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_H_
#define TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock/clock.h"
#include "common/session/lease.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/exporter/coordinator_metrics.h"
#include "coordinator/rpc/benchmark_service.h"
#include "coordinator/rpc/session_service.h"
#include "coordinator/store/job_store.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

class CoordinatorCore;

struct CoordinatorOptions {
  std::string tool_version;
  v1::Environment environment;  // of results
  std::string results_dir;      // <results_dir>/<job id>/ takes the files of a job that was created by the API
  bool one_host = false;        // the only agent is this process: what it cannot carry is refused at once
  int64_t agent_wait = 60'000'000'000;    // ns
  int64_t lease = kDefaultLease;          // ns
  int64_t heartbeat = kDefaultHeartbeat;  // ns
  size_t max_agents = 1'000;
  size_t max_jobs = 1'000;      // kept, those that have ended included
};

// A job of this very process: nothing of it needs to be text.
struct LocalJob {
  JobSpec spec;
  std::string job_yaml;              // for the result
  std::vector<std::string> command;  // for the result
  std::string artifact_dir;          // takes records; other files are left to the caller
};

// The coordinator: keeps the session with every agent, runs jobs one after the other, and answers the public
// API. One thread of its own owns all of it; entry points post to it. Jobs and finished levels are in the store
// before anything follows from them, so a new process goes on where the last one was killed. Thread-safe.
class Coordinator final : public SessionHandler, public BenchmarkHandler {
 public:
  // Without a store nothing outlives the process (a run on one host); `metrics` may be null. Goes on with the
  // store's jobs at once. `metrics` and `clock` must outlive it. Errors are the store's, when its jobs cannot be read:
  // that must not look like a store without jobs.
  static absl::StatusOr<std::unique_ptr<Coordinator>> Start(CoordinatorOptions options, std::unique_ptr<JobStore> store,
                                                            CoordinatorMetrics* metrics, const Clock* clock);
  // REQUIRES: the servers that call it are shut down. A job that runs stays as it is in the store.
  ~Coordinator() override;

  // Queues it, and returns its id.
  std::string Submit(LocalJob job);

  // Agents are told to cancel what runs, watchers end with Unavailable, no further job starts. Bounded.
  void Shutdown();

  // SessionHandler
  void OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) override;
  void OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) override;
  void OnClosed(const std::shared_ptr<AgentStream>& stream) override;
  void OnRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) override;

  // BenchmarkHandler
  void CreateJob(v1::CreateJobRequest request, std::string created_by, Answer<v1::Job> answer) override;
  void DescribeJob(std::string job_id, Answer<v1::Job> answer) override;
  void ListJobs(v1::ListJobsRequest request, Answer<v1::ListJobsResponse> answer) override;
  void StopJob(v1::StopJobRequest request, Answer<v1::Job> answer) override;
  void DeleteJob(std::string job_id, Answer<v1::DeleteJobResponse> answer) override;
  void GetResult(std::string job_id, Answer<v1::GetResultResponse> answer) override;
  void ListAgents(Answer<v1::ListAgentsResponse> answer) override;
  void ArtifactFolder(std::string job_id, Answer<std::string> answer) override;
  uint64_t Watch(v1::WatchJobRequest request, std::function<void(const v1::JobUpdate&)> update,
                 std::function<void(absl::Status)> ended) override;
  void Unwatch(uint64_t watcher) override;

 private:
  explicit Coordinator(std::unique_ptr<CoordinatorCore> core);

  const std::unique_ptr<CoordinatorCore> core_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_H_
