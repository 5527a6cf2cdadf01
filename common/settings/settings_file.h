#ifndef TIDEMARK_COMMON_SETTINGS_SETTINGS_FILE_H_
#define TIDEMARK_COMMON_SETTINGS_SETTINGS_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// One key of a settings file.
struct FileSetting {
  std::string key;
  std::string place;                // "agent.yaml:3:1"
  std::vector<std::string> values;  // one, or those of a list
};

// Reads YAML: a map of keys to plain values or lists of them; an empty text has none. `file_name` is for
// messages. InvalidArgument "agent.yaml:3:5: …": no YAML, a key twice, a value that is none of these. Pure.
absl::StatusOr<std::vector<FileSetting>> ParseSettingsFile(absl::string_view text, absl::string_view file_name);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SETTINGS_SETTINGS_FILE_H_
