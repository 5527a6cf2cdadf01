#ifndef TIDEMARK_AGENT_HTTP_CONNECT_LIMIT_H_
#define TIDEMARK_AGENT_HTTP_CONNECT_LIMIT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "agent/http/event_loop.h"

namespace tidemark {

// Which slots take too long to connect. All have one limit, so the first to begin is the first to be late: one
// timer of the loop serves them all, and only new connections cost anything. Single-threaded.
class ConnectLimit {
 public:
  // `late` is called with a slot that has begun and not ended `limit` ns later; it may begin and end others.
  // `loop` must outlive this.
  ConnectLimit(EventLoop* loop, int64_t limit, std::function<void(uint32_t slot)> late);
  ~ConnectLimit();
  ConnectLimit(const ConnectLimit&) = delete;
  ConnectLimit& operator=(const ConnectLimit&) = delete;

  // `slot` begins to connect, perhaps anew.
  void Begin(uint32_t slot);
  // It has connected, or given up. No-op when it did not connect.
  void End(uint32_t slot);

 private:
  struct Attempt {
    int64_t until;
    uint32_t slot;
    uint64_t number;
  };
  void ArmTimer();
  void OnTimer();

  EventLoop* const loop_;
  const int64_t limit_;
  const std::function<void(uint32_t)> late_;
  std::deque<Attempt> attempts_;   // those that have ended too, until their time comes
  std::vector<uint64_t> current_;  // attempt by slot; 0: none
  uint64_t last_number_ = 0;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_CONNECT_LIMIT_H_
