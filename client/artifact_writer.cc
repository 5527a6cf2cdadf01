#include "client/artifact_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/files/whole_file.h"

namespace tidemark {
namespace {

constexpr size_t kLongestPath = 512;
constexpr size_t kDeepest = 8;
constexpr size_t kLargestChunk = size_t{1} << 20;

// Of any language, but no control character and no other system's separator.
bool IsNameByte(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\' && c != ':'; }

bool IsName(const std::string& name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), IsNameByte);
}

absl::Status Hostile(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the coordinator sent a file \"",
                                                 absl::CHexEscape(path.substr(0, 80)), "\" ", what,
                                                 ": nothing is written for it"));
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

absl::Status CheckArtifactPath(absl::string_view path) {
  const std::vector<std::string> names = absl::StrSplit(path, '/');
  if (path.size() > kLongestPath || names.size() > kDeepest) return Hostile(path, "whose path is too long");
  if (std::all_of(names.begin(), names.end(), IsName)) return absl::OkStatus();
  return Hostile(path, "whose path may lead out of the folder");
}

ArtifactWriter::ArtifactWriter(std::string folder, const ArtifactLimits& limits)
    : folder_(std::move(folder)), limits_(limits) {}

ArtifactWriter::~ArtifactWriter() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

absl::Status ArtifactWriter::Write(const v1::ArtifactChunk& chunk) {
  if (file_ < 0) {
    absl::Status begun = Begin(chunk.path());
    if (!begun.ok()) return begun;
  }
  if (chunk.path() != path_ || chunk.offset() != offset_ || chunk.data().size() > kLargestChunk ||
      (chunk.data().empty() && !chunk.last())) {
    return Hostile(chunk.path(),
                   absl::StrCat("in pieces that do not fit: one at ", chunk.offset(), ", want ", offset_));
  }
  absl::Status written = Append(chunk.data());
  if (!written.ok() || !chunk.last()) return written;
  return Complete();
}

absl::Status ArtifactWriter::Finish() {
  if (file_ < 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the download ended within ", path_));
}

absl::Status ArtifactWriter::Begin(const std::string& path) {
  absl::Status fine = CheckArtifactPath(path);
  if (!fine.ok()) return fine;
  if (!seen_.insert(path).second) return Hostile(path, "twice");
  if (seen_.size() > limits_.files) {
    return absl::ResourceExhaustedError(absl::StrCat("the job has more than ", limits_.files, " files"));
  }
  path_ = path;
  offset_ = 0;
  const std::string whole = absl::StrCat(folder_, "/", path);
  absl::Status made = MakeFolders(FolderOf(whole));
  if (!made.ok()) return made;
  temporary_ = absl::StrCat(whole, ".tmp.", getpid());
  unlink(temporary_.c_str());  // of a process that had our number
  file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  return file_ >= 0 ? absl::OkStatus() : FileError("cannot write", temporary_, errno);
}

absl::Status ArtifactWriter::Append(const std::string& data) {
  bytes_ += data.size();
  if (bytes_ > limits_.bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the job's files have more than ", limits_.bytes, " bytes"));
  }
  if (const int error = WriteAll(file_, data); error != 0) return FileError("cannot write", temporary_, error);
  offset_ += data.size();
  return absl::OkStatus();
}

absl::Status ArtifactWriter::Complete() {
  const std::string whole = absl::StrCat(folder_, "/", path_);
  int error = fsync(file_) == 0 ? 0 : errno;
  if (close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary_.c_str(), whole.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary_.c_str());
    return FileError("cannot write", whole, error);
  }
  paths_.push_back(path_);
  return absl::OkStatus();
}

}  // namespace tidemark
