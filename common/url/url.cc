#include "common/url/url.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tidemark {
namespace {

// How full paths end, past their version: longest first, so that each path has one API.
constexpr absl::string_view kEndings[] = {"/chat/completions", "/completions", "/responses",
                                          "/embeddings", "/messages"};

struct Parts {
  std::string scheme;     // lower case
  std::string authority;  // host[:port] as given
  std::string host;
  uint16_t port = 0;
  bool ipv6_literal = false;
  std::string path;   // without trailing slashes
  std::string query;  // with its '?', or empty
};

// Errors repeat the URL without its query, which may hold a key.
absl::Status Bad(absl::string_view given, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("url is \"", given.substr(0, given.find_first_of("?#")), "\": ", what));
}

bool IsIpv6(absl::string_view text) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text.substr(0, text.find('%'))).c_str(), &address) == 1;
}

bool IsHostByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
}

bool IsUrlByte(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\'; }

absl::Status TakeScheme(absl::string_view given, absl::string_view* rest, Parts* parts) {
  const size_t end = given.find("://");
  *rest = given;
  if (end == absl::string_view::npos || end > given.find_first_of("/?")) return absl::OkStatus();
  parts->scheme = absl::AsciiStrToLower(given.substr(0, end));
  *rest = given.substr(end + 3);
  if (parts->scheme == "http" || parts->scheme == "https") return absl::OkStatus();
  return Bad(given, "the scheme must be http or https");
}

absl::Status TakePort(absl::string_view given, absl::string_view text, Parts* parts) {
  uint32_t port = 0;
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  if (!digits || !absl::SimpleAtoi(text, &port) || port < 1 || port > 65'535) {
    return Bad(given, absl::StrCat("the port \"", text, "\" must be 1 to 65535"));
  }
  parts->port = static_cast<uint16_t>(port);
  return absl::OkStatus();
}

absl::Status TakeIpv6(absl::string_view given, absl::string_view authority, Parts* parts) {
  const size_t close = authority.find(']');
  if (close == absl::string_view::npos || !IsIpv6(authority.substr(1, close - 1))) {
    return Bad(given, "an IPv6 address is written like [::1]:8000");
  }
  parts->ipv6_literal = true;
  parts->host = absl::AsciiStrToLower(authority.substr(1, close - 1));
  const absl::string_view after = authority.substr(close + 1);
  if (after.empty()) return absl::OkStatus();
  if (after.front() != ':') return Bad(given, "an IPv6 address is written like [::1]:8000");
  return TakePort(given, after.substr(1), parts);
}

absl::Status TakeAuthority(absl::string_view given, absl::string_view authority, Parts* parts) {
  parts->authority = absl::AsciiStrToLower(authority);
  if (absl::StartsWith(authority, "[")) return TakeIpv6(given, authority, parts);
  if (IsIpv6(authority)) return Bad(given, "an IPv6 address needs brackets, like [::1]:8000");
  const size_t colon = authority.find(':');
  const absl::string_view host = authority.substr(0, colon);
  if (host.empty()) return Bad(given, "it names no host; write something like http://vllm:8000");
  if (!std::all_of(host.begin(), host.end(), IsHostByte)) {
    return Bad(given, absl::StrCat("\"", host, "\" is no host name"));
  }
  parts->host = absl::AsciiStrToLower(host);
  if (colon == absl::string_view::npos) return absl::OkStatus();
  return TakePort(given, authority.substr(colon + 1), parts);
}

// Fills in the scheme and port that were not said.
absl::Status TakeDefaults(absl::string_view given, Parts* parts) {
  if (parts->scheme.empty()) {
    if (!IsLoopbackHost(parts->host)) {
      return Bad(given, absl::StrCat("it has no scheme; write http://", parts->authority,
                                     " or https://", parts->authority));
    }
    parts->scheme = "http";
  }
  if (parts->port == 0) parts->port = parts->scheme == "https" ? 443 : 80;
  return absl::OkStatus();
}

absl::StatusOr<Parts> Split(absl::string_view given) {
  // Nothing of it is repeated: where a password begins and ends is anyone's guess.
  if (given.find('@') != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        "url holds an \"@\", so perhaps a user name or password: give credentials as a header or by "
        "api_key_env, and write the URL without them (an \"@\" of a query is %40)");
  }
  if (!std::all_of(given.begin(), given.end(), IsUrlByte)) {
    return absl::InvalidArgumentError(
        "url holds a space or another character that no URL has: percent-encode it");
  }
  if (given.find('#') != absl::string_view::npos) {
    return Bad(given, "a fragment (#…) is never sent; leave it out");
  }
  Parts parts;
  absl::string_view rest;
  if (absl::Status s = TakeScheme(given, &rest, &parts); !s.ok()) return s;
  const size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  if (absl::Status s = TakeAuthority(given, rest.substr(0, authority_end), &parts); !s.ok()) return s;
  if (absl::Status s = TakeDefaults(given, &parts); !s.ok()) return s;
  rest.remove_prefix(authority_end);
  const size_t path_end = std::min(rest.find('?'), rest.size());
  parts.path = std::string(rest.substr(0, path_end));
  parts.query = std::string(rest.substr(path_end));
  while (absl::EndsWith(parts.path, "/")) parts.path.pop_back();
  return parts;
}

