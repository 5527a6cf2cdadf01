// tidemark: the command. See help.cc for what it can do.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/fd_limit.h"
#include "cli/help.h"
#include "cli/one_host.h"
#include "cli/result_output.h"
#include "cli/simulator_child.h"
#include "cli/sweep.h"
#include "cli/sweep_flags.h"
#include "cli/terminal.h"
#include "common/clock/clock.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/parameters.h"
#include "coordinator/core/job_spec/settings.h"
#include "simulator/law_prediction.h"

extern char** environ;

namespace tidemark {
namespace {

int Usage(const std::string& problem) {
  std::cerr << "tidemark: " << problem << std::endl;
  return kExitUsage;
}

int UnknownCommand(const std::string& command) {
  std::vector<std::string> known = LaterCommands();
  if (std::find(known.begin(), known.end(), command) != known.end()) {
    return Usage(absl::StrCat(command, ": not supported yet"));
  }
  known.insert(known.end(), {"sweep", "--help", "--version"});
  const std::string what = !command.empty() && command[0] == '-' ? "flag " : "command ";
  const std::string nearest = DidYouMean(command, known);
  return Usage(absl::StrCat("unknown ", what, Printable(command),
                            nearest.empty() ? ": see tidemark --help" : nearest));
}

// The simulator is started with its defaults, and so is the law here.
std::optional<double> SimulatorLatency(const JobSpec& spec, uint32_t concurrency) {
  ClosedLoopLoad load;
  load.concurrency = concurrency;
  load.prompt_tokens = spec.workload.input.mean;
  load.output_tokens = spec.workload.output.mean;
  return PredictClosedLoop(LawConstants(), load).request_latency_ms / 1000;
}

int SweepCommand(const std::vector<std::string>& arguments) {
  const absl::StatusOr<uint64_t> descriptors = RaiseDescriptorLimit();
  if (!descriptors.ok()) {
    std::cerr << "tidemark: " << std::string(descriptors.status().message()) << std::endl;
    return kExitCouldNotRun;
  }
  SweepWorld world;
  world.out = &std::cout;
  world.err = &std::cerr;
  world.err_terminal = TerminalOf(STDERR_FILENO);
  world.clock = &RealClock();
  world.version = TIDEMARK_VERSION;
  for (char** entry = environ; *entry != nullptr; ++entry) world.environment.emplace_back(*entry);
  world.descriptor_limit = *descriptors;
  world.simulator_program = SimulatorProgram();
  world.simulator_latency = SimulatorLatency;
  world.make_runner = [] { return NewOneHostRunner(TIDEMARK_VERSION, &RealClock()); };
  world.output = FileResultOutput(TerminalOf(STDOUT_FILENO));
  return RunSweep(world, arguments);
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // a closed reader is a write error, not our end
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  ScrubArguments(argc, argv);
  if (arguments.empty()) {
    std::cerr << MainHelp();
    return kExitUsage;
  }
  const std::string& command = arguments[0];
  if (command == "--help" || command == "-h" || command == "help") {
    std::cout << MainHelp();
    return kExitDone;
  }
  if (command == "--version" || command == "-V" || command == "version") {
    std::cout << "tidemark " << TIDEMARK_VERSION << std::endl;
    return kExitDone;
  }
  if (command == "sweep") return SweepCommand({arguments.begin() + 1, arguments.end()});
  return UnknownCommand(command);
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) { return tidemark::Main(argc, argv); }
