// The job that a command line, the environment and files ask for.
#ifndef TIDEMARK_CLI_JOB_INPUT_H_
#define TIDEMARK_CLI_JOB_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/core/job_spec/resolve.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {

// At most `limit` bytes of a file, or of standard input for "-". Error: InvalidArgument naming the
// file: cannot be read, or is larger.
absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t limit);

// `flags` over `environment` ("K=V") over --config over -f. Errors: InvalidArgument, one line.
absl::StatusOr<ResolvedJob> ResolveJobInput(const Settings& flags,
                                            const std::vector<std::string>& environment);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_JOB_INPUT_H_
