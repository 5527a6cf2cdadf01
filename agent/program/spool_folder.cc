#include "agent/program/spool_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr char kLock[] = "lock";
constexpr char kSpool[] = ".jsonl";

absl::Status Unusable(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--spool-dir: ", path, " cannot be used: ", why));
}

// In a folder that all may write (/tmp) somebody may have put a link or a folder of his own there.
absl::Status CheckOurs(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return Unusable(path, strerror(errno));
  if (!S_ISDIR(facts.st_mode)) return Unusable(path, "it is no folder");
  if (facts.st_uid != geteuid()) return Unusable(path, "it is another user's; give a --spool-dir of this one's own");
  return absl::OkStatus();
}

void RemoveSpools(const std::string& path) {
  std::error_code error;
  int removed = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == kSpool && fs::remove(entry.path(), error)) ++removed;
  }
  if (removed > 0) Log(LogLevel::kInfo, "spools of an earlier process removed", {{"files", absl::StrCat(removed)}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<SpoolFolder>> SpoolFolder::Open(const std::string& dir, const std::string& agent_id) {
  const std::string path = absl::StrCat(dir, "/", agent_id);
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) return Unusable(dir, error.message());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Unusable(path, strerror(errno));
  if (absl::Status s = CheckOurs(path); !s.ok()) return s;
  OwnedFd lock(open(absl::StrCat(path, "/", kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) return Unusable(path, strerror(errno));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("--spool-dir: ", path, " is held by another process: is an agent \"", agent_id,
                     "\" running here? Give each its own --id"));
  }
  RemoveSpools(path);
  return std::unique_ptr<SpoolFolder>(new SpoolFolder(path, std::move(lock)));
}

}  // namespace tidemark
