// A job of the coordinator's API as the command's own callbacks know it.
#ifndef TIDEMARK_CLI_JOB_VIEW_H_
#define TIDEMARK_CLI_JOB_VIEW_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/runner.h"
#include "client/benchmark_client.h"

namespace tidemark {

// "queued", "running", "stopping", "completed", "failed", "stopped".
std::string StateText(v1::JobState state);

// What the job's own file says to those that only watch. Of a file that this version cannot read: the defaults.
struct WatchedSpec {
  uint32_t levels_planned = 0;  // 0: a search, or not known
  bool accept_undecided = false;
};
WatchedSpec WatchedSpecOf(const v1::Job& job);

LiveProgress ToLiveProgress(const v1::LevelProgress& progress, uint32_t levels_planned);

// Watches until the job has ended: BenchmarkClient::WatchJob, with its events as progress, levels and notes. Changes
// of the job's state and a lost connection are notes too.
absl::StatusOr<v1::Job> WatchWithView(BenchmarkClient* client, const std::string& job_id, const RunCallbacks& view,
                                      Cancellation* stop);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_JOB_VIEW_H_
