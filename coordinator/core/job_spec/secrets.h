// An endpoint as it may be shown.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_

#include "common/job/level_task.h"

namespace tidemark {

inline constexpr char kNotShown[] = "<not shown>";

// `endpoint` with the values of secret headers (IsSecretHeader) replaced by kNotShown, and with what stands before an
// @ in a URL removed: what results, logs and screens may hold.
EndpointSpec WithoutSecrets(const EndpointSpec& endpoint);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
