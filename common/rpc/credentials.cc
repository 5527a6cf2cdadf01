#include "common/rpc/credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <functional>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

namespace tls = grpc::experimental;

// How long a changed file may go unread; gRPC takes no less.
constexpr unsigned kRefreshSeconds = 1;

std::shared_ptr<tls::CertificateProviderInterface> Watch(const TlsFiles& files) {
  return std::make_shared<tls::FileWatcherCertificateProvider>(files.key, files.cert, files.ca, kRefreshSeconds);
}

// Checks the host name as gRPC does by itself, and then the role: an agent's certificate, which the same
// CA has signed, must not pass for the coordinator's.
class CoordinatorVerifier final : public tls::ExternalCertificateVerifier {
 public:
  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* sync_status) override {
    // Done when it returns: gRPC's own verifier compares names and calls nothing back.
    host_name_.Verify(request, [](const grpc::Status&) {}, sync_status);
    if (sync_status->ok()) *sync_status = CheckRole(*request);
    return true;
  }
  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  static grpc::Status CheckRole(const tls::TlsCustomVerificationCheckRequest& request) {
    std::vector<std::string> uris;
    for (const grpc::string_ref& uri : request.uri_names()) uris.emplace_back(uri.data(), uri.size());
    const absl::StatusOr<PeerIdentity> identity = IdentityOf(uris);
    if (identity.ok() && identity->role == Role::kCoordinator) return grpc::Status::OK;
    return {grpc::StatusCode::UNAUTHENTICATED,
            absl::StrCat("what answers is no coordinator: its certificate lacks the URI name ",
                         WantedUri(Role::kCoordinator))};
  }

  tls::HostNameCertificateVerifier host_name_;
};

}  // namespace

absl::Status CheckSecurity(const TransportSecurity& security, Role own, int64_t wall_ns) {
  if (!security.plaintext) return CheckTlsFiles(security.tls, own, wall_ns);
  const TlsFiles& files = security.tls;
  if (files.cert.empty() && files.key.empty() && files.ca.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--plaintext and TLS files are both given: leave out --plaintext, or --tls-cert, --tls-key and --tls-ca");
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TransportSecurity& security) {
  if (security.plaintext) return grpc::InsecureServerCredentials();
  tls::TlsServerCredentialsOptions options(Watch(security.tls));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  // Who may do what is the authorizer's to say: clients' certificates need no host name.
  options.set_certificate_verifier(std::make_shared<tls::NoOpCertificateVerifier>());
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(const TransportSecurity& security) {
  if (security.plaintext) return grpc::InsecureChannelCredentials();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(security.tls));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<CoordinatorVerifier>());
  return tls::TlsCredentials(options);
}

std::vector<std::string> PeerUris(const grpc::AuthContext& auth) {
  std::vector<std::string> uris;
  for (const grpc::string_ref& uri : auth.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    uris.emplace_back(uri.data(), uri.size());
  }
  return uris;
}

}  // namespace tidemark
