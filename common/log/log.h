#ifndef TIDEMARK_COMMON_LOG_LOG_H_
#define TIDEMARK_COMMON_LOG_LOG_H_

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// Structured logging to stderr: one line an entry, "time level message key=value …" or JSON.
// Thread-safe. Nothing secret may be passed; header values and keys never are.
namespace tidemark {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

using LogField = std::pair<absl::string_view, std::string>;

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  bool json = false;
};

void ConfigureLog(const LogOptions& options);

// "debug", "info", "warning", "error", "off".
absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text);

void Log(LogLevel level, absl::string_view message, std::initializer_list<LogField> fields = {});

// A broken promise of our own code: logs and aborts.
[[noreturn]] void Fatal(absl::string_view message, const char* file, int line);
#define TIDEMARK_CHECK(condition) \
  ((condition) ? (void)0 : ::tidemark::Fatal("check failed: " #condition, __FILE__, __LINE__))

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_LOG_LOG_H_
