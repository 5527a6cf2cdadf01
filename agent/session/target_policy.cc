#include "agent/session/target_policy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tidemark {
namespace {

// "[::1]:80", "vllm:80".
std::string WithPort(const std::string& host, uint16_t port) {
  const bool v6 = absl::StrContains(host, ":");
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", port);
}

}  // namespace

absl::StatusOr<TargetPolicy> TargetPolicy::Create(const std::vector<std::string>& allowed) {
  std::vector<HostPattern> patterns;
  for (const std::string& text : allowed) {
    absl::StatusOr<HostPattern> pattern = HostPattern::Parse(text);
    if (!pattern.ok()) return absl::InvalidArgumentError(absl::StrCat("--allow-target ", pattern.status().message()));
    patterns.push_back(*std::move(pattern));
  }
  return TargetPolicy(std::move(patterns));
}

TargetPolicy::TargetPolicy(std::vector<HostPattern> allowed) : allowed_(std::move(allowed)) {}

absl::Status TargetPolicy::Check(const std::string& host, const std::string& ip, uint16_t port) const {
  const std::optional<IpAddress> address = ParseIpAddress(ip);
  const std::string shown = absl::StrCat("target ", WithPort(host, port), host == ip ? "" : absl::StrCat(" (", ip, ")"));
  if (!address) return absl::FailedPreconditionError(absl::StrCat(shown, " is refused: \"", ip, "\" is no address"));
  const auto by_address = [&](const HostPattern& pattern) { return pattern.MatchesAddress(*address, port); };
  const auto by_name = [&](const HostPattern& pattern) { return pattern.MatchesName(host, port); };
  if (std::any_of(allowed_.begin(), allowed_.end(), by_address)) return absl::OkStatus();
  if (IsLinkLocal(*address)) {
    return absl::FailedPreconditionError(
        absl::StrCat(shown, " is refused: link-local addresses, where clouds keep the credentials of their hosts, are allowed "
                     "only by their address (--allow-target ", ip, ")"));
  }
  if (allowed_.empty() || std::any_of(allowed_.begin(), allowed_.end(), by_name)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(shown, " is refused: this agent's --allow-target has only ", Allowed(), "; add ", WithPort(host, port),
                   " there, or take another target"));
}

std::string TargetPolicy::Allowed() const {
  return absl::StrJoin(allowed_, ", ", [](std::string* out, const HostPattern& pattern) { absl::StrAppend(out, pattern.text()); });
}

}  // namespace tidemark
