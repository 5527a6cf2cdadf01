#include "cli/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/files/whole_file.h"
#include "common/wall_time/wall_time.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

// What a full disk wants, said where the folder was chosen.
absl::Status WithCure(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::UnavailableError(absl::StrCat(status.message(), "; free space, or give another --output-dir"));
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

// A job's name as a coordinator gave it: no path in it.
std::string FileNameOf(std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

// Makes <base>/<UTC>-<name>, with a number when another run took that name: it is nobody else's.
absl::StatusOr<std::string> MakeDefaultFolder(const OutputFolderOptions& options) {
  constexpr int kMostInOneSecond = 1000;
  const std::string stem =
      absl::StrCat(options.base, "/", CompactUtc(options.wall_nanos), "-", FileNameOf(options.name));
  absl::Status made = MakeFolders(options.base);
  if (!made.ok()) return made;
  std::error_code error;
  std::string path = stem;
  for (int number = 2; number < kMostInOneSecond; ++number) {
    if (fs::create_directory(path, error)) return path;
    if (error) return FileError("cannot make folder", path, error.value());
    path = absl::StrCat(stem, "-", number);
  }
  return absl::UnavailableError(absl::StrCat("too many folders begin with ", stem));
}

// Whether `name` is `whole`, or what a write of it left when it was cut off: "<whole>.tmp.<pid>".
bool IsFileOrLeftover(absl::string_view name, absl::string_view whole) {
  return absl::ConsumePrefix(&name, whole) && (name.empty() || absl::StartsWith(name, ".tmp"));
}

bool IsOneOf(absl::string_view name, std::initializer_list<absl::string_view> files) {
  return std::any_of(files.begin(), files.end(),
                     [name](absl::string_view file) { return IsFileOrLeftover(name, file); });
}

bool IsLevelFolder(absl::string_view name) {
  uint32_t concurrency = 0;
  return absl::ConsumePrefix(&name, "concurrency_") && absl::SimpleAtoi(name, &concurrency);
}

// "<job>-<level>-<attempt>.jsonl", as agents name their journals.
bool IsJournal(absl::string_view name) {
  if (!absl::ConsumeSuffix(&name, ".jsonl")) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '-');
  uint32_t level = 0;
  uint32_t attempt = 0;
  return parts.size() >= 3 && absl::SimpleAtoi(parts[parts.size() - 2], &level) &&
         absl::SimpleAtoi(parts.back(), &attempt);
}

// Whether a run leaves a file of this name in `folder` (relative to the output folder; "" is that).
bool IsResultFile(absl::string_view folder, absl::string_view name) {
  if (folder.empty()) {
    return absl::StartsWith(name, ".records-") ||
           IsOneOf(name, {"result.json", "summary.txt", "report.html", "levels.csv", "search_history.json"});
  }
  if (folder == "journal") return IsJournal(name);
  if (folder == "sweep_aggregate") {
    return IsOneOf(name, {"profile_export_aiperf_sweep.json", "profile_export_aiperf_sweep.csv"});
  }
  return IsLevelFolder(folder) && IsOneOf(name, {"profile_export_aiperf.json", "profile_export_aiperf.csv",
                                                 "profile_export.jsonl"});
}

bool IsResultFolder(absl::string_view name) {
  return name == "journal" || name == "sweep_aggregate" || IsLevelFolder(name);
}

std::vector<fs::directory_entry> EntriesOf(const fs::path& path) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    entries.push_back(*entry);
  }
  return entries;
}

// Links are neither followed nor removed: a run makes none.
absl::Status RemoveResultFiles(const fs::path& root, const std::string& folder) {
  for (const fs::directory_entry& entry : EntriesOf(root / folder)) {
    std::error_code error;
    if (!fs::is_regular_file(entry.symlink_status(error))) continue;
    if (!IsResultFile(folder, entry.path().filename().string())) continue;
    if (!fs::remove(entry.path(), error) && error) {
      return FileError("cannot remove the old run's", entry.path().string(), error.value());
    }
  }
  return absl::OkStatus();
}

// The files of an older run, so that none is taken for the new one's; nothing else. Its folders go
// when that leaves them empty.
absl::Status RemoveOldRun(const fs::path& root) {
  absl::Status status = RemoveResultFiles(root, "");
  for (const fs::directory_entry& entry : EntriesOf(root)) {
    const std::string name = entry.path().filename().string();
    std::error_code error;
    if (!IsResultFolder(name) || !fs::is_directory(entry.symlink_status(error))) continue;
    status.Update(RemoveResultFiles(root, name));
    fs::remove(entry.path(), error);  // fails where something is left
  }
  return status;
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

// Locks the folder for as long as the descriptor is open; the lock goes with the process, however it ends.
// InvalidArgument: another process holds it.
absl::StatusOr<std::shared_ptr<const OwnedFd>> HoldFolder(const std::string& path) {
  auto fd = std::make_shared<const OwnedFd>(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd->valid()) return FileError("cannot open folder", path, errno);
  if (flock(fd->get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return fd;  // not every file system can
  return absl::InvalidArgumentError(
      absl::StrCat("output_dir is ", path, ": another run writes into it now; want another folder"));
}

}  // namespace

OutputFolder::OutputFolder(std::string path, std::shared_ptr<const OwnedFd> hold)
    : path_(std::move(path)), hold_(std::move(hold)) {}

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
  absl::StatusOr<std::string> path = options.dir.empty() ? MakeDefaultFolder(options) : options.dir;
  if (path.ok()) status = MakeFolders(*path);
  if (!path.ok() || !status.ok()) return WithCure(path.ok() ? status : path.status());
  absl::StatusOr<std::shared_ptr<const OwnedFd>> hold = HoldFolder(*path);
  if (!hold.ok()) return hold.status();
  OutputFolder folder(*std::move(path), *std::move(hold));
  status = Check(options);  // what another run wrote before it let go
  if (status.ok() && options.overwrite) status = RemoveOldRun(folder.path());
  if (status.ok()) status = MakeFolders(folder.JournalDir());
  if (!status.ok()) return WithCure(status);
  if (options.dir.empty()) PointLatest(options.base, folder.path());
  return folder;
}

absl::Status OutputFolder::WriteFile(absl::string_view name, absl::string_view content) const {
  return WithCure(WriteWholeFile(absl::StrCat(path_, "/", name), content));
}

}  // namespace tidemark
