#include "agent/session/session_stream.h"

#include <grpcpp/grpcpp.h>

#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/mutex.h"

namespace tidemark {
namespace {

constexpr size_t kMaxQueued = 1024;

std::string Describe(const grpc::Status& status) {
  if (status.ok()) return "the coordinator ended the stream";
  return absl::StrCat("stream error ", static_cast<int>(status.error_code()), ": ", status.error_message());
}

// Owned by gRPC until OnDone (`self_`) and by the stream that others hold.
class ClientReactor final : public grpc::ClientBidiReactor<v1::AgentMessage, v1::CoordinatorMessage> {
 public:
  explicit ClientReactor(SessionStreamEvents events) : events_(std::move(events)) {}

  void Start(v1::AgentSession::Stub* stub, std::shared_ptr<ClientReactor> self) {
    self_ = std::move(self);
    stub->async()->Session(&context_, this);
    AddHold();  // Send starts operations from outside the reactions
    StartRead(&incoming_);
    StartCall();
  }

  void Send(v1::AgentMessage message) {
    bool full = false;
    {
      MutexLock lock(mutex_);
      if (closed_ || half_closed_) return;
      full = queue_.size() >= kMaxQueued;
      if (!full) {
        queue_.push_back(std::move(message));
        if (std::exchange(writing_, true)) return;
      }
    }
    // A message must not be lost in silence: a new stream says all again.
    if (full) return Cancel();
    WriteFront();
  }

  // Half-closes after what is queued; the coordinator then ends the call.
  void Close() {
    {
      MutexLock lock(mutex_);
      if (std::exchange(half_closed_, true) || closed_ || writing_) return;
      writing_ = true;
    }
    StartWritesDone();
  }

  void Cancel() {
    {
      MutexLock lock(mutex_);
      if (closed_) return;
    }
    context_.TryCancel();
  }

  void OnReadDone(bool ok) override {
    if (ok) {
      events_.message(std::move(incoming_));
      incoming_.Clear();
      StartRead(&incoming_);
      return;
    }
    EndSending();
  }

  void OnWriteDone(bool ok) override {
    bool more = false;
    {
      MutexLock lock(mutex_);
      queue_.pop_front();
      more = !queue_.empty();
      if (closed_ || !ok || (!more && !half_closed_)) return EndWriting();
    }
    more ? WriteFront() : StartWritesDone();
  }

  void OnWritesDoneDone(bool) override {
    MutexLock lock(mutex_);
    EndWriting();
  }

  // The reactor goes before `lost` is told, for its context holds the channel: were the channel's last
  // reference dropped here, on gRPC's own thread, gRPC 1.51 would join that thread from itself and then use
  // the completion queue that it has deleted (ref_counted.h, "prior > 0").
  void OnDone(const grpc::Status& status) override {
    const std::string reason = Describe(status);
    const std::function<void(std::string)> lost = std::move(events_.lost);
    self_.reset();
    lost(reason);
  }

 private:
  // The hold is kept while `writing_`, so the call cannot end before the write is started.
  void WriteFront() {
    const v1::AgentMessage* front;
    {
      MutexLock lock(mutex_);
      front = &queue_.front();
    }
    StartWrite(front);
  }

  // No read will come any more: no write is started any more either.
  void EndSending() {
    MutexLock lock(mutex_);
    closed_ = true;
    if (!writing_) ReleaseHold();
  }

  void EndWriting() TIDEMARK_REQUIRES(mutex_) {
    writing_ = false;
    if (closed_) ReleaseHold();
  }

  void ReleaseHold() TIDEMARK_REQUIRES(mutex_) {
    if (std::exchange(held_, false)) RemoveHold();
  }

  SessionStreamEvents events_;
  grpc::ClientContext context_;
  std::shared_ptr<ClientReactor> self_;
  v1::CoordinatorMessage incoming_;
  Mutex mutex_;
  std::deque<v1::AgentMessage> queue_ TIDEMARK_GUARDED_BY(mutex_);
  bool writing_ TIDEMARK_GUARDED_BY(mutex_) = false;  // a write or the half-close is under way
  bool half_closed_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool closed_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool held_ TIDEMARK_GUARDED_BY(mutex_) = true;
};

class ReactorStream final : public SessionStream {
 public:
  explicit ReactorStream(std::shared_ptr<ClientReactor> reactor) : reactor_(std::move(reactor)) {}
  ~ReactorStream() override { reactor_->Cancel(); }
  void Send(v1::AgentMessage message) override { reactor_->Send(std::move(message)); }
  void Close() override { reactor_->Close(); }

 private:
  std::shared_ptr<ClientReactor> reactor_;
};

}  // namespace

std::unique_ptr<SessionStream> OpenSessionStream(v1::AgentSession::Stub* stub, SessionStreamEvents events) {
  auto reactor = std::make_shared<ClientReactor>(std::move(events));
  auto stream = std::make_unique<ReactorStream>(reactor);
  ClientReactor* raw = reactor.get();
  raw->Start(stub, std::move(reactor));
  return stream;
}

}  // namespace tidemark
