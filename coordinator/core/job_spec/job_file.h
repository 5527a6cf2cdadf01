// Reads a job file (YAML, and so JSON too) into settings. With the emitter of resolved jobs, the one
// place that knows yaml-cpp.
//
// Pure functions: thread-safe. Bounded whatever the text holds: 1 MiB, 20,000 nodes, 32 levels, no
// aliases (they can make a short text expand without end).
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_FILE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {

inline constexpr size_t kLargestJobFile = 1024 * 1024;

// `file_name` is for messages. Error: InvalidArgument "job.yaml:3:17: …" (line and column from 1):
// a syntax error, an unknown, duplicate or misplaced key (with the nearest right one), a value of the
// wrong shape.
absl::StatusOr<Settings> ParseJobFile(absl::string_view text, absl::string_view file_name);

// A YAML (or JSON) map as JSON text, compact: plain scalars that read as JSON null, true, false or a
// number are these, all others are strings. Error: InvalidArgument "line:column: …".
absl::StatusOr<std::string> YamlMapToJson(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_FILE_H_
