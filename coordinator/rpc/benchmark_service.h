#ifndef TIDEMARK_COORDINATOR_RPC_BENCHMARK_SERVICE_H_
#define TIDEMARK_COORDINATOR_RPC_BENCHMARK_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/rpc/authorizer.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"

namespace tidemark {

// What the public API asks of the coordinator. Every call returns at once; its answer comes once, on any
// thread, which it must not block. Statuses are those of benchmark.proto.
class BenchmarkHandler {
 public:
  template <typename T>
  using Answer = std::function<void(absl::StatusOr<T>)>;

  virtual ~BenchmarkHandler() = default;

  // `created_by`: the caller's name by its credentials.
  virtual void CreateJob(v1::CreateJobRequest request, std::string created_by, Answer<v1::Job> answer) = 0;
  virtual void DescribeJob(std::string job_id, Answer<v1::Job> answer) = 0;
  virtual void ListJobs(v1::ListJobsRequest request, Answer<v1::ListJobsResponse> answer) = 0;
  virtual void StopJob(v1::StopJobRequest request, Answer<v1::Job> answer) = 0;
  virtual void DeleteJob(std::string job_id, Answer<v1::DeleteJobResponse> answer) = 0;
  virtual void GetResult(std::string job_id, Answer<v1::GetResultResponse> answer) = 0;
  virtual void ListAgents(Answer<v1::ListAgentsResponse> answer) = 0;

  // The folder of the result files of a job that has ended. The service reads them itself.
  virtual void ArtifactFolder(std::string job_id, Answer<std::string> answer) = 0;

  // Updates of a job, in order, on the coordinator's thread: quick. After the one that says that the job has
  // ended none follows. NotFound comes as the only call of `ended`; otherwise `ended` follows the last update,
  // with OK, or Unavailable when the coordinator shuts down. Returns a number for Unwatch.
  virtual uint64_t Watch(v1::WatchJobRequest request, std::function<void(const v1::JobUpdate&)> update,
                         std::function<void(absl::Status)> ended) = 0;
  // When it returns no further call comes for this watcher. Also called for one that has ended: nothing happens.
  virtual void Unwatch(uint64_t watcher) = 0;
};

// The Benchmark service: checks each request and its caller, asks `handler`, and answers. A slow watcher gets only
// the latest progress; one for which more waits than UpdateQueue holds is ended with RESOURCE_EXHAUSTED and may call
// again. `authorizer` may be null: then everybody may call, as "". Both must outlive the service, which must outlive
// the server it is registered with; the server's keepalive ends watchers whose host is gone.
std::unique_ptr<v1::Benchmark::CallbackService> NewBenchmarkService(BenchmarkHandler* handler,
                                                                    Authorizer* authorizer);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_BENCHMARK_SERVICE_H_
