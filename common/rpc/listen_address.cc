#include "common/rpc/listen_address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

absl::Status Bad(absl::string_view flag, absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " is \"", text, "\": ", what));
}

bool IsIpv6(absl::string_view text) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

bool IsHostByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
}

// The host before the last colon: in brackets when it holds colons itself.
absl::StatusOr<std::string> ParseHost(absl::string_view flag, absl::string_view text, absl::string_view host) {
  if (absl::StartsWith(host, "[")) {
    const bool closed = absl::EndsWith(host, "]");
    if (!closed || !IsIpv6(host.substr(1, host.size() - 2))) {
      return Bad(flag, text, "an IPv6 address is written like [::1]:7070");
    }
    return std::string(host.substr(1, host.size() - 2));
  }
  if (absl::StrContains(host, ":")) return Bad(flag, text, "an IPv6 address needs brackets, like [::1]:7070");
  if (host.empty()) return Bad(flag, text, "it names no host; write HOST:PORT, like 0.0.0.0:7070 or 127.0.0.1:7070");
  if (!std::all_of(host.begin(), host.end(), IsHostByte)) {
    return Bad(flag, text, absl::StrCat("\"", host, "\" is no host name; write HOST:PORT, without a scheme or path"));
  }
  return std::string(host);
}

absl::StatusOr<NetAddress> Parse(absl::string_view flag, absl::string_view text, uint32_t least) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || absl::EndsWith(text, "]")) {
    return Bad(flag, text, "the port is missing; write HOST:PORT, like 127.0.0.1:7070");
  }
  const absl::string_view port_text = text.substr(colon + 1);
  absl::StatusOr<std::string> host = ParseHost(flag, text, text.substr(0, colon));
  if (!host.ok()) return host.status();
  uint32_t port = 0;
  const bool digits = !port_text.empty() && std::all_of(port_text.begin(), port_text.end(), IsDigit);
  if (!digits || !absl::SimpleAtoi(port_text, &port) || port < least || port > 65'535) {
    return Bad(flag, text, absl::StrCat("the port \"", port_text, "\" must be ", least, " to 65535"));
  }
  return NetAddress{*std::move(host), static_cast<uint16_t>(port)};
}

}  // namespace

absl::StatusOr<NetAddress> ParseListenAddress(absl::string_view flag, absl::string_view text) {
  return Parse(flag, text, 0);
}

absl::StatusOr<NetAddress> ParseDialAddress(absl::string_view flag, absl::string_view text) {
  return Parse(flag, text, 1);
}

std::string ToString(const NetAddress& address) {
  const bool brackets = absl::StrContains(address.host, ":");
  return absl::StrCat(brackets ? "[" : "", address.host, brackets ? "]" : "", ":", address.port);
}

}  // namespace tidemark
