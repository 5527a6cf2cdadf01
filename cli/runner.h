// The seam between the command and what carries a job out: alone on this host, or on a cluster.
#ifndef TIDEMARK_CLI_RUNNER_H_
#define TIDEMARK_CLI_RUNNER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/session/selftest_record.h"
#include "common/local_address/source_address.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/report/files.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct RunRequest {
  JobSpec spec;                    // urls filled in, also with the built-in simulator's
  std::string output_dir;          // exists; records may be spooled into it
  std::string journal_dir;         // exists; inside output_dir. Not used on a cluster
  uint32_t capacity = 0;           // concurrent requests, as asked (--capacity); 0: by the host's limits
  uint32_t loops = 0;              // 0: the runner's choice
  std::vector<SourceAddress> sources;      // connections come from these in turn; empty: the system chooses
  std::optional<SelftestRecord> selftest;  // of this host, where it holds
  std::string http;                // HOST:PORT of /metrics during the run; empty: none
  bool simulator = false;          // the target is the built-in simulator
  std::string job_yaml;            // for the result: resolved configuration, no secret
  std::vector<std::string> command;  // for the result: repeats the run, no secret
};

// What is going on now; values that are not known yet are absent.
struct LiveProgress {
  uint32_t level_number = 0;   // from 1, of the levels visited
  uint32_t levels_planned = 0; // 0: a search
  uint32_t concurrency = 0;
  std::string phase;           // in LevelPhaseName's words
  uint64_t in_flight = 0;
  uint64_t done = 0;           // measured requests that ended, failed ones included
  uint64_t planned = 0;        // measured requests of the level
  uint64_t failed = 0;         // of `done`
  std::optional<double> tokens_per_second;
  std::optional<double> p99_ms;        // request latency
  std::optional<double> seconds_left;  // of the level
};

// Called from one thread at a time, not from the caller's; may be empty. They return soon.
struct RunCallbacks {
  std::function<void(const LiveProgress&)> progress;       // at most 10 a second
  std::function<void(const v1::LevelResult&)> level_done;  // each finished level, in order
  std::function<void(const std::string&)> note;            // one sentence each
};

class Runner {
 public:
  virtual ~Runner() = default;

  // Blocks until the job is over. A job that could not run (a dead URL, 401 …) is a result too, with
  // `error` set; a Status is for what left no result at all. After Stop: partial results.
  virtual absl::StatusOr<v1::Result> Run(const RunRequest& request,
                                         const RunCallbacks& callbacks) = 0;

  // After Run: whether every result file is in output_dir already.
  virtual bool WroteFiles() const { return false; }

  // Ends the job soon: drains the level in flight, or (`now`) cancels it at once. Thread-safe; may
  // come before, during or after Run, and more than once.
  virtual void Stop(bool now) = 0;
};

// What is made of a result.
struct ResultOutput {
  // Every result file, relative to the output folder. Also of partial results.
  std::function<std::vector<ReportFile>(const v1::Result&)> files;
  // result.json, and the last screen (answer, table, warnings) of a result in `output_dir`.
  std::function<std::string(const v1::Result&)> json;
  std::function<std::string(const v1::Result&, const std::string& output_dir)> summary;
};

}  // namespace tidemark

#endif  // TIDEMARK_CLI_RUNNER_H_
