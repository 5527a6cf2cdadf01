// A scripted response: one file of the form that WIRE's cases have.
#ifndef TIDEMARK_SIMULATOR_SCRIPT_H_
#define TIDEMARK_SIMULATOR_SCRIPT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tidemark {

enum class ScriptEnd {
  kKeepOpen,  // 0-chunk, connection kept
  kClose,     // 0-chunk, then FIN
  kReset,     // RST
};

struct ScriptStep {
  int64_t at_ms = 0;       // after the request was read
  std::string send;        // one HTTP chunk; nothing when empty
  int64_t repeat_kib = 0;  // KiB of 'x' after it, without a line end
};

struct Script {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<ScriptStep> steps;  // at_ms never falls
  ScriptEnd end = ScriptEnd::kKeepOpen;
  int64_t end_at_ms = 0;
};

// Errors name the file and the field, the value, and what would be right.
absl::StatusOr<Script> ReadScriptFile(const std::string& path);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_SCRIPT_H_
