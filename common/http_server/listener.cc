#include "common/http_server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/rpc/listen_address.h"

namespace tidemark {
namespace {

constexpr int kBacklog = 64;

// Without a host: every address of this host.
absl::StatusOr<NetAddress> Parse(const std::string& listen) {
  const bool every = absl::StartsWith(listen, ":");
  absl::StatusOr<NetAddress> address = ParseListenAddress("the address", every ? absl::StrCat("localhost", listen) : listen);
  if (every && !address.ok()) return absl::InvalidArgumentError(absl::StrCat("the address is \"", listen, "\": should be HOST:PORT"));
  if (every) address->host.clear();
  return address;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

absl::Status Refused(const std::string& listen, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("cannot listen on ", listen, ": ", why));
}

absl::StatusOr<Addresses> Resolve(const std::string& listen, const NetAddress& at) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(at.host.empty() ? nullptr : at.host.c_str(), std::to_string(at.port).c_str(), &hints, &list);
  if (error != 0) return Refused(listen, gai_strerror(error));
  return Addresses(list);
}

// Invalid with errno when it cannot be.
OwnedFd BindAndListen(const addrinfo& address) {
  OwnedFd fd(socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return fd;
  const int on = 1, off = 0;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ai_family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (bind(fd.get(), address.ai_addr, address.ai_addrlen) == 0 && listen(fd.get(), kBacklog) == 0) return fd;
  const int error = errno;
  fd = OwnedFd();
  errno = error;
  return fd;
}

absl::StatusOr<Listener> Named(OwnedFd fd, const std::string& listen) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  auto* address = reinterpret_cast<sockaddr*>(&bound);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getsockname(fd.get(), address, &size) != 0) return Refused(listen, std::strerror(errno));
  const int error =
      getnameinfo(address, size, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
  if (error != 0) return Refused(listen, gai_strerror(error));
  const bool v6 = bound.ss_family == AF_INET6;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(port, &number)) return Refused(listen, "its port has no number");
  return Listener{std::move(fd), static_cast<uint16_t>(number),
                  absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", port)};
}

}  // namespace

absl::StatusOr<Listener> ListenOn(const std::string& listen) {
  const absl::StatusOr<NetAddress> at = Parse(listen);
  if (!at.ok()) return at.status();
  const absl::StatusOr<Addresses> addresses = Resolve(listen, *at);
  if (!addresses.ok()) return addresses.status();
  int error = 0;
  for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
    OwnedFd fd = BindAndListen(*each);
    if (fd.valid()) return Named(std::move(fd), listen);
    error = errno;
  }
  return Refused(listen, std::strerror(error));
}

OwnedFd AcceptFrom(const Listener& listener) {
  return OwnedFd(accept4(listener.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

}  // namespace tidemark
