// `tidemark job …` and `tidemark agents`: a cluster's jobs and agents.
#ifndef TIDEMARK_CLI_JOB_COMMAND_H_
#define TIDEMARK_CLI_JOB_COMMAND_H_

#include <ostream>
#include <string>
#include <vector>

#include "cli/runner.h"
#include "cli/terminal.h"
#include "common/clock/clock.h"

namespace tidemark {

// The world around the command; tests give their own. All must outlive the call.
struct JobWorld {
  std::ostream* out = nullptr;  // the answer
  std::ostream* err = nullptr;  // progress and complaints
  Terminal out_terminal, err_terminal;
  const Clock* clock = nullptr;
  std::vector<std::string> environment;  // "K=V"
  ResultOutput output;
};

// `arguments` are those after "job" or "agents". Return the exit code: of `watch` and `wait` the job's own.
int RunJobCommand(const JobWorld& world, const std::vector<std::string>& arguments);
int RunAgentsCommand(const JobWorld& world, const std::vector<std::string>& arguments);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_JOB_COMMAND_H_
