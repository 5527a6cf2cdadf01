// The flags of `tidemark sweep`, from the parameter table. With job_flags.cc, what knows CLI11.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_CLI_SWEEP_FLAGS_H_
#define TIDEMARK_CLI_SWEEP_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/core/job_spec/command_line.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {

struct SweepFlags {
  Settings settings;
  bool help = false;
};

// `arguments` are those after "sweep". Every name of the table is a flag, with dashes or
// underscores; a switch alone is true. Errors: InvalidArgument, one line, with the nearest right
// flag for an unknown one.
absl::StatusOr<SweepFlags> ParseSweepFlags(const std::vector<std::string>& arguments);

// Overwrites the value of --api-key in the process's own argument memory, which `ps` shows.
void ScrubArguments(int argc, char** argv);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SWEEP_FLAGS_H_
