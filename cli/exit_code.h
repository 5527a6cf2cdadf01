// The exit codes, the same everywhere.
#ifndef TIDEMARK_CLI_EXIT_CODE_H_
#define TIDEMARK_CLI_EXIT_CODE_H_

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

enum ExitCode {
  kExitDone = 0,         // done, every asked SLA met
  kExitCouldNotRun = 1,  // or no level had a success
  kExitUsage = 2,
  kExitNotMet = 3,       // SLA met nowhere
  kExitUndecided = 4,    // invalid, inconclusive or undecided
};

// The code of a finished job. `signal` is what interrupted it, 0 for nothing: then 128 + signal.
// `accept_undecided` turns undecided and inconclusive (not invalid) into 0.
int ExitCodeOf(const v1::Result& result, bool accept_undecided, int signal);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_EXIT_CODE_H_
