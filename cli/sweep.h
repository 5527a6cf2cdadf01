// `tidemark sweep`: everything around the run itself.
#ifndef TIDEMARK_CLI_SWEEP_H_
#define TIDEMARK_CLI_SWEEP_H_

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/runner.h"
#include "cli/terminal.h"
#include "common/clock/clock.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {

// The world around the command; tests give their own. All must outlive RunSweep.
// A cluster that answers: what runs a job there, and its agents in words.
struct ClusterRun {
  std::unique_ptr<Runner> runner;
  std::string agents;
};

struct SweepWorld {
  std::ostream* out = nullptr;   // the answer
  std::ostream* err = nullptr;   // screens and progress
  Terminal err_terminal;
  const Clock* clock = nullptr;
  std::string version;
  std::vector<std::string> environment;  // "K=V"
  uint64_t descriptor_limit = 0;
  uint32_t local_ports = 0;  // for connections from one address to one; 0: not known
  KeptSelftest selftest;     // of this host
  std::string simulator_program;

  // Called once the simulator runs: nothing of gRPC may have started before. Empty: only --dry-run.
  std::function<std::unique_ptr<Runner>()> make_runner;
  // For --coordinator and --context; `say` takes a sentence and outlives the runner. InvalidArgument is the usage's.
  // Empty: there are no clusters.
  std::function<absl::StatusOr<ClusterRun>(const ClusterSettings&, const std::function<void(const std::string&)>& say)>
      connect;
  ResultOutput output;
  // Mean request latency, seconds, of the built-in simulator at a concurrency. May be empty.
  std::function<std::optional<double>(const JobSpec&, uint32_t)> simulator_latency;
};

// `arguments` are those after "sweep". Returns the exit code. Takes over SIGINT and SIGTERM while
// the job runs, and sets TIDEMARK_API_KEY of this process when --api-key is given: call it from main,
// before other threads.
int RunSweep(const SweepWorld& world, const std::vector<std::string>& arguments);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SWEEP_H_
