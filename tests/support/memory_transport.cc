#include "tests/support/memory_transport.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tidemark {

MemoryTransport::MemoryTransport(EventLoop* loop, uint32_t slots, Reply reply)
    : loop_(loop), reply_(std::move(reply)), connections_(slots) {}

MemoryTransport::~MemoryTransport() {
  for (const EventLoop::TimerId timer : timers_) loop_->CancelTimer(timer);
}

void MemoryTransport::Send(uint32_t slot, const OutgoingRequest& request,
                           ResponseHandler* handler) {
  SentRequest sent;
  sent.number = sent_.size();
  sent.slot = slot;
  sent.target = request.target;
  sent.address = request.address;
  sent.at = loop_->Now();
  sent.body = std::string(request.body);
  sent_.push_back(sent);
  Connection& connection = connections_[slot];
  connection.handler = handler;
  connection.request = sent.number;
  in_flight_max_ = std::max(in_flight_max_, ++in_flight_);
  if (!std::exchange(connection.open, true)) {
    ++counters_.connections_opened;
    ++counters_.connections_open;
    WireStep connected;
    connected.kind = WireStep::Kind::kConnected;
    Schedule(slot, sent.number, connected);
  }
  for (WireStep& step : reply_(sent)) Schedule(slot, sent.number, std::move(step));
}

void MemoryTransport::Schedule(uint32_t slot, uint64_t request, WireStep step) {
  const int64_t at = loop_->Now() + step.after;
  timers_.push_back(loop_->At(at, [this, slot, request, step = std::move(step)] {
    const Connection& connection = connections_[slot];
    if (connection.handler != nullptr && connection.request == request) Take(slot, step);
  }));
}

void MemoryTransport::Take(uint32_t slot, const WireStep& step) {
  ResponseHandler* const handler = connections_[slot].handler;
  const int64_t now = loop_->Now() - step.waited;
  const uint64_t request = connections_[slot].request;
  const auto gone = [&] {
    return connections_[slot].handler != handler || connections_[slot].request != request;
  };
  ++reads_;
  switch (step.kind) {
    case WireStep::Kind::kConnected:
      return handler->OnConnected(now, "127.0.0.1:1");
    case WireStep::Kind::kHead:
      handler->OnStatus(step.status, now);
      if (!gone()) handler->OnHeader("Content-Type", step.content_type);
      if (!gone()) handler->OnHeadersEnd(now);
      return;
    case WireStep::Kind::kBody:
      if (!handler->OnBody(step.bytes, now, reads_) && !gone()) Release(slot, false);
      return;
    case WireStep::Kind::kEnd:
    case WireStep::Kind::kTruncatedEnd:
      Release(slot, step.kind == WireStep::Kind::kEnd);
      return handler->OnResponseEnd(step.kind == WireStep::Kind::kEnd, now);
    case WireStep::Kind::kFailure:
      Release(slot, false);
      return handler->OnFailure(step.failure, now, "scripted");
  }
}

void MemoryTransport::Abort(uint32_t slot) {
  if (connections_[slot].handler == nullptr) return;
  ++aborts_;
  Release(slot, false);
}

void MemoryTransport::Release(uint32_t slot, bool keep) {
  connections_[slot].handler = nullptr;
  --in_flight_;
  if (keep) return;
  connections_[slot].open = false;
  --counters_.connections_open;
}

std::vector<WireStep> MemoryTransport::Stream(int tokens, int64_t first, int64_t gap) {
  std::vector<WireStep> steps = {Head(0)};
  for (int i = 0; i < tokens; ++i) {
    std::string bytes = Chunk("a");
    if (i + 1 == tokens) {
      absl::StrAppend(
          &bytes, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],",
          "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":", tokens,
          "}}\n\ndata: [DONE]\n\n");
    }
    steps.push_back(Body(first + i * gap, std::move(bytes)));
  }
  steps.push_back(End(steps.back().after));
  return steps;
}

std::string MemoryTransport::Chunk(const std::string& text) {
  return absl::StrCat("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"", text,
                      "\"}}]}\n\n");
}

WireStep MemoryTransport::Head(int64_t after, int status) {
  WireStep step;
  step.kind = WireStep::Kind::kHead;
  step.after = after;
  step.status = status;
  return step;
}

WireStep MemoryTransport::Body(int64_t after, std::string bytes) {
  WireStep step;
  step.after = after;
  step.bytes = std::move(bytes);
  return step;
}

WireStep MemoryTransport::End(int64_t after) {
  WireStep step;
  step.kind = WireStep::Kind::kEnd;
  step.after = after;
  return step;
}

WireStep MemoryTransport::Failure(int64_t after, FailureClass failure) {
  WireStep step;
  step.kind = WireStep::Kind::kFailure;
  step.after = after;
  step.failure = failure;
  return step;
}

}  // namespace tidemark
