#include "simulator/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr int kBacklog = 4096;

absl::Status RefuseAddress(const std::string& host, int port, const char* why) {
  return absl::UnavailableError(absl::StrCat("listen '", host, ":", port, "': ", why,
                                             "; give an address of this host and a free port (0 picks one)"));
}

// -1, and errno, when the address cannot be had.
int OpenListener(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // accepted sockets inherit it
  if (::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

void RaiseFileLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

absl::StatusOr<int> ListenOn(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return RefuseAddress(host, port, gai_strerror(error));
  const int fd = OpenListener(*found);
  const int open_error = errno;
  ::freeaddrinfo(found);
  if (fd < 0) return RefuseAddress(host, port, std::strerror(open_error));
  return fd;
}

int PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port)
                                       : ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

std::string UrlOf(const std::string& scheme, const std::string& host, int port) {
  const bool wide = host.empty() || host == "0.0.0.0" || host == "::";
  const std::string name = wide ? "127.0.0.1" : host;
  return absl::StrCat(scheme, "://", absl::StrContains(name, ":") ? absl::StrCat("[", name, "]") : name, ":", port);
}

}  // namespace tidemark
