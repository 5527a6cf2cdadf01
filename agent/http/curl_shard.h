#ifndef TIDEMARK_AGENT_HTTP_CURL_SHARD_H_
#define TIDEMARK_AGENT_HTTP_CURL_SHARD_H_

#include <curl/curl.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "agent/http/connect_limit.h"
#include "agent/http/epoll_loop.h"
#include "agent/http/response_head.h"
#include "agent/http/socket_reads.h"
#include "agent/http/transport.h"

// The inside of CurlTransport: its slots, and the multi handles they are spread over. All on the loop's thread.
namespace tidemark {

struct FreeCurlStrings {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlStrings = std::unique_ptr<curl_slist, FreeCurlStrings>;

class CurlShard;

// One slot's easy handle, used again for each of its requests.
struct CurlSlot {
  uint32_t number = 0;
  CURL* easy = nullptr;
  CurlShard* shard = nullptr;
  ResponseHandler* handler = nullptr;  // null: idle, or what comes is not wanted any more
  bool attached = false;               // with the multi handle
  bool waiting = false;                // in the shard's list for the turn's end
  bool opened_socket = false;          // for this request
  bool sent_on_kept = false;           // this request went out on a kept connection
  bool resent = false;                 // libcurl has counted a resend on the handle
  int64_t started = 0;
  uint32_t target = UINT32_MAX, address = UINT32_MAX;  // as set on the handle
  ResponseHead head;
  OutgoingRequest next;  // to be sent once the last one is torn down
  ResponseHandler* next_handler = nullptr;
  char error[CURL_ERROR_SIZE] = "";
};

// What shards share.
struct CurlShared {
  CurlShared(EpollLoop* on, const TransportOptions& given, std::function<void(uint32_t)> connects_too_long)
      : loop(on),
        reads(on, on->clock(), given.kernel_stamps),
        connect_limit(on, std::max(given.connect_timeout, kNanosPerMilli), std::move(connects_too_long)) {}

  EpollLoop* const loop;
  SocketReads reads;
  // libcurl could keep the limit, but each of its handles would carry a timer for the limit's whole time, connected
  // or not, and sort it anew at each event.
  ConnectLimit connect_limit;
  TransportOptions options;
  CurlStrings headers;
  std::vector<std::vector<CurlStrings>> connect_to;  // by target, address
  Transport::Counters counters;
  std::map<std::pair<uint32_t, uint32_t>, size_t> sources_taken;  // by target, address
};

// One multi handle with its slots.
class CurlShard final : public EpollLoop::SocketHandler, public EpollLoop::TurnEndTask {
 public:
  explicit CurlShard(CurlShared* shared)
      : shared_(shared), loop_(shared->loop), multi_(curl_multi_init()) {}
  ~CurlShard() override;

  bool Init(uint32_t slots);
  void Send(CurlSlot* slot, const OutgoingRequest& request, ResponseHandler* handler);
  void Abort(CurlSlot* slot);
  // Ends its request: there was no connection in time.
  void FailConnecting(CurlSlot* slot);

  void OnSocketReady(int fd, uint32_t events) override;
  void OnTurnEnd() override;
  EpollLoop* loop() { return loop_; }
  CurlShared* shared() { return shared_; }

 private:
  static int OnSocketChange(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int OnTimerChange(CURLM*, long millis, void* self);

  void Start(CurlSlot* slot, const OutgoingRequest& request, ResponseHandler* handler);
  void Configure(CurlSlot* slot, const OutgoingRequest& request);
  void Detach(CurlSlot* slot);
  void Act(curl_socket_t fd, int events, bool readable);
  void ActOnTimeout();
  void SetTimer(long millis);
  void OnTimer();
  void CollectEnded();
  void Finish(CurlSlot* slot, CURLcode code);
  void Report(CurlSlot* slot, CURLcode code, ResponseHandler* handler);
  int64_t EndTime(const CurlSlot* slot);
  void StartNext(CurlSlot* slot);
  void NeedTurnEnd();
  void WaitForTurnEnd(CurlSlot* slot);

  CurlShared* const shared_;
  EpollLoop* const loop_;
  CURLM* const multi_;
  int attached_ = 0;
  bool inside_ = false;  // libcurl is on the stack: it must not be called
  bool of_socket_ = false;  // what has ended, ended by what the last look at one socket brought
  bool turn_end_asked_ = false;
  std::vector<CurlSlot*> waiting_, handling_;
  int64_t due_ = TimerQueue::kNever;       // when libcurl wants to be called
  int64_t timer_at_ = TimerQueue::kNever;  // when the loop's timer will run; may be earlier
  EventLoop::TimerId timer_ = 0;
  bool timer_told_ = false;
};

// All of a new (or reset) easy handle that is not its request's.
void SetCurlOptions(CurlSlot* slot, CurlShared* shared);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_CURL_SHARD_H_
