#ifndef TIDEMARK_AGENT_PROGRAM_AGENT_SETTINGS_H_
#define TIDEMARK_AGENT_PROGRAM_AGENT_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/session/secret_source.h"
#include "common/daemon/daemon_settings.h"

namespace tidemark {

// What tidemark-agent is told. Defaults are those of the members.
struct AgentSettings {
  AgentSettings();

  DaemonSettings daemon;
  std::string coordinator;   // HOST:PORT
  std::string id;            // empty: the pod's or host's name
  uint64_t capacity = 0;     // concurrent requests; 0: by the host's limits
  uint64_t loops = 0;        // event-loop threads; 0: by the level
  std::string spool_dir;
  std::string selftest_file;                  // of `tidemark selftest`; empty: of the environment
  std::vector<std::string> source_addresses;  // as given; empty: the system chooses
  SecretOptions secrets;
  std::vector<std::string> allow_target;
};

// Reads flags, variables and file into `settings`. A text: print it and end. InvalidArgument: wrong usage. Only what a
// setting alone can tell is checked.
absl::StatusOr<std::optional<std::string>> ReadAgentSettings(const SettingSources& sources, AgentSettings* settings);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_PROGRAM_AGENT_SETTINGS_H_
