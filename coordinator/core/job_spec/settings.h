// Settings as the user wrote them, before they are understood: one layer each of flags, environment
// and files. Every one remembers its spelling and place, so that a refusal can name them.
//
// Plain values and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTINGS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTINGS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "coordinator/core/job_spec/parameters.h"

namespace tidemark {

struct RawSetting {
  const Parameter* parameter = nullptr;
  std::string shown_name;  // "--isl", "TIDEMARK_ISL", "isl"
  std::string place;       // "job.yaml:3:17"; empty for flags and environment
  std::vector<std::string> values;                         // all kinds but kPairs and kObject's map
  std::vector<std::pair<std::string, std::string>> pairs;  // kPairs
  std::string object_json;                                 // kObject given as a map
};

// One layer, by canonical name.
using Settings = std::map<std::string, RawSetting>;

// InvalidArgument "job.yaml:3:17: isl is 0: want …". `value` is cut and its control characters are
// masked; it is left out for parameters that may hold secrets (header, api_key).
absl::Status RefuseValue(const RawSetting& setting, absl::string_view value,
                         absl::string_view what_is_right);
// InvalidArgument "job.yaml:3:17: isl: problem".
absl::Status RefuseSetting(const RawSetting& setting, absl::string_view problem);

// Adds one setting to a layer. Refuses a parameter that the layer has already, by whatever alias.
absl::Status AddSetting(RawSetting setting, Settings& layer);

// The same from the texts of a flag (one for each time it was given) or of a variable.
// REQUIRES: `name` is a name of the table.
absl::Status AddTexts(absl::string_view name, absl::string_view shown_name,
                      std::vector<std::string> texts, Settings& layer);

// The layer of the environment: TIDEMARK_<NAME> of `environment` ("K=V" each). Variables that are
// no parameter are ignored: Kubernetes injects its own. Lists: commas; headers: one a line.
absl::StatusOr<Settings> SettingsFromEnvironment(const std::vector<std::string>& environment);

// Several layers as one: for each parameter the first layer that has it.
Settings Overlay(const std::vector<Settings>& layers);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTINGS_H_
