#include "common/daemon/daemon_main.h"

#include <csignal>
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tidemark {

int DaemonMain(int argc, char** argv, const DaemonProgram& program) {
  std::signal(SIGPIPE, SIG_IGN);
  const absl::StatusOr<std::optional<std::string>> read = program.read(ProcessSources(argc, argv));
  const absl::Status usable = read.ok() ? BeginLog(*program.settings) : read.status();
  if (!usable.ok()) {
    std::cerr << program.name << ": " << usable.message() << "\n";
    return ExitCodeOf(usable);
  }
  if (read->has_value()) {
    std::cout << **read;
    return kExitEnded;
  }
  const absl::StatusOr<std::unique_ptr<Termination>> termination = Termination::Watch();
  const absl::StatusOr<int> exit_code =
      termination.ok() ? program.run(termination->get()) : termination.status();
  if (exit_code.ok()) return *exit_code;
  Log(LogLevel::kError, absl::StrCat(program.what, " cannot start"),
      {{"reason", std::string(exit_code.status().message())}});
  return ExitCodeOf(exit_code.status());
}

}  // namespace tidemark
