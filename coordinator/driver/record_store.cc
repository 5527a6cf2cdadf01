#include "coordinator/driver/record_store.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

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

absl::Status AppendFile(const std::string& from, std::ofstream& out, const std::string& path) {
  std::ifstream in(from, std::ios::binary);
  if (!in) return DiskError(from);
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  return out.good() ? absl::OkStatus() : DiskError(path);
}

}  // namespace

std::string RecordStore::PartPath(const std::string& agent) const {
  return absl::StrCat(dir_, "/.records-", key_.level, "-", key_.attempt, "-", FileName(agent));
}

void RecordStore::Expect(const LevelKey& key, std::set<std::string> agents) {
  MutexLock lock(mutex_);
  std::error_code ignored;
  for (const auto& [agent, part] : parts_) fs::remove(PartPath(agent), ignored);
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
    const std::string path = PartPath(chunk.agent_id());
    std::ofstream out(path, std::ios::binary | std::ios::app);
    out.write(chunk.data().data() + seen, static_cast<std::streamsize>(chunk.data().size() - seen));
    out.flush();
    if (!out) return DiskError(path);
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
  uint64_t total = 0;
  for (const auto& [agent, part] : parts_) total += part.bytes;
  if (total == 0) return absl::OkStatus();
  const std::string folder = absl::StrCat(dir_, "/concurrency_", concurrency);
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string path = folder + "/profile_export.jsonl";
  const std::string temporary = path + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) return DiskError(temporary);
  for (const auto& [agent, part] : parts_) {
    if (part.bytes == 0) continue;
    if (absl::Status s = AppendFile(PartPath(agent), out, temporary); !s.ok()) return s;
    fs::remove(PartPath(agent), error);
  }
  out.close();
  if (!out) return DiskError(temporary);
  fs::rename(temporary, path, error);
  parts_.clear();
  return error ? DiskError(path) : absl::OkStatus();
}

}  // namespace tidemark
