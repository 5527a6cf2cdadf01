#include "common/files/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/descriptors/owned_fd.h"

namespace tidemark {
namespace {

// 0, or errno.
int WriteNewFile(const std::string& path, absl::string_view content) {
  const OwnedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (fd.get() < 0) return errno;
  const int error = WriteAll(fd.get(), content);
  if (error != 0) return error;
  return fsync(fd.get()) == 0 ? 0 : errno;
}

}  // namespace

int WriteAll(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

void SyncFolder(const std::string& path) {
  const OwnedFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) (void)fsync(fd.get());
}

absl::Status FileError(absl::string_view what, const std::string& path, int error) {
  const std::string text = absl::StrCat(what, " ", path, ": ", strerror(error));
  const bool full = error == ENOSPC || error == EDQUOT;
  return full ? absl::ResourceExhaustedError(text) : absl::UnavailableError(text);
}

absl::Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? FileError("cannot make folder", path, error.value()) : absl::OkStatus();
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view content) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  absl::Status made = parent.empty() ? absl::OkStatus() : MakeFolders(parent);
  if (!made.ok()) return made;
  const std::string temporary = absl::StrCat(path, ".tmp.", getpid());
  int error = WriteNewFile(temporary, content);
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return FileError("cannot write", path, error);
  }
  if (!parent.empty()) SyncFolder(parent);
  return absl::OkStatus();
}

}  // namespace tidemark
