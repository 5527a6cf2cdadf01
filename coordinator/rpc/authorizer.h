#ifndef TIDEMARK_COORDINATOR_RPC_AUTHORIZER_H_
#define TIDEMARK_COORDINATOR_RPC_AUTHORIZER_H_

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/server_context.h>

#include "absl/status/statusor.h"
#include "common/rpc/peer_identity.h"
#include "coordinator/rpc/tokens_file.h"

namespace tidemark {

struct AuthorizerOptions {
  bool tls = true;          // false: --plaintext, there are no certificates
  std::string tokens_file;  // empty: clients need no token
};

// Whom a call is from, by its credentials.
struct Caller {
  // The token's name, else the certificate's; "anonymous" when neither says one. Where both do they are the same.
  std::string name;
  // The only agent id that the certificate allows; empty: any. Role agent only.
  std::string agent_id;
};

// What a call brings to say who it is from.
struct Credentials {
  bool authenticated = false;              // by a certificate that the CA has signed
  std::vector<std::string> uris;           // of the certificate
  std::vector<std::string> authorization;  // values of the metadata of that name
};

// Decides who may call what. Agents need a certificate of role agent; clients one of role client and,
// where there is a tokens file, a bearer token, which is its own where the certificate names a client. Thread-safe.
class Authorizer {
 public:
  // InvalidArgument when the tokens file cannot be read: names the file and the line.
  static absl::StatusOr<std::unique_ptr<Authorizer>> Create(const AuthorizerOptions& options);

  // Unauthenticated: a credential is missing or unknown. PermissionDenied: it is another role's. Both
  // with a sentence that says which credential is wanted, and never repeats the token. May look at the
  // tokens file; does not block otherwise.
  absl::StatusOr<Caller> Authorize(const grpc::CallbackServerContext& context, Role wanted);
  absl::StatusOr<Caller> Authorize(const Credentials& credentials, Role wanted);

  // There is a tokens file.
  bool wants_tokens() const { return tokens_ != nullptr; }
  // `token` is one of them.
  bool KnowsToken(absl::string_view token) { return tokens_ != nullptr && !tokens_->NameOf(token).empty(); }

 private:
  Authorizer(bool tls, std::unique_ptr<TokensFile> tokens);

  absl::StatusOr<std::string> ByToken(const Credentials& credentials, const std::string& certified_name);
  absl::StatusOr<Caller> ByCertificate(const Credentials& credentials, Role wanted) const;

  const bool tls_;
  const std::unique_ptr<TokensFile> tokens_;  // may be null
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_AUTHORIZER_H_
