// Where a coordinator is, and what it is given to be let in.
#ifndef TIDEMARK_CLIENT_CONNECTION_H_
#define TIDEMARK_CLIENT_CONNECTION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace tidemark {

struct Connection {
  std::string coordinator;  // HOST:PORT
  bool plaintext = false;   // else mutual TLS with the three files
  std::string tls_cert, tls_key, tls_ca;
  std::string token;  // a secret: never shown; empty: none
};

// As given by flags or the environment; empty: not given.
struct ConnectionFlags {
  std::string coordinator;
  std::string context;
  std::optional<bool> plaintext;
  std::string tls_cert, tls_key, tls_ca;
  std::string token_file;
  std::string token;          // of TIDEMARK_TOKEN; a secret
  std::string contexts_path;  // of contexts.yaml; empty: there is none
  std::string home;           // what "~/" in it stands for
};

struct ChosenConnection {
  Connection connection;
  std::string context;  // its name; empty: none was used
  std::string warning;  // one sentence; empty: none
};

// --coordinator, or the context of --context, or (`use_current`) the file's current one; flags win over what the
// context says. Reads contexts.yaml and the token's file. Errors: InvalidArgument, one line with what to give.
absl::StatusOr<ChosenConnection> ChooseConnection(const ConnectionFlags& flags, bool use_current);

// Of a file that holds nothing else. `warning`: others may read it.
struct TokenText {
  std::string token, warning;
};
absl::StatusOr<TokenText> ReadTokenFile(const std::string& path);

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_CONNECTION_H_
