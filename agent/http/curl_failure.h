#ifndef TIDEMARK_AGENT_HTTP_CURL_FAILURE_H_
#define TIDEMARK_AGENT_HTTP_CURL_FAILURE_H_

#include "absl/strings/string_view.h"
#include "agent/core/outcome.h"

namespace tidemark {

// The failure class of a transfer that ended with `code` (a CURLcode) and libcurl's `message`. Pure.
FailureClass CurlFailureClass(int code, absl::string_view message);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_CURL_FAILURE_H_
