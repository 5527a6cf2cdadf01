#include "coordinator/core/job_spec/secrets.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
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

// Signed URLs and function keys have short names of their own.
bool IsSecretParameter(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (absl::string_view whole : {"sig", "code", "pass", "pwd"}) {
    if (lower == whole) return true;
  }
  return IsSecretHeader(name);
}

// "key=sesame" -> "key=<not shown>".
std::string WithoutSecretValue(absl::string_view parameter) {
  const size_t equals = parameter.find('=');
  if (equals == absl::string_view::npos || !IsSecretParameter(parameter.substr(0, equals))) {
    return std::string(parameter);
  }
  return absl::StrCat(parameter.substr(0, equals + 1), kNotShown);
}

}  // namespace

std::string RedactUrl(const std::string& url) {
  std::string shown = WithoutUserInfo(url);
  size_t at = shown.find('?');
  if (at == std::string::npos) return shown;
  std::string out = shown.substr(0, ++at);
  while (at < shown.size()) {
    const size_t end = std::min(shown.find_first_of("&;#", at), shown.size());
    absl::StrAppend(&out, WithoutSecretValue(absl::string_view(shown).substr(at, end - at)));
    out += shown.substr(end, 1);  // the separator, or nothing
    at = end + 1;
  }
  return out;
}

EndpointSpec WithoutSecrets(const EndpointSpec& endpoint) {
  EndpointSpec shown = endpoint;
  for (auto& header : shown.headers) {
    if (IsSecretHeader(header.first)) header.second = kNotShown;
  }
  for (std::string& url : shown.urls) url = RedactUrl(url);
  return shown;
}

}  // namespace tidemark
