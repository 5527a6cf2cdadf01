#include "agent/core/outcome.h"

#include "absl/strings/str_cat.h"

namespace tidemark {

std::string FailureClassName(FailureClass failure, int status) {
  switch (failure) {
    case FailureClass::kNone:
      return "";
    case FailureClass::kDns:
      return "dns";
    case FailureClass::kConnect:
      return "connect";
    case FailureClass::kTls:
      return "tls";
    case FailureClass::kConnectionReset:
      return "connection_reset";
    case FailureClass::kTimeoutConnect:
      return "timeout_connect";
    case FailureClass::kTimeoutFirstToken:
      return "timeout_first_token";
    case FailureClass::kTimeoutIdle:
      return "timeout_idle";
    case FailureClass::kTimeoutTotal:
      return "timeout_total";
    case FailureClass::kHttpStatus:
      return absl::StrCat("http_", status);
    case FailureClass::kStreamError:
      return "stream_error";
    case FailureClass::kTruncated:
      return "truncated";
    case FailureClass::kEmptyResponse:
      return "empty_response";
    case FailureClass::kProtocolError:
      return "protocol_error";
    case FailureClass::kCredentials:
      return "credentials";
    case FailureClass::kTimeoutDrain:
      return "timeout_drain";
  }
  return "";
}

}  // namespace tidemark
