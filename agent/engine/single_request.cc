#include "agent/engine/single_request.h"

#include <utility>

#include "agent/engine/request_slot.h"
#include "agent/http/curl_transport.h"
#include "agent/http/epoll_loop.h"

namespace tidemark {
namespace {

class EndFlag final : public RequestSlot::Owner {
 public:
  void OnRequestEnded(RequestSlot&) override { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  bool ended_ = false;
};

SingleResult Unresolved(const absl::Status& status, int64_t now) {
  SingleResult result;
  result.record.sent = result.record.ended = now;
  result.record.outcome = Outcome::kFailed;
  result.record.failure = FailureClass::kDns;
  result.detail = std::string(status.message());
  return result;
}

SingleResult ResultOf(RequestSlot& slot) {
  SingleResult result;
  result.record = slot.record();
  result.output = slot.output();
  if (!result.record.ok()) result.detail = slot.failure_detail();
  result.tls_version = slot.tls_version();
  return result;
}

SingleResult Run(const SingleRequest& request, EpollLoop* loop, Transport* transport,
                 EndpointAdapter* adapter, const Redactor& redactor, const std::string& address) {
  EndFlag end;
  RequestSlot slot(0, loop, transport, adapter, request.limits, &end, request.keep_output,
                   &redactor);
  RequestRecord& record = slot.Begin(request.workload.streaming);
  adapter->BuildBody({request.prompt, request.output_tokens}, &slot.body());
  record.streaming = request.workload.streaming;
  record.address = address;
  if (request.workload.fixed_output_length) record.requested_output_tokens = request.output_tokens;
  record.sent = loop->FreshNow();
  const int64_t deadline = record.sent +
                           static_cast<int64_t>(request.limits.total_ms) * kNanosPerMilli +
                           kNanosPerSecond;
  slot.Launch(0, 0);
  const auto cancelled = [&request] { return request.cancelled && request.cancelled(); };
  if (!loop->Run([&] { return end.ended() || cancelled(); }, deadline)) {
    slot.Fail(FailureClass::kTimeoutTotal, loop->FreshNow(), "not complete within the total limit");
  }
  slot.Cancel(loop->FreshNow());  // no-op when it has ended
  return ResultOf(slot);
}

}  // namespace

absl::StatusOr<SingleResult> RunSingleRequest(const SingleRequest& request,
                                              const TargetAccess& access, const Clock* clock) {
  absl::StatusOr<TransportOptions> options =
      SetUpTransport(request.endpoint, request.limits, access);
  if (absl::IsNotFound(options.status()))
    return Unresolved(options.status(), clock->MonotonicNanos());
  if (!options.ok()) return options.status();
  auto adapter = SetUpAdapter(request.endpoint, request.workload);
  if (!adapter.ok()) return adapter.status();
  auto loop = EpollLoop::Create(clock);
  if (!loop.ok()) return loop.status();
  options->slots = 1;
  const std::string address = options->targets[0].addresses[0];
  const Redactor redactor = SetUpRedactor(request.endpoint, options->headers);
  auto transport = NewCurlTransport(*std::move(options), loop->get());
  if (!transport.ok()) return transport.status();
  return Run(request, loop->get(), transport->get(), adapter->get(), redactor, address);
}

}  // namespace tidemark
