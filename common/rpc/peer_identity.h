#ifndef TIDEMARK_COMMON_RPC_PEER_IDENTITY_H_
#define TIDEMARK_COMMON_RPC_PEER_IDENTITY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// Who a certificate says that its holder is. Pure.
namespace tidemark {

enum class Role { kAgent, kClient, kCoordinator };

// "agent", "client", "coordinator".
absl::string_view RoleName(Role role);

struct PeerIdentity {
  Role role = Role::kClient;
  std::string name;  // an agent's id, or a client's name; empty: the certificate does not bind one
};

// Reads spiffe://<trust domain>/tidemark/<role>[/<name>], where a coordinator has no name and the trust
// domain may be any: who is trusted is up to the CA. Nothing for every other URI.
std::optional<PeerIdentity> ParseIdentityUri(absl::string_view uri);

// The one identity among the URI names (subject alternative names) of a certificate; names of others
// are passed over. Unauthenticated, with the URI that is wanted, when there is none or more than one.
absl::StatusOr<PeerIdentity> IdentityOf(const std::vector<std::string>& uris);

// "spiffe://<trust domain>/tidemark/agent[/<agent id>]": what a certificate of `role` must name.
std::string WantedUri(Role role);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_PEER_IDENTITY_H_
