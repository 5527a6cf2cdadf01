// A coordinator for tests of the public API's two ends: jobs in memory, whose course the test says.
#ifndef TIDEMARK_TESTS_SUPPORT_FAKE_COORDINATOR_H_
#define TIDEMARK_TESTS_SUPPORT_FAKE_COORDINATOR_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/mutex.h"
#include "coordinator/rpc/benchmark_service.h"

namespace tidemark::testing {

// Thread-safe. Jobs have the ids "job-1", "job-2", …
class FakeCoordinator final : public BenchmarkHandler {
 public:
  FakeCoordinator() = default;
  // Waits for `created`.
  ~FakeCoordinator() override;

  // What happens to a job, on a thread of its own. Set before the first call.
  std::function<void(const std::string& job_id)> created;
  // The next so many answers to CreateJob are lost after the job was made. Set before the first call.
  void LoseCreateAnswers(int count);

  // The course of a job. Add: a running job without a caller.
  std::string Add(const std::string& name);
  void Say(const std::string& job_id, const v1::JobUpdate& update);
  void Level(const std::string& job_id, uint32_t concurrency);
  void Note(const std::string& job_id, const std::string& text, bool warning = false);
  void End(const std::string& job_id, v1::JobState state, const v1::Result& result = v1::Result());
  // What becomes of a job that is asked to stop; empty: it is STOPPED at once.
  std::function<void(const std::string& job_id, bool now)> stopped;
  void SetArtifacts(const std::string& folder);
  void SetAgents(const v1::ListAgentsResponse& agents);

  // What was asked.
  std::vector<v1::CreateJobRequest> creates();
  std::vector<v1::StopJobRequest> stops();
  std::vector<v1::WatchJobRequest> watches();
  int jobs();
  int watchers();

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
  struct FakeJob {
    v1::Job job;
    std::string yaml;
    std::vector<v1::LevelResult> levels;
    v1::Result result;
  };
  struct Watcher {
    std::string job_id;
    std::function<void(const v1::JobUpdate&)> update;
    std::function<void(absl::Status)> ended;
  };

  FakeJob* Find(const std::string& job_id) TIDEMARK_REQUIRES(mutex_);
  FakeJob* FindByRequest(const std::string& client_request_id) TIDEMARK_REQUIRES(mutex_);
  std::string AddLocked(const v1::CreateJobRequest& request, const std::string& created_by) TIDEMARK_REQUIRES(mutex_);
  void Tell(const std::string& job_id, const v1::JobUpdate& update) TIDEMARK_REQUIRES(mutex_);

  // Held while watchers are called, so that nothing follows Unwatch.
  Mutex mutex_;
  std::vector<std::unique_ptr<FakeJob>> jobs_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Watcher> watchers_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t last_watcher_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int lose_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int made_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::string artifacts_ TIDEMARK_GUARDED_BY(mutex_);
  v1::ListAgentsResponse agents_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<v1::CreateJobRequest> creates_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<v1::StopJobRequest> stops_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<v1::WatchJobRequest> watches_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ TIDEMARK_GUARDED_BY(mutex_);
};

// Serves a handler on a port of 127.0.0.1, in the clear. Thread-compatible.
class BenchmarkServer {
 public:
  // `port` 0: a free one.
  explicit BenchmarkServer(BenchmarkHandler* handler, Authorizer* authorizer = nullptr, int port = 0);
  // Cuts what is under way.
  ~BenchmarkServer();
  BenchmarkServer(const BenchmarkServer&) = delete;
  BenchmarkServer& operator=(const BenchmarkServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  grpc::Server& server() { return *server_; }

 private:
  std::unique_ptr<v1::Benchmark::CallbackService> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_FAKE_COORDINATOR_H_
