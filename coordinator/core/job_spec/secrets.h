// Which header values may never be shown.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_

#include "absl/strings/string_view.h"
#include "common/job/level_task.h"

namespace tidemark {

inline constexpr char kNotShown[] = "<not shown>";

// Whether a header of this name may hold a secret: Authorization, Cookie, and whatever has auth,
// key, token, secret, password, credential or signature in its name. Case does not matter.
bool IsSecretHeader(absl::string_view name);

// `endpoint` with the values of such headers replaced by kNotShown, and with what stands before an
// @ in a URL removed: what results, logs and screens may hold.
EndpointSpec WithoutSecrets(const EndpointSpec& endpoint);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
