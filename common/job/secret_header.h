// Which header values may never be shown.
//
// Pure function: thread-safe.
#ifndef TIDEMARK_COMMON_JOB_SECRET_HEADER_H_
#define TIDEMARK_COMMON_JOB_SECRET_HEADER_H_

#include "absl/strings/string_view.h"

namespace tidemark {

// Whether a header of this name may hold a secret: Authorization, Cookie, and whatever has auth,
// key, token, secret, password, credential or signature in its name. Case does not matter.
bool IsSecretHeader(absl::string_view name);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_JOB_SECRET_HEADER_H_
