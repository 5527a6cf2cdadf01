// The endpoint's part of resolving a job.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/job/level_task.h"
#include "coordinator/core/job_spec/setting_reader.h"

namespace tidemark {

// The full URL of requests for `given` (host:port, a base, a base with /v1, or the full path).
// Errors: those of ResolveUrl. REQUIRES: `api` is a supported one.
absl::StatusOr<std::string> ResolveEndpointUrl(absl::string_view given, absl::string_view api);

// Problems are noted in `reader`. `urls` stays empty when none is given.
EndpointSpec ReadEndpoint(SettingReader& reader);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_
