#include "common/descriptors/owned_fd.h"

#include <unistd.h>

namespace tidemark {

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace tidemark
