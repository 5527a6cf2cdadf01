#include "agent/session/secret_source.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/url/url.h"

namespace tidemark {
namespace {

constexpr char kHosts[] = ".hosts";
constexpr char kHttp[] = "http://";
constexpr char kHttps[] = "https://";

bool IsSecretByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.'; }

absl::Status Denied(const std::string& name, absl::string_view why) {
  return absl::PermissionDeniedError(absl::StrCat("api_key_env \"", name, "\": ", why));
}

absl::StatusOr<std::vector<SecretBinding>> ParseHosts(const std::vector<std::string>& lines) {
  std::vector<SecretBinding> hosts;
  for (const std::string& line : lines) {
    absl::string_view rest = line;
    const bool unprotected = absl::ConsumePrefix(&rest, kHttp);
    if (!unprotected) absl::ConsumePrefix(&rest, kHttps);
    absl::StatusOr<HostPattern> host = HostPattern::Parse(rest);
    if (!host.ok()) return host.status();
    hosts.push_back({*std::move(host), unprotected, line});
  }
  return hosts;
}

std::vector<std::string> LinesOf(absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view given : absl::StrSplit(text, '\n')) {
    const absl::string_view line = absl::StripAsciiWhitespace(given);
    if (!line.empty() && line.front() != '#') lines.emplace_back(line);
  }
  return lines;
}

std::string Shown(const std::vector<SecretBinding>& hosts) {
  return absl::StrJoin(hosts, ", ", [](std::string* out, const SecretBinding& host) { absl::StrAppend(out, host.text); });
}

absl::Status CheckDestination(const std::vector<SecretBinding>& hosts, const std::string& host, uint16_t port,
                              bool unprotected, const std::string& where) {
  const auto matches = [&](const SecretBinding& binding) { return binding.host.MatchesName(host, port); };
  const auto bound = std::find_if(hosts.begin(), hosts.end(), matches);
  if (bound == hosts.end()) {
    return absl::PermissionDeniedError(
        absl::StrCat("this agent may send it to ", Shown(hosts), " only, not to ", host, ":", port, where));
  }
  const auto allows = [&](const SecretBinding& binding) { return binding.unprotected && matches(binding); };
  if (!unprotected || IsLoopbackHost(host) || std::any_of(bound, hosts.end(), allows)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("this agent may send it to ", bound->text, " only over https with the certificate verified, not over http or "
                   "with verification off; where that is meant, write ", kHttp, absl::StripPrefix(bound->text, kHttps),
                   " in its place", where));
}

}  // namespace

SecretReader RealSecretReader() {
  SecretReader reader;
  reader.file = [](const std::string& path) -> std::optional<std::string> {
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad()) return std::nullopt;
    return text;
  };
  reader.env = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  return reader;
}

bool IsSecretName(absl::string_view name) {
  if (name.empty() || name.size() > 200 || absl::EndsWith(name, kHosts)) return false;
  const bool begins = absl::ascii_isalpha(static_cast<unsigned char>(name.front())) || name.front() == '_';
  return begins && std::all_of(name.begin(), name.end(), IsSecretByte);
}

absl::StatusOr<SecretSource> SecretSource::Create(const SecretOptions& options, SecretReader reader) {
  SecretSource source(options.dir, std::move(reader));
  for (const std::string& given : options.env) {
    if (absl::Status status = source.AddVariable(given); !status.ok()) return status;
  }
  return source;
}

absl::Status SecretSource::AddVariable(absl::string_view given) {
  const size_t at = given.find('@');
  const absl::string_view name = given.substr(0, at);
  if (at == absl::string_view::npos || !IsSecretName(name) || at + 1 == given.size()) {
    // It may be the secret itself.
    return absl::InvalidArgumentError(
        "--secret-env must be NAME@HOST[,HOST…]: the name of a variable of this agent's environment, and the hosts its value may "
        "go to, like OPENAI_API_KEY@api.openai.com");
  }
  const std::vector<std::string> texts = absl::StrSplit(given.substr(at + 1), ',');
  absl::StatusOr<std::vector<SecretBinding>> hosts = ParseHosts(texts);
  if (!hosts.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--secret-env ", name, "@…: ", hosts.status().message()));
  }
  std::vector<SecretBinding>& all = variables_[std::string(name)];
  std::move(hosts->begin(), hosts->end(), std::back_inserter(all));
  return absl::OkStatus();
}

absl::StatusOr<std::string> SecretSource::Resolve(const std::string& name, const std::string& host, uint16_t port,
                                                  bool unprotected) const {
  if (!IsSecretName(name)) return Denied(absl::StrCat(name), "is no name of a secret: letters, digits, '_', '-' and '.' make one");
  const auto variable = variables_.find(name);
  const bool is_variable = variable != variables_.end();
  const std::optional<std::string> value = is_variable ? reader_.env(name) : FileOf(name);
  if (!value && is_variable) return Denied(name, "is not set in this agent's environment");
  if (!value) return Denied(name, "is not among the secrets this agent may use (--secret-env, --secrets-dir)");
  const absl::StatusOr<std::vector<SecretBinding>> hosts =
      is_variable ? absl::StatusOr<std::vector<SecretBinding>>(variable->second) : HostsOfFile(name);
  if (!hosts.ok()) return hosts.status();
  const std::string where = is_variable ? " (--secret-env)" : absl::StrCat(" (", dir_, "/", name, kHosts, ")");
  if (absl::Status s = CheckDestination(*hosts, host, port, unprotected, where); !s.ok()) return Denied(name, s.message());
  return std::string(absl::StripTrailingAsciiWhitespace(*value));  // a file's last line end is none of it
}

std::optional<std::string> SecretSource::FileOf(const std::string& name) const {
  if (dir_.empty()) return std::nullopt;
  return reader_.file(absl::StrCat(dir_, "/", name));
}

absl::StatusOr<std::vector<SecretBinding>> SecretSource::HostsOfFile(const std::string& name) const {
  const std::string path = absl::StrCat(dir_, "/", name, kHosts);
  const std::optional<std::string> text = reader_.file(path);
  const std::vector<std::string> lines = LinesOf(text.value_or(""));
  if (lines.empty()) {
    return Denied(name, absl::StrCat(path, text ? " is empty" : " is missing",
                                     ": it must list the hosts that the secret may go to, one a line"));
  }
  absl::StatusOr<std::vector<SecretBinding>> hosts = ParseHosts(lines);
  if (!hosts.ok()) return Denied(name, absl::StrCat(path, ": ", hosts.status().message()));
  return hosts;
}

}  // namespace tidemark
