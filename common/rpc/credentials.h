#ifndef TIDEMARK_COMMON_RPC_CREDENTIALS_H_
#define TIDEMARK_COMMON_RPC_CREDENTIALS_H_

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include "absl/status/status.h"
#include "common/rpc/tls_files.h"

// How the parts of a cluster know each other: mutual TLS, or nothing at all with --plaintext.
namespace tidemark {

struct TransportSecurity {
  bool plaintext = false;
  TlsFiles tls;  // when not plaintext
};

// For the start of a program whose own role is `own`. InvalidArgument names the flag and what would be
// right: neither or both of --plaintext and TLS files, or what CheckTlsFiles finds.
absl::Status CheckSecurity(const TransportSecurity& security, Role own, int64_t wall_ns);

// The files are read again within seconds of a change, and new connections use what was read last; those
// that stand go on. Every client must show a certificate that the CA has signed.
// REQUIRES: CheckSecurity was OK.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const TransportSecurity& security);

// For dialling the coordinator: its certificate must be signed by the CA, hold the host name dialled, and
// name the role coordinator. Files are read again as above. REQUIRES: CheckSecurity was OK.
std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(const TransportSecurity& security);

// The URI names of the peer's certificate.
std::vector<std::string> PeerUris(const grpc::AuthContext& auth);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_CREDENTIALS_H_
