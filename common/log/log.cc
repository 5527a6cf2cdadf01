#include "common/log/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/settings/said_text.h"

namespace tidemark {
namespace {

std::atomic<bool> g_json{false};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: break;
  }
  return spdlog::level::off;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger>* const logger = [] {
    auto made = spdlog::stderr_logger_mt("tidemark");
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    return new std::shared_ptr<spdlog::logger>(std::move(made));
  }();
  return **logger;
}

// Quotes `text` as a JSON string; control characters are escaped, other bytes kept.
std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&out, "\\u00", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

bool NeedsQuotes(absl::string_view text) {
  return text.empty() || text.find_first_of(" \"\\=") != absl::string_view::npos;
}

// What a server sent may be in it: a terminal obeys none of it, and a line stays one.
std::string Render(absl::string_view message, std::initializer_list<LogField> fields) {
  if (g_json) {
    std::string line = Quoted(message);
    for (const auto& [key, value] : fields) absl::StrAppend(&line, ",", Quoted(key), ":", Quoted(value));
    return line;
  }
  std::string line = WithoutControls(message);
  for (const auto& [key, value] : fields) {
    const std::string shown = WithoutControls(value);
    absl::StrAppend(&line, " ", key, "=", NeedsQuotes(shown) ? Quoted(shown) : shown);
  }
  return line;
}

}  // namespace

void ConfigureLog(const LogOptions& options) {
  g_json = options.json;
  Logger().set_level(ToSpdlog(options.level));
  Logger().set_pattern(options.json
                           ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","message":%v})"
                           : "%Y-%m-%dT%H:%M:%S.%e%z %l %v");
}

absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  if (text == "off") return LogLevel::kOff;
  return absl::InvalidArgumentError(absl::StrCat("log level \"", text, "\": use debug, info, warning, error or off"));
}

void Log(LogLevel level, absl::string_view message, std::initializer_list<LogField> fields) {
  if (!Logger().should_log(ToSpdlog(level))) return;
  Logger().log(ToSpdlog(level), "{}", Render(message, fields));
}

void Fatal(absl::string_view message, const char* file, int line) {
  Log(LogLevel::kError, message, {{"file", file}, {"line", absl::StrCat(line)}});
  std::abort();
}

}  // namespace tidemark
