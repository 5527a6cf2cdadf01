#include "coordinator/store/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/files/whole_file.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

absl::Status Refused(const std::string& dir, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("the data directory ", dir, " ", why, ": give a directory that this user may write"));
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "this host";
}

// What the holder wrote, "PID HOST", in words. It may be about to write it.
std::string DescribeHolder(int fd) {
  std::array<char, 512> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), size > 0 ? static_cast<size_t>(size) : 0), absl::ByAnyChar(" \n"));
  if (parts.size() < 2 || parts[0].empty()) return "another process";
  return absl::StrCat("process ", parts[0], " on ", parts[1]);
}

absl::Status LockError(const std::string& dir, int fd, int error) {
  if (error != EWOULDBLOCK) return Refused(dir, absl::StrCat("cannot be locked (", strerror(error), ")"));
  return absl::AlreadyExistsError(absl::StrCat("the data directory ", dir, " is held by ", DescribeHolder(fd),
                                               ": stop that process, or give another directory"));
}

absl::Status WriteHolder(int fd, const std::string& dir) {
  const std::string holder = absl::StrCat(getpid(), " ", HostName(), "\n");
  if (ftruncate(fd, 0) == 0 && pwrite(fd, holder.data(), holder.size(), 0) == static_cast<ssize_t>(holder.size())) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat("the disk is full: ", dir, "/lock cannot be written (",
                                                   strerror(errno), ")"));
}

}  // namespace

absl::Status MakeDataDirectory(const std::string& dir) {
  if (dir.empty()) return Refused("\"\"", "has no name");
  std::error_code error;
  if (fs::is_directory(dir, error)) return absl::OkStatus();
  if (fs::exists(dir, error)) return Refused(dir, "is no directory");
  const fs::path path = fs::absolute(dir).lexically_normal() / "";  // with one slash at its end
  const fs::path parent = path.parent_path().parent_path();
  fs::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) != 0) return Refused(dir, absl::StrCat("cannot be made (", strerror(errno), ")"));
  SyncFolder(parent);  // else what was made just now may be gone after a crash
  return absl::OkStatus();
}

// flock is about this open file, not about the process: a second open of the same process is refused as well, and
// nothing but the last descriptor's end gives it back. Children do not inherit it (O_CLOEXEC).
absl::StatusOr<DirectoryLock> DirectoryLock::Acquire(const std::string& dir) {
  const std::string path = dir + "/lock";
  OwnedFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return Refused(dir, absl::StrCat("cannot be written (", strerror(errno), ")"));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return LockError(dir, fd.get(), errno);
  if (absl::Status s = WriteHolder(fd.get(), dir); !s.ok()) return s;
  return DirectoryLock(std::move(fd));
}

}  // namespace tidemark
