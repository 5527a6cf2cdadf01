// The cheapest client there can be: HTTP/1.1 and SSE over bare epoll, one thread, a closed loop of streams. It finds
// where events end and nothing else; each read has the kernel's receive timestamp. The limit that the engine is held
// against.
#ifndef TIDEMARK_TESTS_BENCH_EPOLL_CLIENT_H_
#define TIDEMARK_TESTS_BENCH_EPOLL_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/truth.h"

namespace tidemark::bench {

struct EpollOptions {
  int port = 0;  // of 127.0.0.1
  uint32_t streams = 1;
  uint32_t output_tokens = 128;
  double ramp_s = 1;
  bool keep_times = false;  // of every event, for a comparison with the send log
};

// Thread-compatible.
class EpollClient {
 public:
  explicit EpollClient(const EpollOptions& options);
  ~EpollClient();
  EpollClient(const EpollClient&) = delete;
  EpollClient& operator=(const EpollClient&) = delete;

  // Runs its loop until then. False when a connection failed.
  bool RunUntil(int64_t monotonic_ns);

  // Requests that ended, whose tokens came each in a read of its own: by the kernel's times, and by this program's.
  const std::vector<ClientRequest>& by_kernel() const { return by_kernel_; }
  const std::vector<ClientRequest>& by_user() const { return by_user_; }
  uint64_t left_out() const { return left_out_; }  // ended, with a read that held more than one token

 private:
  struct Stream {
    int fd = -1;
    uint32_t newlines = 0;    // seen in a row
    uint32_t events = 0;      // of the answer under way
    uint32_t rest = 0;        // bytes after [DONE] that are still to come
    bool in_head = true, done = false;
    uint64_t request = 0;
    int64_t sent_ns = 0;
    bool merged = false;      // a read held more than one token
    std::vector<int64_t> kernel_ns, user_ns;
  };

  bool StartDue(int64_t now);
  bool Connect(Stream* stream);
  bool Send(Stream* stream);
  bool Read(Stream* stream, int64_t now);
  bool Take(Stream* stream, const char* bytes, size_t count, int64_t kernel_ns, int64_t now);
  const char* NextEmptyLine(Stream* stream, const char* at, const char* end);
  bool End(Stream* stream);
  void Keep(const Stream& stream);
  std::string Body(uint64_t request) const;

  const EpollOptions options_;
  const int epoll_;
  const std::string padding_;
  std::vector<Stream> streams_;
  int64_t start_ns_ = 0, offset_ns_ = 0, offset_at_ns_ = 0;
  uint32_t started_ = 0;
  uint64_t requests_ = 0, left_out_ = 0;
  std::string text_;
  std::vector<ClientRequest> by_kernel_, by_user_;
};

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_EPOLL_CLIENT_H_
