#ifndef TIDEMARK_CLIENT_CONTEXTS_H_
#define TIDEMARK_CLIENT_CONTEXTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/connection.h"

// contexts.yaml: the clusters that a user works with, by name.
//
//   current: lab
//   contexts:
//     lab:  {coordinator: "127.0.0.1:7070", plaintext: true}
//     prod: {coordinator: "tidemark.example:7070", tls_cert: me.crt, tls_key: me.key, tls_ca: ca.crt, token_file:
//     token}
namespace tidemark {

// One cluster. Paths are as in the file: a relative one is of the file's folder, "~/" the home folder.
struct Context {
  Connection connection;  // without a token
  std::string token_file;
};

struct Contexts {
  std::string current;  // empty: none
  std::map<std::string, Context> contexts;
};

// Error: InvalidArgument "contexts.yaml:3:5: …". Pure.
absl::StatusOr<Contexts> ParseContexts(absl::string_view text, absl::string_view file_name);

// The same of a file, with paths made absolute. Errors: NotFound: there is no such file; InvalidArgument.
absl::StatusOr<Contexts> LoadContexts(const std::string& path, const std::string& home);

// $XDG_CONFIG_HOME/tidemark/contexts.yaml, or .config in the home folder; empty when neither is known. Pure.
std::string ContextsPath(const std::string& xdg_config_home, const std::string& home);

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_CONTEXTS_H_
