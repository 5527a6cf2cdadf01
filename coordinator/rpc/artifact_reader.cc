#include "coordinator/rpc/artifact_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr char kRecordsFile[] = "profile_export.jsonl";
constexpr size_t kMostFiles = 100'000;
constexpr int kDeepest = 16;

absl::Status Broken(const std::string& path, const std::string& reason) {
  return absl::InternalError(absl::StrCat("cannot read ", path, ": ", reason));
}

bool IsTemporary(const std::string& name) {
  const size_t mark = name.rfind(".tmp.");
  if (mark == std::string::npos) return false;
  const absl::string_view rest = absl::string_view(name).substr(mark + 5);
  return !rest.empty() &&
         std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
}

bool IsWanted(const fs::directory_entry& entry, bool without_records) {
  std::error_code error;
  if (entry.symlink_status(error).type() != fs::file_type::regular) return false;
  const std::string name = entry.path().filename().string();
  return !IsTemporary(name) && !(without_records && name == kRecordsFile);
}

bool IsHidden(const fs::directory_entry& entry) { return absl::StartsWith(entry.path().filename().string(), "."); }

absl::StatusOr<std::vector<std::string>> ListFiles(const std::string& folder, bool without_records) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (IsHidden(*it) || it.depth() >= kDeepest) {
      it.disable_recursion_pending();
    } else if (IsWanted(*it, without_records)) {
      paths.push_back(it->path().lexically_relative(folder).string());
    }
    if (paths.size() > kMostFiles) return Broken(folder, absl::StrCat("it has more than ", kMostFiles, " files"));
  }
  if (error == std::errc::no_such_file_or_directory) {
    return absl::NotFoundError("the job's result files are not there any more");
  }
  if (error) return Broken(folder, error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

absl::StatusOr<ArtifactReader> ArtifactReader::Open(const std::string& folder, bool without_records) {
  absl::StatusOr<std::vector<std::string>> paths = ListFiles(folder, without_records);
  if (!paths.ok()) return paths.status();
  return ArtifactReader(folder, *std::move(paths));
}

ArtifactReader::ArtifactReader(std::string folder, std::vector<std::string> paths)
    : folder_(std::move(folder)), paths_(std::move(paths)) {}

ArtifactReader::ArtifactReader(ArtifactReader&& other) noexcept
    : folder_(std::move(other.folder_)),
      paths_(std::move(other.paths_)),
      next_(other.next_),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      offset_(other.offset_) {}

ArtifactReader::~ArtifactReader() { CloseFile(); }

absl::StatusOr<bool> ArtifactReader::Next(v1::ArtifactChunk* chunk) {
  if (next_ == paths_.size()) return false;
  const std::string& path = paths_[next_];
  if (file_ < 0) {
    const absl::Status opened = OpenFile(path);
    if (!opened.ok()) return opened;
  }
  std::string& data = *chunk->mutable_data();
  data.resize(std::min<uint64_t>(kArtifactChunkBytes, size_ - offset_));
  for (size_t filled = 0; filled < data.size();) {
    const ssize_t got = read(file_, data.data() + filled, data.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Broken(path, strerror(errno));
    if (got == 0) return absl::DataLossError(absl::StrCat(path, " is shorter than it was"));
    filled += static_cast<size_t>(got);
  }
  chunk->set_path(path);
  chunk->set_offset(offset_);
  offset_ += data.size();
  chunk->set_last(offset_ == size_);
  if (chunk->last()) CloseFile();
  return true;
}

// What is no regular file any more (a link, a pipe put in its place) is refused.
absl::Status ArtifactReader::OpenFile(const std::string& path) {
  file_ = open((folder_ + "/" + path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat facts {};
  if (file_ < 0 || fstat(file_, &facts) != 0) return Broken(path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) return Broken(path, "it is no regular file");
  size_ = static_cast<uint64_t>(facts.st_size);
  offset_ = 0;
  return absl::OkStatus();
}

void ArtifactReader::CloseFile() {
  if (file_ < 0) return;
  close(file_);
  file_ = -1;
  ++next_;
}

}  // namespace tidemark
