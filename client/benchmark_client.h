#ifndef TIDEMARK_CLIENT_BENCHMARK_CLIENT_H_
#define TIDEMARK_CLIENT_BENCHMARK_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/connection.h"
#include "common/clock/clock.h"
#include "common/thread/cancellation.h"
#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

struct BenchmarkClientLimits {
  int64_t call_ns = 10 * kNanosPerSecond;         // of one try of a call
  int64_t result_ns = 60 * kNanosPerSecond;       // of one try to get a result, which may be large
  int64_t patience_ns = 15 * kNanosPerSecond;     // of a call with its repetitions
  int64_t watch_ns = 30 * kNanosPerSecond;        // of one WatchJob call: a dead link is found by then
  int64_t no_contact_ns = 300 * kNanosPerSecond;  // of a watcher that hears nothing
  int64_t download_ns = 3'600 * kNanosPerSecond;  // of one try of a download
  int64_t first_back_off_ns = 200 * kNanosPerMilli;
  int64_t longest_back_off_ns = 5 * kNanosPerSecond;
};

// What a watcher is told, on the thread that watches. Any may be empty.
struct WatchEvents {
  std::function<void(const v1::Job&)> job;  // first, and at each change of its state
  std::function<void(const v1::LevelProgress&)> progress;
  std::function<void(const v1::LevelResult&)> level;  // each once, in order, also over reconnects
  std::function<void(const v1::Note&)> note;          // the same
  std::function<void(const absl::Status&)> lost;      // contact is lost; once until it is back
  std::function<void()> found;                        // it is back
};

// The public API's client. Calls block; each has a deadline, and what may be repeated is, with growing pauses, while
// the coordinator cannot be reached. Thread-safe, but not from gRPC's threads.
//
// Errors are the coordinator's, their text with its address and, where a credential is missing or wrong, what to
// give. Unavailable: it was not reached in time.
class BenchmarkClient {
 public:
  // InvalidArgument names the flag: no HOST:PORT, or certificate files that cannot be used. Connects at the first
  // call.
  // `retrying`, which may be empty, is told once a call, on the caller's thread, that it is tried again.
  static absl::StatusOr<std::unique_ptr<BenchmarkClient>> Create(
      const Connection& connection, const Clock* clock, const BenchmarkClientLimits& limits = {},
      std::function<void(const absl::Status&)> retrying = nullptr);
  virtual ~BenchmarkClient() = default;

  // A repeated try finds the job by its client_request_id: one job is made.
  virtual absl::StatusOr<v1::Job> CreateJob(const v1::CreateJobRequest& request) = 0;
  virtual absl::StatusOr<v1::Job> DescribeJob(const std::string& job_id) = 0;
  virtual absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) = 0;
  virtual absl::StatusOr<v1::Job> StopJob(const std::string& job_id, bool now) = 0;
  virtual absl::Status DeleteJob(const std::string& job_id) = 0;
  virtual absl::StatusOr<v1::Result> GetResult(const std::string& job_id) = 0;
  virtual absl::StatusOr<v1::ListAgentsResponse> ListAgents() = 0;

  // Until the job has ended: the job as it was told last. A connection that breaks is made anew. Errors: Cancelled,
  // when `stop` was; Unavailable after no_contact_ns without a word; the coordinator's (NotFound, …).
  virtual absl::StatusOr<v1::Job> WatchJob(const std::string& job_id, const WatchEvents& events,
                                           Cancellation* stop) = 0;

  // Writes the job's files into `folder`, each whole or not at all; returns their paths in it. Files of the same name
  // are replaced. Errors: the coordinator's; InvalidArgument for a path that would leave the folder;
  // ResourceExhausted past a bound or on a full disk; Cancelled.
  virtual absl::StatusOr<std::vector<std::string>> DownloadArtifacts(const std::string& job_id, bool without_records,
                                                                     const std::string& folder,
                                                                     Cancellation* stop) = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_BENCHMARK_CLIENT_H_
