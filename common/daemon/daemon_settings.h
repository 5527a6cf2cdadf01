#ifndef TIDEMARK_COMMON_DAEMON_DAEMON_SETTINGS_H_
#define TIDEMARK_COMMON_DAEMON_DAEMON_SETTINGS_H_

#include <string>

#include "absl/status/status.h"
#include "common/http_server/http_server.h"
#include "common/log/log.h"
#include "common/rpc/credentials.h"
#include "common/settings/settings_table.h"

namespace tidemark {

// What every daemon is told.
struct DaemonSettings {
  TransportSecurity security;
  std::string http, health;  // HOST:PORT
  std::string log_level = "info";
  bool log_json = false;
};

// Adds --http, --health, --plaintext, --tls-…, --log-level and --log-json. `settings` must outlive the table; what
// it holds are the defaults.
void AddDaemonSettings(DaemonSettings* settings, SettingsTable* table);

// To the log; gRPC's goes there too. InvalidArgument: no such level.
absl::Status BeginLog(const DaemonSettings& settings);

// Of the HTTP server: its address and the same TLS files.
HttpServerOptions HttpOptionsOf(const DaemonSettings& settings);

// "listening service=http address=127.0.0.1:7080": one line for each address, at the start, so that whoever
// asked for port 0 finds it.
void LogListening(const std::string& service, const std::string& address);

// The exit codes of all programs.
inline constexpr int kExitEnded = 0, kExitCannotRun = 1, kExitUsage = 2;

// 2 for InvalidArgument (what was given is wrong), else 1.
int ExitCodeOf(const absl::Status& status);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_DAEMON_DAEMON_SETTINGS_H_
