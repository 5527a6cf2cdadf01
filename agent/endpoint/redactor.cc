#include "agent/endpoint/redactor.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/job/secret_header.h"

namespace tidemark {

Redactor::Redactor(const EndpointSpec& endpoint, absl::string_view key) {
  Add(key);
  for (const auto& header : endpoint.headers) {
    if (!IsSecretHeader(header.first)) continue;
    const absl::string_view value = absl::StripAsciiWhitespace(header.second);
    Add(value);
    const size_t space = value.find(' ');
    if (space != absl::string_view::npos) Add(absl::StripAsciiWhitespace(value.substr(space)));
  }
}

void Redactor::Add(absl::string_view secret) {
  if (secret.size() >= kShortest) secrets_.emplace_back(secret);
}

std::string Redactor::Apply(absl::string_view text, size_t limit) const {
  if (secrets_.empty()) return std::string(text.substr(0, limit));
  std::string shown;
  for (size_t at = 0; at < text.size() && shown.size() < limit;) {
    const size_t secret = SecretAt(text.substr(at));
    if (secret == 0) {
      shown.push_back(text[at++]);
    } else {
      shown.append(kRedacted);
      at += secret;
    }
  }
  shown.resize(std::min(shown.size(), limit));
  return shown;
}

size_t Redactor::SecretAt(absl::string_view text) const {
  size_t longest = 0;
  for (const std::string& secret : secrets_) {
    const size_t compared = std::min(secret.size(), text.size());
    if (compared < kShortest || !absl::StartsWith(secret, text.substr(0, compared))) continue;
    longest = std::max(longest, compared);
  }
  return longest;
}

}  // namespace tidemark
