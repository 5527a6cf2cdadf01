// yaml-cpp behind a bounded reader: part of the YAML door, private to coordinator/core/job_spec.
//
// Pure functions: thread-safe. Whatever yaml-cpp throws ends here as a status.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_YAML_TEXT_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_YAML_TEXT_H_

#include <string>

#include <yaml-cpp/yaml.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// "job.yaml:3:17", or "3:17" without a file name.
std::string PlaceOf(absl::string_view file_name, const YAML::Mark& mark);

// One document, a map at the top. Error: InvalidArgument "place: problem", when the text is no YAML,
// exceeds a bound of job_file.h, has aliases, several documents, or something else at the top.
absl::StatusOr<YAML::Node> LoadBoundedMap(absl::string_view text, absl::string_view file_name);

// A node of LoadBoundedMap as JSON. Error: a duplicate or compound key in it.
absl::StatusOr<std::string> NodeToJson(const YAML::Node& node, absl::string_view file_name);

// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string JsonString(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_YAML_TEXT_H_
