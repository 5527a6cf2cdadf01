// tidemark-coordinator: see coordinator_settings.cc for what it can be told.
#include <csignal>
#include <iostream>

#include "coordinator/program/coordinator_program.h"

namespace tidemark {
namespace {

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CoordinatorSettings settings;
  const absl::StatusOr<std::optional<std::string>> read = ReadCoordinatorSettings(ProcessSources(argc, argv), &settings);
  const absl::Status usable = read.ok() ? BeginLog(settings.daemon) : read.status();
  if (!usable.ok()) {
    std::cerr << "tidemark-coordinator: " << usable.message() << "\n";
    return ExitCodeOf(usable);
  }
  if (read->has_value()) {
    std::cout << **read;
    return kExitEnded;
  }
  const absl::StatusOr<std::unique_ptr<Termination>> termination = Termination::Watch();
  const absl::StatusOr<int> exit_code =
      termination.ok() ? RunCoordinator(settings, termination->get(), &RealClock()) : termination.status();
  if (exit_code.ok()) return *exit_code;
  Log(LogLevel::kError, "the coordinator cannot start", {{"reason", std::string(exit_code.status().message())}});
  return ExitCodeOf(exit_code.status());
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) { return tidemark::Main(argc, argv); }
