#include "coordinator/core/job_spec/secrets.h"

#include <algorithm>
#include <string>

#include "common/job/secret_header.h"

namespace tidemark {
namespace {

// "http://user:password@host/x" -> "http://host/x".
std::string WithoutUserInfo(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const size_t end = std::min(url.find_first_of("/?#", host), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  if (at == std::string::npos || at < host) return url;
  return url.substr(0, host) + url.substr(at + 1);
}

}  // namespace

EndpointSpec WithoutSecrets(const EndpointSpec& endpoint) {
  EndpointSpec shown = endpoint;
  for (auto& header : shown.headers) {
    if (IsSecretHeader(header.first)) header.second = kNotShown;
  }
  for (std::string& url : shown.urls) url = WithoutUserInfo(url);
  return shown;
}

}  // namespace tidemark
