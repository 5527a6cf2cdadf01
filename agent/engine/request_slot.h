#ifndef TIDEMARK_AGENT_ENGINE_REQUEST_SLOT_H_
#define TIDEMARK_AGENT_ENGINE_REQUEST_SLOT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/endpoint/exchange.h"
#include "agent/http/event_loop.h"
#include "agent/http/transport.h"
#include "common/job/level_task.h"

namespace tidemark {

// One of the concurrent requests of a loop: carries one request after the other from Launch to its
// end, and keeps its time limits. Single-threaded; loop, transport, owner and redactor outlive it.
//
// Limits cost nothing an event: there is at most one timer, which when it runs looks at what the
// limits are by then and is set anew. They are of the loop's time, which may be later than what came arrived: a
// late reader gives no server less time.
class RequestSlot final : public ResponseHandler {
 public:
  // How long after [DONE] the response's end is waited for, so that the connection can be kept.
  static constexpr int64_t kDoneWait = 2'000'000;

  class Owner {
   public:
    virtual ~Owner() = default;
    // The request's record is final and the slot free (or its connection closed). May Launch again.
    virtual void OnRequestEnded(RequestSlot& slot) = 0;
  };

  RequestSlot(uint32_t number, EventLoop* loop, Transport* transport, EndpointAdapter* adapter,
              const TimeLimits& limits, Owner* owner, bool keep_output,
              const Redactor* redactor = nullptr);
  ~RequestSlot() override;

  // A new record and an empty body to fill. REQUIRES: !active().
  RequestRecord& Begin(bool streaming);
  std::string& body() { return body_; }
  // Sends the body. REQUIRES: record().sent is set.
  void Launch(uint32_t target, uint32_t address);

  // Ends the request as cancelled, or as failed with `failure`; one that had already succeeded
  // stays so. The owner hears of it. No-op when idle.
  void Cancel(int64_t now);
  void Fail(FailureClass failure, int64_t now, absl::string_view detail);

  uint32_t number() const { return number_; }
  bool active() const { return active_; }
  // The outcome is final though the response has not ended yet.
  bool settled() const { return active_ && exchange_.state() == Exchange::State::kDone; }
  RequestRecord& record() { return exchange_.record(); }
  const std::string& output() const { return exchange_.output(); }
  const std::string& failure_detail() const { return failure_detail_; }
  const std::string& tls_version() const { return tls_version_; }

  // ResponseHandler.
  void OnResent(int64_t now) override;
  void OnConnected(int64_t now, absl::string_view address) override;
  void OnTlsDone(int64_t now, absl::string_view version) override;
  void OnStatus(int status, int64_t now) override;
  void OnHeader(absl::string_view name, absl::string_view value) override;
  void OnHeadersEnd(int64_t now) override;
  bool OnBody(absl::string_view bytes, int64_t now, uint64_t read) override;
  void OnResponseEnd(bool clean, int64_t now) override;
  void OnFailure(FailureClass failure, int64_t now, absl::string_view detail) override;

 private:
  struct Limit {
    int64_t at;
    FailureClass failure;  // kNone: not a failure but the end of a wait
  };

  bool Advance(int64_t now);
  Limit NextLimit() const;
  void ArmTimer();
  void OnTimer();
  void Close();  // the connection with it
  void Finish();

  const uint32_t number_;
  EventLoop* const loop_;
  Transport* const transport_;
  Owner* const owner_;
  const TimeLimits limits_;
  Exchange exchange_;
  std::string body_, failure_detail_, tls_version_;
  bool active_ = false;
  Exchange::State seen_ = Exchange::State::kOpen;
  int64_t heard_ = kNoTime;  // loop's time of the last bytes
  int64_t wait_until_ = kNoTime;  // for usage once the end was seen, for the response's end after [DONE]
  EventLoop::TimerId timer_ = 0;
  int64_t timer_at_ = INT64_MAX;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_REQUEST_SLOT_H_
