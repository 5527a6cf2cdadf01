#ifndef TIDEMARK_COMMON_DAEMON_DAEMON_MAIN_H_
#define TIDEMARK_COMMON_DAEMON_DAEMON_MAIN_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/daemon/daemon_settings.h"
#include "common/daemon/termination.h"
#include "common/settings/settings_table.h"

namespace tidemark {

struct DaemonProgram {
  std::string name;  // "tidemark-agent"
  std::string what;  // "the agent"
  const DaemonSettings* settings = nullptr;  // filled in by `read`
  // As SettingsTable::Read.
  std::function<absl::StatusOr<std::optional<std::string>>(const SettingSources&)> read;
  // Until the end, with the exit code; errors are of the start.
  std::function<absl::StatusOr<int>(Termination*)> run;
};

// The main function of a daemon: reads its settings, sets the log up, watches for signals, runs it. Returns the exit
// code; what is wrong is said in one line, before the log stands on standard error. To be called from main, before
// other threads.
int DaemonMain(int argc, char** argv, const DaemonProgram& program);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_DAEMON_DAEMON_MAIN_H_