// "/v1/chat/completions" -> "/chat/completions".
absl::string_view Ending(absl::string_view api_path) {
  absl::string_view ending = api_path;
  absl::ConsumePrefix(&ending, "/v1");
  return ending;
}

// The ending that makes `path` a full one; empty when it is a base.
absl::string_view EndingOf(absl::string_view path, absl::string_view own) {
  for (const absl::string_view ending : kEndings) {
    if (absl::EndsWith(path, ending)) return ending;
  }
  return absl::EndsWith(path, own) ? own : absl::string_view();
}

// True when `path` stops in the middle of the API's: "/v1/chat".
bool StopsInside(absl::string_view path, absl::string_view ending) {
  for (size_t slash = ending.rfind('/'); slash != 0 && slash != absl::string_view::npos;
       slash = ending.rfind('/', slash - 1)) {
    if (absl::EndsWith(path, absl::StrCat("/v1", ending.substr(0, slash)))) return true;
  }
  return false;
}

}  // namespace

bool IsLoopbackHost(absl::string_view host) {
  const std::string lower = absl::AsciiStrToLower(host);
  if (lower == "localhost" || absl::EndsWith(lower, ".localhost")) return true;
  in_addr v4;
  if (inet_pton(AF_INET, lower.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, lower.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::StatusOr<ResolvedUrl> ResolveUrl(absl::string_view given, absl::string_view api_path) {
  absl::StatusOr<Parts> split = Split(absl::StripAsciiWhitespace(given));
  if (!split.ok()) return split.status();
  const Parts& parts = *split;
  const std::string origin = absl::StrCat(parts.scheme, "://", parts.authority);
  if (absl::StrContains(absl::StrCat(parts.path, "/"), "/v1/v1/")) {
    return Bad(given, absl::StrCat("/v1 is doubled; write ", origin, "/v1"));
  }
  const absl::string_view own = Ending(api_path);
  const absl::string_view found = EndingOf(parts.path, own);
  if (!found.empty() && found != own) {
    return Bad(given, absl::StrCat("this is another API's path; requests of this one go to ", api_path,
                                   ": choose the --api of the path, or leave the path out"));
  }
  if (found.empty() && StopsInside(parts.path, own)) {
    return Bad(given, absl::StrCat("the path is cut; write ", origin, " or ", origin, api_path));
  }
  absl::string_view base = parts.path;
  base.remove_suffix(found.size());
  const bool api_versioned = own != api_path;
  // A full path without a version (Azure's deployments) is used as it is.
  const bool has_version = absl::EndsWith(base, "/v1") || (api_versioned && !found.empty());
  const absl::string_view version = has_version ? "" : "/v1";
  ResolvedUrl out;
  out.url = absl::StrCat(origin, base, api_versioned ? version : "", own, parts.query);
  out.models_url = absl::StrCat(origin, base, version, "/models", parts.query);
  out.host = parts.host;
  out.port = parts.port;
  out.tls = parts.scheme == "https";
  out.ipv6_literal = parts.ipv6_literal;
  return out;
}

}  // namespace tidemark
