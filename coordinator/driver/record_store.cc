#include "coordinator/driver/record_store.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

// An agent's id as part of a file name: nothing but letters, digits, dash and underscore is kept.
std::string FileName(const std::string& agent) {
  std::string name;
  for (const char c : agent) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? std::string(1, c) : absl::StrCat("_", absl::Hex(static_cast<unsigned char>(c)));
  }
  return name;
}

absl::Status DiskError(const std::string& path) {
  return absl::ResourceExhaustedError(absl::StrCat("records cannot be written to ", path,
                                                   ": is the disk full or the folder not writable?"));
}

// Writes `data` as the bytes of `path` from `offset` on: what a file of an earlier run or a write that
// failed left behind is not kept.
absl::Status WriteAt(const std::string& path, uint64_t offset, absl::string_view data) {
  const auto mode = std::ios::binary | std::ios::out | (offset == 0 ? std::ios::trunc : std::ios::in);
  std::ofstream out(path, mode);
  out.seekp(static_cast<std::streamoff>(offset));
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  out.flush();
  return out ? absl::OkStatus() : DiskError(path);
}

absl::Status AppendFile(const std::string& from, std::ofstream& out, const std::string& path) {
  std::ifstream in(from, std::ios::binary);
  if (!in) return DiskError(from);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  return out.good() ? absl::OkStatus() : DiskError(path);
}

// The first file takes the others in, which are removed: of one file nothing is copied.
absl::Status JoinIntoFirst(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return absl::OkStatus();
  std::ofstream out(paths[0], std::ios::binary | std::ios::app);
  std::error_code ignored;
  for (size_t i = 1; i < paths.size(); ++i) {
    if (absl::Status s = AppendFile(paths[i], out, paths[0]); !s.ok()) return s;
    fs::remove(paths[i], ignored);
  }
  out.close();
  return out ? absl::OkStatus() : DiskError(paths[0]);
}

}  // namespace

std::string RecordStore::PartPath(const std::string& agent) const {
  return absl::StrCat(dir_, "/.records-", key_.level, "-", key_.attempt, "-", FileName(agent));
}

void RecordStore::Expect(const LevelKey& key, std::set<std::string> agents) {
  MutexLock lock(mutex_);
  std::error_code ignored;
  for (const auto& [agent, part] : parts_) fs::remove(PartPath(agent), ignored);
  fs::create_directories(dir_, ignored);  // what cannot be made is said when a part is written
  key_ = key;
  parts_.clear();
  for (const std::string& agent : agents) parts_[agent] = {};
}

absl::StatusOr<uint64_t> RecordStore::Append(const v1::RecordChunk& chunk) {
  const absl::StatusOr<LevelKey> key = DecodeKey(chunk.key());
  if (!key.ok()) return key.status();
  MutexLock lock(mutex_);
  const auto found = parts_.find(chunk.agent_id());
  if (!(*key == key_) || found == parts_.end()) {
    return absl::FailedPreconditionError("records of another level or agent");
  }
  Part& part = found->second;
  if (chunk.offset() > part.bytes) {
    return absl::OutOfRangeError(absl::StrCat("records: bytes ", part.bytes, " to ", chunk.offset(), " are missing"));
  }
  const uint64_t seen = part.bytes - chunk.offset();
  if (seen < chunk.data().size()) {
    const absl::string_view fresh = absl::string_view(chunk.data()).substr(seen);
    if (absl::Status s = WriteAt(PartPath(chunk.agent_id()), part.bytes, fresh); !s.ok()) return s;
    part.bytes += chunk.data().size() - seen;
  }
  part.complete = part.complete || chunk.last();
  return part.bytes;
}

std::pair<uint64_t, bool> RecordStore::PartOf(const std::string& agent) const {
  MutexLock lock(mutex_);
  const auto found = parts_.find(agent);
  if (found == parts_.end()) return {0, false};
  return {found->second.bytes, found->second.complete};
}

absl::Status RecordStore::Assemble(uint32_t concurrency) {
  MutexLock lock(mutex_);
  std::vector<std::string> paths;
  for (const auto& [agent, part] : parts_) {
    if (part.bytes > 0) paths.push_back(PartPath(agent));
  }
  parts_.clear();
  if (paths.empty()) return absl::OkStatus();
  const std::string folder = absl::StrCat(dir_, "/concurrency_", concurrency);
  std::error_code error;
  fs::create_directories(folder, error);
  if (absl::Status s = JoinIntoFirst(paths); !s.ok()) return s;
  const std::string path = folder + "/profile_export.jsonl";
  fs::rename(paths[0], path, error);
  return error ? DiskError(path) : absl::OkStatus();
}

}  // namespace tidemark
