// The flags of `tidemark job …` and `tidemark agents`. With sweep_flags.cc, what knows CLI11.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_CLI_JOB_FLAGS_H_
#define TIDEMARK_CLI_JOB_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {

struct JobFlags {
  ClusterSettings cluster;
  std::string job_id;
  bool help = false;
  bool json = false;
  bool now = false;                 // stop
  bool without_records = false;     // results
  bool overwrite = false;           // results
  std::string output_dir;           // results; empty: the default folder
  std::optional<double> timeout_s;  // wait
  uint32_t limit = 50;              // list
  std::vector<std::string> states;  // list
};

// `command`: "list", "describe", "watch", "stop", "delete", "wait", "results" or "agents"; `arguments` are those
// after it. Names of the cluster may come from `environment` ("K=V"), too. Errors: InvalidArgument, one line.
absl::StatusOr<JobFlags> ParseJobFlags(const std::string& command, const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& environment);

// The commands of `tidemark job`, "create" among them.
const std::vector<std::string>& JobCommands();

}  // namespace tidemark

#endif  // TIDEMARK_CLI_JOB_FLAGS_H_
