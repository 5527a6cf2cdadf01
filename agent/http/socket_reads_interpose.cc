// The program's own recv and poll, which its symbol table puts before libc's: libcurl calls both for each event. On
// a thread with a look they know more than libc's; everywhere else (gRPC, HTTP servers) they only pass on.
#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>

#include "agent/http/socket_reads.h"

namespace tidemark {
namespace {

thread_local SocketReads* t_looking = nullptr;

// libc's, or a sanitizer's that stands before it.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

ssize_t Receive(SocketReads* reads, int fd, void* buffer, size_t room) {
  int64_t stamp = 0;
  const ssize_t got = ReceiveStamped(fd, buffer, room, 0, &stamp);
  if (got >= 0) reads->OnRead(fd, static_cast<size_t>(got), room, stamp);
  return got;
}

bool OnlyAsksForBytes(const pollfd& asked) {
  constexpr short kBytes = POLLIN | POLLRDNORM | POLLRDBAND | POLLPRI;
  return (asked.events & ~kBytes) == 0;
}

}  // namespace

SocketReads::Look::Look(SocketReads* reads, int fd, bool) : reads_(reads) {
  reads->Begin(fd);
  t_looking = reads;
}

SocketReads::Look::~Look() {
  t_looking = nullptr;
  reads_->End();
}

}  // namespace tidemark

extern "C" ssize_t recv(int fd, void* buffer, size_t room, int flags) {
  static auto* const next = tidemark::Next<decltype(recv)>("recv");
  tidemark::SocketReads* const reads = tidemark::t_looking;
  if (reads == nullptr || flags != 0) return next(fd, buffer, room, flags);
  return tidemark::Receive(reads, fd, buffer, room);
}

// libcurl asks after each read whether there is more. A read that did not fill its buffer has said so, and epoll
// tells of what comes later.
extern "C" int poll(pollfd* asked, nfds_t count, int millis) {
  static auto* const next = tidemark::Next<decltype(poll)>("poll");
  const tidemark::SocketReads* const reads = tidemark::t_looking;
  if (reads == nullptr || count != 1 || millis != 0 || !reads->Emptied(asked->fd) ||
      !tidemark::OnlyAsksForBytes(*asked)) {
    return next(asked, count, millis);
  }
  asked->revents = 0;
  return 0;
}
