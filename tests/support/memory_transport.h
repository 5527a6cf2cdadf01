#ifndef TIDEMARK_TESTS_SUPPORT_MEMORY_TRANSPORT_H_
#define TIDEMARK_TESTS_SUPPORT_MEMORY_TRANSPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/http/event_loop.h"
#include "agent/http/transport.h"

namespace tidemark {

// One thing that happens to a request, `after` nanoseconds after it was sent.
struct WireStep {
  enum class Kind { kConnected, kHead, kBody, kEnd, kTruncatedEnd, kFailure };
  int64_t after = 0;
  Kind kind = Kind::kBody;
  std::string bytes;  // of a body
  int status = 200;   // of a head
  std::string content_type = "text/event-stream";
  FailureClass failure = FailureClass::kNone;  // of a failure
  int64_t waited = 0;  // its bytes had arrived so long before the loop took them
};

// What was sent, as the reply function sees it.
struct SentRequest {
  uint64_t number = 0;  // 0, 1, 2, … in the order of sending
  uint32_t slot = 0, target = 0, address = 0;
  int64_t at = 0;
  std::string body;
};

// A transport in memory and, on a VirtualLoop, in virtual time: what comes back is what `reply`
// says. Faults are steps like any other; a reply without an end stalls. Keeps a connection a slot:
// a slot connects at its first request and after a connection was closed (abort, failure, truncated
// end).
class MemoryTransport final : public Transport {
 public:
  using Reply = std::function<std::vector<WireStep>(const SentRequest&)>;

  MemoryTransport(EventLoop* loop, uint32_t slots, Reply reply);
  ~MemoryTransport() override;

  void Send(uint32_t slot, const OutgoingRequest& request, ResponseHandler* handler) override;
  void Abort(uint32_t slot) override;
  Counters counters() const override { return counters_; }
  ReadFacts TakeReadFacts() override { return {}; }

  uint32_t in_flight() const { return in_flight_; }
  uint32_t in_flight_max() const { return in_flight_max_; }
  uint64_t aborts() const { return aborts_; }
  const std::vector<SentRequest>& sent() const { return sent_; }

  // The usual streamed answer: head at once, `tokens` chunks `gap` apart from `first` on, then
  // [DONE] and the end in the last one's read.
  static std::vector<WireStep> Stream(int tokens, int64_t first, int64_t gap);
  static std::string Chunk(const std::string& text);
  static WireStep Head(int64_t after, int status = 200);
  static WireStep Body(int64_t after, std::string bytes);
  static WireStep End(int64_t after);
  static WireStep Failure(int64_t after, FailureClass failure);

 private:
  struct Connection {
    ResponseHandler* handler = nullptr;
    uint64_t request = 0;  // steps of older ones are void
    bool open = false;
  };
  void Schedule(uint32_t slot, uint64_t request, WireStep step);
  void Take(uint32_t slot, const WireStep& step);
  void Release(uint32_t slot, bool keep);

  EventLoop* const loop_;
  const Reply reply_;
  std::vector<Connection> connections_;
  std::vector<SentRequest> sent_;
  std::vector<EventLoop::TimerId> timers_;
  Counters counters_;
  uint32_t in_flight_ = 0, in_flight_max_ = 0;
  uint64_t aborts_ = 0, reads_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_SUPPORT_MEMORY_TRANSPORT_H_
