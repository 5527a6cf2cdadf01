#include "coordinator/driver/record_store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr char kPartPrefix[] = ".records-";

// One that the disk is at work on, and one of an upload that took the place of a broken one.
constexpr size_t kMostWaiting = 2;

// What an agent may announce: its spool has no more.
constexpr uint64_t kMostAnnounced = uint64_t{4} << 30;

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

RecordStore::~RecordStore() {
  {
    MutexLock lock(mutex_);
    DropParts();
  }
  RemoveDropped();
}

void RecordStore::RemoveStrayParts(const std::string& dir) {
  std::error_code error;
  std::vector<fs::path> strays;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (absl::StartsWith(entry.path().filename().string(), kPartPrefix)) strays.push_back(entry.path());
  }
  for (const fs::path& stray : strays) fs::remove(stray, error);
}

// The files are removed by the thread that writes them.
void RecordStore::DropParts() {
  for (auto& [agent, part] : parts_) dropped_.push_back(std::move(part.path));
  parts_.clear();
}

void RecordStore::RemoveDropped() {
  std::vector<std::string> dropped;
  {
    MutexLock lock(mutex_);
    dropped.swap(dropped_);
  }
  std::error_code ignored;
  for (const std::string& path : dropped) fs::remove(path, ignored);
}

// Files are numbered: an id may be longer than a file's name.
void RecordStore::Expect(const LevelKey& key, const std::string& agent, uint64_t announced) {
  MutexLock lock(mutex_);
  if (!(key == key_)) DropParts();
  key_ = key;
  if (parts_.count(agent) > 0) return;
  Part part;
  part.path = absl::StrCat(dir_, "/", kPartPrefix, key.level, "-", key.attempt, "-", parts_.size());
  part.announced = std::min(announced, kMostAnnounced);
  parts_[agent] = std::move(part);
}

absl::StatusOr<RecordStore::Part> RecordStore::PartOf(const v1::RecordChunk& chunk) const {
  const absl::StatusOr<LevelKey> key = DecodeKey(chunk.key());
  if (!key.ok()) return key.status();
  const auto found = parts_.find(chunk.agent_id());
  if (*key == key_ && found != parts_.end()) return found->second;
  return absl::FailedPreconditionError("records of another level or agent");
}

absl::Status RecordStore::Admit(const v1::RecordChunk& chunk) {
  MutexLock lock(mutex_);
  const absl::StatusOr<Part> part = PartOf(chunk);
  if (!part.ok()) return part.status();
  if (part->waiting >= kMostWaiting) {
    return absl::ResourceExhaustedError("records of this agent wait for the disk already: an agent has one upload");
  }
  ++parts_.at(chunk.agent_id()).waiting;
  return absl::OkStatus();
}

// No lock is held while the disk is waited for: nobody else writes the part.
absl::StatusOr<uint64_t> RecordStore::Append(const v1::RecordChunk& chunk) {
  RemoveDropped();
  absl::StatusOr<Part> part = absl::UnknownError("");
  {
    MutexLock lock(mutex_);
    part = PartOf(chunk);
    if (part.ok() && part->waiting > 0) --parts_.at(chunk.agent_id()).waiting;
  }
  if (!part.ok()) return part.status();
  if (absl::Status s = Write(chunk, &*part); !s.ok()) return s;
  MutexLock lock(mutex_);
  const absl::StatusOr<Part> still = PartOf(chunk);
  if (!still.ok()) return still.status();
  Part& kept = parts_.at(chunk.agent_id());
  kept.bytes = part->bytes;
  kept.records = part->records;
  kept.complete = kept.complete || chunk.last();
  return kept.bytes;
}

absl::Status RecordStore::Write(const v1::RecordChunk& chunk, Part* part) {
  if (chunk.offset() > part->bytes) {
    return absl::OutOfRangeError(absl::StrCat("records: bytes ", part->bytes, " to ", chunk.offset(), " are missing"));
  }
  const uint64_t seen = part->bytes - chunk.offset();
  if (seen >= chunk.data().size()) return absl::OkStatus();
  const absl::string_view fresh = absl::string_view(chunk.data()).substr(seen);
  if (fresh.size() > part->announced - part->bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it sends more than the ", part->announced, " bytes of records that are taken of it"));
  }
  std::error_code ignored;
  if (part->bytes == 0) fs::create_directories(fs::path(part->path).parent_path(), ignored);  // WriteAt says it
  if (absl::Status s = WriteAt(part->path, part->bytes, fresh); !s.ok()) return s;
  part->bytes += fresh.size();
  part->records += static_cast<uint64_t>(std::count(fresh.begin(), fresh.end(), '\n'));
  return absl::OkStatus();
}

bool RecordStore::IsComplete(const std::string& agent) const {
  MutexLock lock(mutex_);
  const auto found = parts_.find(agent);
  return found != parts_.end() && found->second.complete;
}

absl::StatusOr<uint64_t> RecordStore::Assemble(uint32_t concurrency) {
  std::vector<std::string> paths;
  uint64_t records = 0;
  {
    MutexLock lock(mutex_);
    for (const auto& [agent, part] : parts_) {
      if (part.bytes > 0) paths.push_back(part.path);
      records += part.records;
    }
    DropParts();
  }
  absl::Status joined = Join(paths, absl::StrCat(dir_, "/concurrency_", concurrency));
  RemoveDropped();
  if (!joined.ok()) return joined;
  return records;
}

absl::Status RecordStore::Join(const std::vector<std::string>& paths, const std::string& folder) {
  if (paths.empty()) return absl::OkStatus();
  std::error_code error;
  fs::create_directories(folder, error);
  if (absl::Status s = JoinIntoFirst(paths); !s.ok()) return s;
  const std::string path = folder + "/profile_export.jsonl";
  fs::rename(paths[0], path, error);
  return error ? DiskError(path) : absl::OkStatus();
}

}  // namespace tidemark
