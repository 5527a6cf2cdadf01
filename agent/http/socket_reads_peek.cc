// A look at one byte before libcurl reads: its stamp stands for all that libcurl reads then.
#include <sys/socket.h>

#include "agent/http/socket_reads.h"

namespace tidemark {

SocketReads::Look::Look(SocketReads* reads, int fd, bool readable) : reads_(reads) {
  reads->Begin(fd);
  if (!reads->stamps() || fd < 0 || !readable) return;
  char byte;
  int64_t stamp = 0;
  const ssize_t got = ReceiveStamped(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT, &stamp);
  if (got > 0) reads->OnRead(fd, static_cast<size_t>(got), sizeof(byte), stamp);
}

SocketReads::Look::~Look() { reads_->End(); }

}  // namespace tidemark
