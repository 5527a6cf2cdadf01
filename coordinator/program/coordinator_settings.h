#ifndef TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_SETTINGS_H_
#define TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/daemon/daemon_settings.h"

namespace tidemark {

// What tidemark-coordinator is told. Defaults are those of the members.
struct CoordinatorSettings {
  CoordinatorSettings();

  DaemonSettings daemon;
  std::string listen = "0.0.0.0:7070";
  std::string data_dir;
  std::string tokens_file;     // empty: clients need no token
  uint64_t agent_wait_s = 60;
  uint64_t max_jobs = 1'000;   // kept, those that have ended included
  uint64_t max_agents = 1'000;
};

// Reads flags, variables and file into `settings`. A text: print it and end. InvalidArgument: wrong usage. Only what a
// setting alone can tell is checked.
absl::StatusOr<std::optional<std::string>> ReadCoordinatorSettings(const SettingSources& sources,
                                                                   CoordinatorSettings* settings);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_SETTINGS_H_
