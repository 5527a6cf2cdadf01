#include "common/daemon/daemon_settings.h"

#include "common/rpc/grpc_log.h"

namespace tidemark {

void AddDaemonSettings(DaemonSettings* settings, SettingsTable* table) {
  table->Text("http", "HOST:PORT", "where /metrics, /healthz and /readyz are; port 0 picks one", &settings->http);
  table->Text("health", "HOST:PORT", "where gRPC's health protocol is, in the clear", &settings->health);
  table->Switch("plaintext", "no TLS and no certificates, for a network of your own", &settings->security.plaintext);
  table->Text("tls-cert", "FILE", "its certificate, PEM; read again when it changes", &settings->security.tls.cert);
  table->Text("tls-key", "FILE", "the certificate's key", &settings->security.tls.key);
  table->Text("tls-ca", "FILE", "the CA that signs the certificates of the others", &settings->security.tls.ca);
  table->Text("log-level", "LEVEL", "debug, info, warning, error or off", &settings->log_level);
  table->Switch("log-json", "the log as lines of JSON", &settings->log_json);
}

absl::Status BeginLog(const DaemonSettings& settings) {
  const absl::StatusOr<LogLevel> level = ParseLogLevel(settings.log_level);
  if (!level.ok()) return level.status();
  ConfigureLog({*level, settings.log_json});
  SendGrpcLogToOurs();
  return absl::OkStatus();
}

HttpServerOptions HttpOptionsOf(const DaemonSettings& settings) {
  HttpServerOptions options;
  options.listen = settings.http;
  const TlsFiles& files = settings.security.tls;
  if (!settings.security.plaintext) options.tls = HttpServerTls{files.cert, files.key, files.ca};
  return options;
}

void LogListening(const std::string& service, const std::string& address) {
  Log(LogLevel::kInfo, "listening", {{"service", service}, {"address", address}});
}

int ExitCodeOf(const absl::Status& status) { return absl::IsInvalidArgument(status) ? kExitUsage : kExitCannotRun; }

}  // namespace tidemark
