#include "agent/http/curl_failure.h"

#include <curl/curl.h>

#include "absl/strings/match.h"

namespace tidemark {

FailureClass CurlFailureClass(int code, absl::string_view message) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FailureClass::kDns;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
    case CURLE_FAILED_INIT:
      return FailureClass::kConnect;
    case CURLE_OPERATION_TIMEDOUT:  // the connect limit is the only one it is given
      return FailureClass::kTimeoutConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_USE_SSL_FAILED:
      return FailureClass::kTls;
    case CURLE_RECV_ERROR:  // bad chunk framing has this code too
      return absl::StrContains(message, "chunk") ? FailureClass::kProtocolError
                                                 : FailureClass::kConnectionReset;
    case CURLE_OK:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return FailureClass::kConnectionReset;
    default:
      return FailureClass::kProtocolError;
  }
}

}  // namespace tidemark
