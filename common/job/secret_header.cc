#include "common/job/secret_header.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace tidemark {

bool IsSecretHeader(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (absl::string_view part : {"auth", "cookie", "key", "token", "secret", "password",
                                 "credential", "signature"}) {
    if (absl::StrContains(lower, part)) return true;
  }
  return false;
}

}  // namespace tidemark
