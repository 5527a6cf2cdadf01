#include "common/rpc/peer_identity.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tidemark {
namespace {

constexpr Role kRoles[] = {Role::kAgent, Role::kClient, Role::kCoordinator};

// SPIFFE's letters of a path segment.
bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
}

bool IsSegment(absl::string_view text) {
  return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), IsNameByte);
}

std::optional<Role> ParseRole(absl::string_view text) {
  for (const Role role : kRoles) {
    if (text == RoleName(role)) return role;
  }
  return std::nullopt;
}

}  // namespace

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kAgent: return "agent";
    case Role::kClient: return "client";
    case Role::kCoordinator: break;
  }
  return "coordinator";
}

std::optional<PeerIdentity> ParseIdentityUri(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "spiffe://")) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(uri, '/');
  if (parts.size() < 3 || parts.size() > 4 || parts[1] != "tidemark") return std::nullopt;
  if (!std::all_of(parts.begin(), parts.end(), IsSegment)) return std::nullopt;
  const std::optional<Role> role = ParseRole(parts[2]);
  if (!role) return std::nullopt;
  const bool named = parts.size() == 4;
  if (named && *role == Role::kCoordinator) return std::nullopt;
  return PeerIdentity{*role, named ? parts[3] : ""};
}

absl::StatusOr<PeerIdentity> IdentityOf(const std::vector<std::string>& uris) {
  std::optional<PeerIdentity> found;
  for (const std::string& uri : uris) {
    std::optional<PeerIdentity> identity = ParseIdentityUri(uri);
    if (!identity) continue;
    if (found) {
      return absl::UnauthenticatedError(
          "the certificate names more than one Tidemark role: give each part a certificate of its own");
    }
    found = std::move(identity);
  }
  if (found) return *std::move(found);
  return absl::UnauthenticatedError(
      absl::StrCat("the certificate names no Tidemark role: it needs a URI name (SAN) such as ",
                   WantedUri(Role::kAgent), " or ", WantedUri(Role::kClient)));
}

std::string WantedUri(Role role) {
  const absl::string_view name = role == Role::kAgent ? "[/<agent id>]" : role == Role::kClient ? "[/<name>]" : "";
  return absl::StrCat("spiffe://<trust domain>/tidemark/", RoleName(role), name);
}

}  // namespace tidemark
