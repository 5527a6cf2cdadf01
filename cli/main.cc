// tidemark: the command. See help.cc for what it can do.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/cluster_runner.h"
#include "cli/exit_code.h"
#include "cli/fd_limit.h"
#include "cli/help.h"
#include "cli/job_command.h"
#include "cli/one_host.h"
#include "cli/result_output.h"
#include "cli/selftest.h"
#include "cli/simulator_child.h"
#include "cli/sweep.h"
#include "cli/sweep_flags.h"
#include "cli/terminal.h"
#include "common/clock/clock.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/environment/process_environment.h"
#include "common/local_address/local_ports.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/parameters.h"
#include "coordinator/core/job_spec/settings.h"
#include "simulator/law_prediction.h"

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
  known.insert(known.end(), {"sweep", "job", "agents", "selftest", "--help", "--version"});
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

// With the patience that a job of hours wants.
absl::StatusOr<ClusterRun> Connect(const ClusterSettings& cluster, const std::function<void(const std::string&)>& say) {
  BenchmarkClientLimits limits;
  limits.patience_ns = 30 * kNanosPerSecond;
  return ConnectToCluster(cluster, ProcessEnvironment(), &RealClock(), limits, say);
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
  world.environment = ProcessEnvironment();
  world.descriptor_limit = *descriptors;
  world.local_ports = LocalPorts();
  // Before the built-in simulator takes a core.
  world.selftest = LoadSelftest(SelftestPath(world.environment), KeyOfThisHost());
  world.simulator_program = SimulatorProgram();
  world.simulator_latency = SimulatorLatency;
  world.make_runner = [] { return NewOneHostRunner(TIDEMARK_VERSION, &RealClock()); };
  world.connect = Connect;
  world.output = FileResultOutput(TerminalOf(STDOUT_FILENO));
  return RunSweep(world, arguments);
}

int SelftestCommand(const std::vector<std::string>& arguments) {
  const absl::StatusOr<uint64_t> descriptors = RaiseDescriptorLimit();
  if (!descriptors.ok()) {
    std::cerr << "tidemark: " << std::string(descriptors.status().message()) << std::endl;
    return kExitCouldNotRun;
  }
  HostBounds bounds;
  bounds.descriptors = *descriptors;
  bounds.ports = LocalPorts();
  SelftestWorld world;
  world.out = &std::cout;
  world.err = &std::cerr;
  world.clock = &RealClock();
  world.environment = ProcessEnvironment();
  world.key = KeyOfThisHost();
  world.most_streams = static_cast<uint32_t>(CapacityOf(bounds).requests);
  world.start = [](const NullSchedule& schedule, uint32_t loops) {
    return StartNullEndpoint(SimulatorProgram(), schedule, loops, RealClock());
  };
  return RunSelftest(world, arguments);
}

JobWorld ClusterWorld() {
  JobWorld world;
  world.out = &std::cout;
  world.err = &std::cerr;
  world.out_terminal = TerminalOf(STDOUT_FILENO);
  world.err_terminal = TerminalOf(STDERR_FILENO);
  world.clock = &RealClock();
  world.environment = ProcessEnvironment();
  world.output = FileResultOutput(world.out_terminal);
  return world;
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);              // a closed reader is a write error, not our end
  setenv("GRPC_VERBOSITY", "NONE", 0);  // what its lines say, our errors say too
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
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "sweep") return SweepCommand(rest);
  if (command == "job") return RunJobCommand(ClusterWorld(), rest);
  if (command == "selftest") return SelftestCommand(rest);
  if (command == "agents") return RunAgentsCommand(ClusterWorld(), rest);
  return UnknownCommand(command);
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) { return tidemark::Main(argc, argv); }
