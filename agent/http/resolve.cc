#include "agent/http/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr int kFamilyTestMillis = 500;

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::Status Malformed(absl::string_view url, absl::string_view wrong) {
  const size_t at = url.find('@');
  const absl::string_view shown = at == absl::string_view::npos ? url : url.substr(at + 1);
  return absl::InvalidArgumentError(
      absl::StrCat("url \"", shown, "\": ", wrong, "; it looks like http://host:port/path"));
}

absl::Status SplitAuthority(absl::string_view url, absl::string_view authority, UrlParts* parts) {
  absl::string_view port;
  if (!authority.empty() && authority[0] == '[') {
    const size_t end = authority.find(']');
    if (end == absl::string_view::npos) return Malformed(url, "'[' without ']'");
    parts->host = std::string(authority.substr(1, end - 1));
    port = authority.substr(end + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    parts->host = std::string(authority.substr(0, colon));
    port = authority.substr(colon);
  }
  if (parts->host.empty()) return Malformed(url, "no host");
  uint32_t number = parts->tls ? 443 : 80;
  if (!port.empty() && (port[0] != ':' || !absl::SimpleAtoi(port.substr(1), &number) ||
                        number == 0 || number > 65535)) {
    return Malformed(url, "the port is not a number from 1 to 65535");
  }
  parts->port = static_cast<uint16_t>(number);
  return absl::OkStatus();
}

// Empty when it has none.
std::string IpText(const addrinfo& info) {
  char ip[NI_MAXHOST];
  const int error = getnameinfo(info.ai_addr, info.ai_addrlen, ip, sizeof(ip), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? ip : "";
}

std::string AddressText(const addrinfo& info) {
  const std::string ip = IpText(info);
  if (ip.empty()) return "";
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(info.ai_addr);
  return HostPort(ip, ntohs(v4->sin_port));  // at the same place in both families
}

// True when a connection to `info` is made within the test's time.
bool TakesConnections(const addrinfo& info) {
  const int fd = socket(info.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  bool connected = connect(fd, info.ai_addr, info.ai_addrlen) == 0;
  pollfd ready{fd, POLLOUT, 0};
  if (!connected && errno == EINPROGRESS && poll(&ready, 1, kFamilyTestMillis) == 1) {
    int error = 0;
    socklen_t size = sizeof(error);
    connected = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  close(fd);
  return connected;
}

const addrinfo* FirstOf(const addrinfo* list, int family) {
  while (list != nullptr && list->ai_family != family) list = list->ai_next;
  return list;
}

// The family to use alone, or AF_UNSPEC for all addresses.
int UsableFamily(const addrinfo* list) {
  const addrinfo* v4 = FirstOf(list, AF_INET);
  const addrinfo* v6 = FirstOf(list, AF_INET6);
  if (v4 == nullptr || v6 == nullptr) return AF_UNSPEC;
  const bool v4_works = TakesConnections(*v4);
  if (v4_works == TakesConnections(*v6)) return AF_UNSPEC;
  return v4_works ? AF_INET : AF_INET6;
}

std::vector<std::string> AddressesOf(const addrinfo* list) {
  const int family = UsableFamily(list);
  std::vector<std::string> addresses;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    if (family != AF_UNSPEC && info->ai_family != family) continue;
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    const std::string text = AddressText(*info);
    const bool known = std::find(addresses.begin(), addresses.end(), text) != addresses.end();
    if (!text.empty() && !known) addresses.push_back(text);
  }
  return addresses;
}

// RFC 6761 §6.3: such names are this host, whatever a resolver says; a bare chroot or container has no
// /etc/hosts to say it. libcurl does the same.
bool IsLocalhost(absl::string_view host) {
  if (absl::EndsWith(host, ".")) host.remove_suffix(1);
  return absl::EqualsIgnoreCase(host, "localhost") || absl::EndsWithIgnoreCase(host, ".localhost");
}

bool IsNumeric(const std::string& host) {
  in_addr ignored;
  return absl::StrContains(host, ":") || inet_pton(AF_INET, host.c_str(), &ignored) == 1;
}

// The addresses of `parts`, both families' loopback ones for this host; getaddrinfo's error, 0 for none. A resolver is
// asked only for families that this host has an address of: under podman it is silent for seconds about the other.
int Lookup(const UrlParts& parts, AddressList* list) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const char* const host = IsLocalhost(parts.host) ? nullptr : parts.host.c_str();
  if (host != nullptr && !IsNumeric(parts.host)) hints.ai_flags = AI_ADDRCONFIG;
  const int error = getaddrinfo(host, absl::StrCat(parts.port).c_str(), &hints, &found);
  list->reset(found);
  return error;
}

absl::Status CheckAll(const AddressCheck& check, const UrlParts& parts, const addrinfo* list) {
  for (const addrinfo* info = list; info != nullptr && check; info = info->ai_next) {
    if (absl::Status status = check(parts.host, IpText(*info), parts.port); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<UrlParts> ParseUrl(absl::string_view url) {
  UrlParts parts;
  absl::string_view rest = url;
  if (absl::StartsWithIgnoreCase(rest, "https://")) {
    parts.tls = true;
    rest.remove_prefix(8);
  } else if (absl::StartsWithIgnoreCase(rest, "http://")) {
    rest.remove_prefix(7);
  } else {
    return Malformed(url, "neither http:// nor https://");
  }
  const size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  absl::string_view authority = rest.substr(0, slash);
  const size_t at = authority.rfind('@');
  if (at != absl::string_view::npos) authority.remove_prefix(at + 1);
  const absl::string_view path = rest.substr(slash);
  parts.path = absl::StrCat(absl::StartsWith(path, "/") ? "" : "/", path);
  const absl::Status split = SplitAuthority(url, authority, &parts);
  if (!split.ok()) return split;
  return parts;
}

std::string HostPort(absl::string_view ip, uint16_t port) {
  if (ip.find(':') == absl::string_view::npos) return absl::StrCat(ip, ":", port);
  return absl::StrCat("[", ip, "]:", port);
}

absl::StatusOr<TransportTarget> ResolveTarget(absl::string_view url, const AddressCheck& check) {
  const absl::StatusOr<UrlParts> parts = ParseUrl(url);
  if (!parts.ok()) return parts.status();
  AddressList list(nullptr, &freeaddrinfo);
  const int error = Lookup(*parts, &list);
  if (absl::Status status = CheckAll(check, *parts, list.get()); !status.ok()) return status;
  TransportTarget target;
  target.url = std::string(url);
  target.tls = parts->tls;
  if (error == 0) target.addresses = AddressesOf(list.get());
  if (target.addresses.empty()) {
    return absl::NotFoundError(absl::StrCat("cannot resolve host \"", parts->host, "\": ",
                                            error == 0 ? "no address" : gai_strerror(error)));
  }
  return target;
}

}  // namespace tidemark
