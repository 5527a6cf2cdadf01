#include "simulator/send_log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

// A multiple of the page and of the record, so that no record lies across two pieces. Small, for a new piece must not
// hold up the next event for long.
constexpr size_t kPieceRecords = 1 << 16;
constexpr size_t kPieceBytes = kPieceRecords * sizeof(SentEvent);
static_assert(kPieceBytes % 4096 == 0);

absl::Status Refuse(const std::string& path, const char* why) {
  return absl::UnavailableError(
      absl::StrCat("send-log '", path, "': ", why, "; name a file in a folder that can be written"));
}

}  // namespace

uint32_t BodyKey(absl::string_view body) {
  uint32_t key = 2166136261;
  for (const char c : body.substr(0, 256)) key = (key ^ static_cast<unsigned char>(c)) * 16777619;
  return key;
}

absl::StatusOr<std::unique_ptr<SendLog>> SendLog::Create(const std::string& path, int64_t first_ns, int64_t gap_ns) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return Refuse(path, std::strerror(errno));
  auto log = absl::WrapUnique(new SendLog(fd));
  if (!log->MapNext()) return Refuse(path, "there is no room for it");
  SendLogHeader header;
  header.first_ns = first_ns;
  header.gap_ns = gap_ns;
  std::memcpy(log->map_, &header, sizeof(header));
  log->at_ += sizeof(header) / sizeof(SentEvent);
  return log;
}

SendLog::~SendLog() {
  const uint64_t left = static_cast<uint64_t>(end_ - at_) * sizeof(SentEvent);
  Unmap();
  // When it fails the reader stops at the zeros all the same.
  (void)!::ftruncate(fd_, static_cast<off_t>(pieces_ * kPieceBytes - left));
  ::close(fd_);
}

bool SendLog::MapNext() {
  if (!complete_) return false;
  const auto offset = static_cast<off_t>(pieces_ * kPieceBytes);
  Unmap();
  // Space is claimed first: a store into a hole of a full disk would be a SIGBUS.
  void* map = ::posix_fallocate(fd_, offset, kPieceBytes) != 0
                  ? MAP_FAILED
                  : ::mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, offset);
  if (map == MAP_FAILED) {
    complete_ = false;
    return false;
  }
  map_ = map;
  at_ = static_cast<SentEvent*>(map);
  end_ = at_ + kPieceRecords;
  ++pieces_;
  return true;
}

void SendLog::Unmap() {
  if (map_ != nullptr) ::munmap(map_, kPieceBytes);
  map_ = nullptr;
  at_ = end_ = nullptr;
}

absl::StatusOr<SentEvents> ReadSendLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  SentEvents log;
  const SendLogHeader known;
  file.read(reinterpret_cast<char*>(&log.header), sizeof(log.header));
  if (!file || std::memcmp(log.header.magic, known.magic, sizeof(known.magic)) != 0 ||
      log.header.version != known.version || log.header.record_bytes != known.record_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("send log '", path, "': no file of tidemark-sim --null --send-log, version ", known.version));
  }
  SentEvent event;
  while (file.read(reinterpret_cast<char*>(&event), sizeof(event)) && event.time_ns != 0) log.events.push_back(event);
  return log;
}

}  // namespace tidemark
