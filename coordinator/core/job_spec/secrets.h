// Which parts of an endpoint may never be shown.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_

#include <string>

#include "common/job/level_task.h"

namespace tidemark {

inline constexpr char kNotShown[] = "<not shown>";

// `url` as results, logs and screens may hold it: without what stands before an @ of its host, and
// with kNotShown for the values of secret query parameters (those named like a secret header, and sig,
// code, pass, pwd).
std::string RedactUrl(const std::string& url);

// `endpoint` with the values of secret headers (IsSecretHeader) replaced by kNotShown, and with its URLs redacted: what
// results, logs and screens may hold.
EndpointSpec WithoutSecrets(const EndpointSpec& endpoint);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SECRETS_H_
