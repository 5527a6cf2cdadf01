// What the null endpoint sent, and when: the truth that a client's times are held against.
//
// The file, in this host's byte order: a header of 48 bytes (the 8 bytes "TIDESEND", uint32 version 1, uint32 bytes of
// a record, int64 first_ns, int64 gap_ns: the delays asked for, 16 bytes of 0), then one record of 24 bytes for each
// event in the order of sending:
//   int64  time_ns     CLOCK_MONOTONIC just before the write; for a request, just after the read that completed it
//   uint32 connection  from 0, by acceptance
//   uint32 request     from 0, on this connection
//   int32  event       -1: the request was read; 0 … n-1: token events; -2: usage, [DONE] and the end, in one write
//   uint32 detail      of a token: time_ns minus the planned time, cut to 32 bits; of -1: BodyKey of the request; else 0
// The file grows by mapped pieces: whoever reads it while it is written, or after SIGKILL, stops at time_ns 0.
#ifndef TIDEMARK_SIMULATOR_SEND_LOG_H_
#define TIDEMARK_SIMULATOR_SEND_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

inline constexpr int32_t kSentRequestRead = -1;
inline constexpr int32_t kSentEnd = -2;

struct SentEvent {
  int64_t time_ns = 0;
  uint32_t connection = 0;
  uint32_t request = 0;
  int32_t event = 0;
  uint32_t detail = 0;
};
static_assert(sizeof(SentEvent) == 24, "a record of the file");

struct SendLogHeader {
  char magic[8] = {'T', 'I', 'D', 'E', 'S', 'E', 'N', 'D'};
  uint32_t version = 1;
  uint32_t record_bytes = sizeof(SentEvent);
  int64_t first_ns = 0;
  int64_t gap_ns = 0;
  uint8_t rest[16] = {};
};
static_assert(sizeof(SendLogHeader) == 2 * sizeof(SentEvent), "the head of the file");

// By which a client finds the request that it sent: FNV-1a of the first 256 bytes of its body.
uint32_t BodyKey(absl::string_view body);

// Writes into mapped memory: an event costs a few stores. Thread-compatible.
class SendLog {
 public:
  // Replaces the file. Unavailable when it cannot be written.
  static absl::StatusOr<std::unique_ptr<SendLog>> Create(const std::string& path, int64_t first_ns, int64_t gap_ns);
  // Cuts the file to what was written.
  ~SendLog();
  SendLog(const SendLog&) = delete;
  SendLog& operator=(const SendLog&) = delete;

  // Once the disk is full nothing is kept any more, and complete() is false.
  void Add(const SentEvent& event) {
    if (at_ == end_ && !MapNext()) return;
    *at_++ = event;
  }
  bool complete() const { return complete_; }

 private:
  explicit SendLog(int fd) : fd_(fd) {}
  bool MapNext();
  void Unmap();

  const int fd_;
  uint64_t pieces_ = 0;
  void* map_ = nullptr;
  SentEvent *at_ = nullptr, *end_ = nullptr;
  bool complete_ = true;
};

struct SentEvents {
  SendLogHeader header;
  std::vector<SentEvent> events;
};

// InvalidArgument when it is no send log of this version.
absl::StatusOr<SentEvents> ReadSendLog(const std::string& path);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_SEND_LOG_H_
