#ifndef TIDEMARK_COORDINATOR_STORE_DIRECTORY_LOCK_H_
#define TIDEMARK_COORDINATOR_STORE_DIRECTORY_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/descriptors/owned_fd.h"

namespace tidemark {

// Makes `dir` (0700, its parents as the umask says) unless it is there. InvalidArgument when it is no directory or
// cannot be made.
absl::Status MakeDataDirectory(const std::string& dir);

// A data directory that is this object's alone: no other process, and no other object of this one, gets it. The kernel
// keeps the lock, so it ends with the process, however that dies. <dir>/lock says who holds it and stays
// behind. Thread-compatible.
class DirectoryLock {
 public:
  // AlreadyExists naming the holder's process and host; InvalidArgument when <dir>/lock cannot be written or locked,
  // ResourceExhausted when the disk is full.
  static absl::StatusOr<DirectoryLock> Acquire(const std::string& dir);

 private:
  explicit DirectoryLock(OwnedFd fd) : fd_(std::move(fd)) {}
  OwnedFd fd_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_STORE_DIRECTORY_LOCK_H_
