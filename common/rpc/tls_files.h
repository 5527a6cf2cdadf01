#ifndef TIDEMARK_COMMON_RPC_TLS_FILES_H_
#define TIDEMARK_COMMON_RPC_TLS_FILES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "common/rpc/peer_identity.h"

namespace tidemark {

// PEM files of one part: what it shows to others, and whom it trusts.
struct TlsFiles {
  std::string cert;  // --tls-cert: its certificate, then those between it and the CA
  std::string key;   // --tls-key: the certificate's private key, not encrypted
  std::string ca;    // --tls-ca: who signs the certificates of the others
};

// Looks at the files as a start of the program must, so that a wrong one is said once and clearly instead
// of at each handshake: each can be read, the key belongs to the certificate, the certificate is valid
// at `wall_ns` (since the Unix epoch) and names the role `own`. InvalidArgument names the flag, the file, and what is
// wrong.
absl::Status CheckTlsFiles(const TlsFiles& files, Role own, int64_t wall_ns);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_TLS_FILES_H_
