#ifndef TIDEMARK_AGENT_SESSION_SECRET_SOURCE_H_
#define TIDEMARK_AGENT_SESSION_SECRET_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/session/host_pattern.h"

namespace tidemark {

struct SecretOptions {
  // --secrets-dir: a file NAME with the secret, and beside it NAME.hosts with the hosts it may go to, one a line (#
  // comments). Empty: none.
  std::string dir;
  // --secret-env, each "NAME@HOST[,HOST…]": a variable of the agent's environment, and where it may go.
  std::vector<std::string> env;
};

// Where a secret may go: a HostPattern, or one with "http://" before it, to which it may also go unprotected: over http,
// or over https without verification of the certificate. "https://" before it says nothing more.
struct SecretBinding {
  HostPattern host;
  bool unprotected = false;
  std::string text;  // as it was given
};

// How secrets are read; nothing for what is not there.
struct SecretReader {
  std::function<std::optional<std::string>(const std::string& path)> file;
  std::function<std::optional<std::string>(const std::string& name)> env;
};

// The machine's.
SecretReader RealSecretReader();

// A name that may stand for a secret: letters, digits, '_', '-', '.', the first a letter or '_', the end not
// ".hosts". So no path leads out of the secrets' folder.
bool IsSecretName(absl::string_view name);

// The secrets that an agent may send to endpoints. Jobs know them by name only, and each goes to its own hosts
// only: whoever can start a job must not be able to send one elsewhere. Immutable; thread-safe as its reader is.
class SecretSource {
 public:
  // InvalidArgument names the flag and what it should look like. What was given is repeated only where it
  // cannot be a secret.
  static absl::StatusOr<SecretSource> Create(const SecretOptions& options, SecretReader reader);

  // The value of `name` for requests to `host`; read anew each time. `unprotected`: over http, or to whoever answers,
  // which only its binding or a loopback host allows. PermissionDenied with a sentence that says why not, and never
  // holds the value. --secret-env goes before --secrets-dir.
  absl::StatusOr<std::string> Resolve(const std::string& name, const std::string& host, uint16_t port,
                                      bool unprotected) const;

 private:
  SecretSource(std::string dir, SecretReader reader) : dir_(std::move(dir)), reader_(std::move(reader)) {}

  absl::Status AddVariable(absl::string_view given);
  absl::StatusOr<std::vector<SecretBinding>> HostsOfFile(const std::string& name) const;
  std::optional<std::string> FileOf(const std::string& name) const;

  std::string dir_;
  SecretReader reader_;
  std::map<std::string, std::vector<SecretBinding>> variables_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_SECRET_SOURCE_H_
