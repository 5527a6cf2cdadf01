#include "cli/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

absl::Status SystemError(absl::string_view what, const std::string& path, int error) {
  std::string text = absl::StrCat(what, " ", path, ": ", strerror(error));
  if (error == ENOSPC || error == EDQUOT) {
    absl::StrAppend(&text, "; free space, or give another --output-dir");
  }
  return absl::UnavailableError(text);
}

absl::Status MakeFolders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? SystemError("cannot make folder", path, error.value()) : absl::OkStatus();
}

// A descriptor that closes itself.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd() {
    if (fd_ >= 0) close(fd_);
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

// 0, or errno.
int WriteAll(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(fd) == 0 ? 0 : errno;
}

int WriteNewFile(const std::string& path, absl::string_view content) {
  const OwnedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  return fd.get() < 0 ? errno : WriteAll(fd.get(), content);
}

// The rename is durable only with its folder. Not every file system can: then it is not asked for.
void SyncFolder(const std::string& path) {
  const OwnedFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) (void)fsync(fd.get());
}

// Anything but folders, at whatever depth: those of a run that left nothing are no obstacle.
bool HasFiles(const std::string& path) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (!fs::is_directory(entry->symlink_status(unknown))) return true;
  }
  return static_cast<bool>(error);  // what cannot be read may have files
}

// <base>/<UTC>-<name>, with a number when two runs start in the same second.
std::string DefaultFolder(const OutputFolderOptions& options) {
  constexpr int kMostInOneSecond = 1000;
  const std::string stem =
      absl::StrCat(options.base, "/", UtcStamp(options.wall_nanos), "-", options.name);
  std::error_code error;
  std::string path = stem;
  for (int number = 2; number < kMostInOneSecond && fs::exists(path, error); ++number) {
    path = absl::StrCat(stem, "-", number);
  }
  return path;
}

// A convenience: where it cannot be made (a file system without links), the run goes on.
void PointLatest(const std::string& base, const std::string& path) {
  std::error_code error;
  const std::string temporary = absl::StrCat(base, "/.latest.", getpid());
  fs::remove(temporary, error);
  fs::create_directory_symlink(fs::path(path).filename(), temporary, error);
  if (!error) fs::rename(temporary, base + "/latest", error);
  if (error) fs::remove(temporary, error);
}

}  // namespace

std::string UtcStamp(int64_t wall_nanos) {
  const std::time_t seconds = static_cast<std::time_t>(wall_nanos / kNanosPerSecond);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
  return stamp;
}

absl::Status OutputFolder::Check(const OutputFolderOptions& options) {
  if (options.dir.empty()) return absl::OkStatus();
  std::error_code error;
  const fs::file_status status = fs::status(options.dir, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_dir is ", options.dir, ": want a folder, and this is a file"));
  }
  if (fs::is_directory(status) && HasFiles(options.dir) && !options.overwrite) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_dir is ", options.dir,
                     ": it has files already; want a new or empty folder, or --overwrite"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputFolder> OutputFolder::Prepare(const OutputFolderOptions& options) {
  absl::Status status = Check(options);
  if (!status.ok()) return status;
  OutputFolder folder(options.dir.empty() ? DefaultFolder(options) : options.dir);
  status = MakeFolders(folder.path());
  if (status.ok()) status = MakeFolders(folder.JournalDir());
  if (!status.ok()) return status;
  if (options.dir.empty()) PointLatest(options.base, folder.path());
  return folder;
}

absl::Status OutputFolder::WriteFile(absl::string_view name, absl::string_view content) const {
  const std::string path = absl::StrCat(path_, "/", name);
  const std::string parent = fs::path(path).parent_path().string();
  const absl::Status made = MakeFolders(parent);
  if (!made.ok()) return made;
  const std::string temporary = absl::StrCat(path, ".tmp.", getpid());
  int error = WriteNewFile(temporary, content);
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return SystemError("cannot write", path, error);
  }
  SyncFolder(parent);
  return absl::OkStatus();
}

}  // namespace tidemark
