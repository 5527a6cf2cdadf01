#include "coordinator/rpc/authorizer.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/rpc/credentials.h"

namespace tidemark {
namespace {

constexpr char kAnonymous[] = "anonymous";

std::string NameOr(const std::string& name, const std::string& otherwise) { return name.empty() ? otherwise : name; }

// The token of "Bearer <token>"; the scheme's case does not matter (RFC 7235).
absl::StatusOr<std::string> BearerToken(const std::vector<std::string>& authorization) {
  constexpr absl::string_view kScheme = "bearer ";
  if (authorization.empty()) {
    return absl::UnauthenticatedError(
        "a bearer token is wanted: give one with --token-file or TIDEMARK_TOKEN (metadata \"authorization: Bearer …\")");
  }
  const absl::string_view value = authorization.front();
  if (authorization.size() > 1 || !absl::StartsWithIgnoreCase(value, kScheme)) {
    return absl::UnauthenticatedError("the metadata \"authorization\" must be one \"Bearer <token>\"");
  }
  return std::string(absl::StripAsciiWhitespace(value.substr(kScheme.size())));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Authorizer>> Authorizer::Create(const AuthorizerOptions& options) {
  std::unique_ptr<TokensFile> tokens;
  if (!options.tokens_file.empty()) {
    absl::StatusOr<std::unique_ptr<TokensFile>> opened = TokensFile::Open(options.tokens_file);
    if (!opened.ok()) return opened.status();
    tokens = *std::move(opened);
  }
  return std::unique_ptr<Authorizer>(new Authorizer(options.tls, std::move(tokens)));
}

Authorizer::Authorizer(bool tls, std::unique_ptr<TokensFile> tokens) : tls_(tls), tokens_(std::move(tokens)) {}

absl::StatusOr<Caller> Authorizer::Authorize(const grpc::CallbackServerContext& context, Role wanted) {
  Credentials credentials;
  const std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  credentials.authenticated = auth != nullptr && auth->IsPeerAuthenticated();
  if (credentials.authenticated) credentials.uris = PeerUris(*auth);
  const auto [begin, end] = context.client_metadata().equal_range("authorization");
  for (auto it = begin; it != end; ++it) {
    credentials.authorization.emplace_back(it->second.data(), it->second.size());
  }
  return Authorize(credentials, wanted);
}

absl::StatusOr<Caller> Authorizer::Authorize(const Credentials& credentials, Role wanted) {
  Caller caller;
  if (tls_) {
    absl::StatusOr<Caller> certified = ByCertificate(credentials, wanted);
    if (!certified.ok()) return certified.status();
    caller = *std::move(certified);
  }
  if (wanted == Role::kClient && tokens_ != nullptr) {
    absl::StatusOr<std::string> name = ByToken(credentials, caller.name);
    if (!name.ok()) return name.status();
    caller.name = *std::move(name);
  }
  caller.name = NameOr(caller.name, kAnonymous);
  return caller;
}

absl::StatusOr<std::string> Authorizer::ByToken(const Credentials& credentials, const std::string& certified_name) {
  const absl::StatusOr<std::string> token = BearerToken(credentials.authorization);
  if (!token.ok()) return token.status();
  std::string name = tokens_->NameOf(*token);
  if (name.empty()) return absl::UnauthenticatedError("the bearer token is not in the coordinator's --tokens-file");
  if (certified_name.empty() || certified_name == name) return name;
  return absl::PermissionDeniedError(absl::StrCat("the certificate is that of client ", certified_name, ", and the bearer token that of ",
                                                  name, ": show both of one client, or a certificate that names none"));
}

absl::StatusOr<Caller> Authorizer::ByCertificate(const Credentials& credentials, Role wanted) const {
  if (!credentials.authenticated) {
    return absl::UnauthenticatedError(
        absl::StrCat("a certificate is wanted that the coordinator's CA has signed, with the URI name ", WantedUri(wanted)));
  }
  const absl::StatusOr<PeerIdentity> identity = IdentityOf(credentials.uris);
  if (!identity.ok()) return identity.status();
  if (identity->role != wanted) {
    return absl::PermissionDeniedError(
        absl::StrCat("the certificate's role is ", RoleName(identity->role), ", but this call wants ",
                     RoleName(wanted), ": use a certificate with the URI name ", WantedUri(wanted)));
  }
  return Caller{identity->name, wanted == Role::kAgent ? identity->name : ""};
}

}  // namespace tidemark
