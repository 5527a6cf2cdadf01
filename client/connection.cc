#include "client/connection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/contexts.h"

namespace tidemark {
namespace {

constexpr size_t kLargestToken = 4'096;

std::string NamesIn(const Contexts& contexts) {
  std::vector<std::string> names;
  for (const auto& [name, context] : contexts.contexts) names.push_back(name);
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

absl::Status NoCoordinator(const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat("which coordinator? Give --coordinator HOST:PORT, or --context NAME",
                   path.empty() ? "" : absl::StrCat(" (or set current: in ", path, ")")));
}

// The context that the flags mean; an empty one when --coordinator stands alone.
absl::StatusOr<Context> ContextOf(const ConnectionFlags& flags, bool use_current, std::string* name) {
  if (!flags.coordinator.empty() && flags.context.empty()) return Context();
  absl::StatusOr<Contexts> contexts = LoadContexts(flags.contexts_path, flags.home);
  if (absl::IsNotFound(contexts.status())) {
    if (flags.context.empty()) return NoCoordinator(flags.contexts_path);
    return absl::InvalidArgumentError(
        absl::StrCat("--context is ", flags.context, ": ", contexts.status().message()));
  }
  if (!contexts.ok()) return contexts.status();
  *name = flags.context.empty() && use_current ? contexts->current : flags.context;
  if (name->empty()) return NoCoordinator(flags.contexts_path);
  const auto found = contexts->contexts.find(*name);
  if (found != contexts->contexts.end()) return found->second;
  return absl::InvalidArgumentError(
      absl::StrCat("--context is ", *name, ": ", flags.contexts_path, " has ", NamesIn(*contexts)));
}

void Overlay(const std::string& given, std::string* value) {
  if (!given.empty()) *value = given;
}

void Overlay(const ConnectionFlags& flags, Context* context) {
  Connection& connection = context->connection;
  if (flags.plaintext) connection.plaintext = *flags.plaintext;
  // A flag says that the context's files are not wanted.
  if (flags.plaintext.value_or(false)) connection.tls_cert = connection.tls_key = connection.tls_ca = "";
  Overlay(flags.coordinator, &connection.coordinator);
  Overlay(flags.tls_cert, &connection.tls_cert);
  Overlay(flags.tls_key, &connection.tls_key);
  Overlay(flags.tls_ca, &connection.tls_ca);
  Overlay(flags.token_file, &context->token_file);
}

absl::StatusOr<std::string> ReadSmallFile(int fd) {
  std::string text(kLargestToken + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::InvalidArgumentError(strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size == text.size())
    return absl::InvalidArgumentError(absl::StrCat("it has more than ", kLargestToken, " bytes"));
  return text.substr(0, size);
}

}  // namespace

absl::StatusOr<ChosenConnection> ChooseConnection(const ConnectionFlags& flags, bool use_current) {
  ChosenConnection chosen;
  absl::StatusOr<Context> context = ContextOf(flags, use_current, &chosen.context);
  if (!context.ok()) return context.status();
  Overlay(flags, &*context);
  chosen.connection = context->connection;
  const Connection& connection = chosen.connection;
  if (!connection.plaintext && connection.tls_cert.empty() && connection.tls_key.empty() &&
      connection.tls_ca.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("how is ", connection.coordinator,
                                                   " reached? Give --tls-cert, --tls-key and --tls-ca (or name them "
                                                   "in a context), or --plaintext where the coordinator has "
                                                   "it too"));
  }
  // A token in the environment stands for the file of a context, not for one of a flag.
  if (!flags.token.empty() && flags.token_file.empty()) {
    chosen.connection.token = flags.token;
  } else if (!context->token_file.empty()) {
    absl::StatusOr<TokenText> text = ReadTokenFile(context->token_file);
    if (!text.ok()) return text.status();
    chosen.connection.token = std::move(text->token);
    chosen.warning = std::move(text->warning);
  }
  return chosen;
}

absl::StatusOr<TokenText> ReadTokenFile(const std::string& path) {
  const auto refuse = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("--token-file is ", path, ": ", why));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(strerror(errno));
  struct stat facts {};
  const bool known = fstat(fd, &facts) == 0;
  absl::StatusOr<std::string> text = ReadSmallFile(fd);
  close(fd);
  if (!text.ok()) return refuse(text.status().message());
  TokenText read;
  read.token = std::string(absl::StripAsciiWhitespace(*text));
  if (read.token.empty()) return refuse("it is empty: want the token, as whoever runs the coordinator gave it");
  const unsigned mode = facts.st_mode & 0777U;
  if (known && S_ISREG(facts.st_mode) && (mode & 0004U) != 0) {
    read.warning = absl::StrCat("everyone on this host can read the token in ", path, " (mode ",
                                absl::StrFormat("%04o", mode), "): chmod 600 it");
  }
  return read;
}

}  // namespace tidemark
