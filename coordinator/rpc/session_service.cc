#include "coordinator/rpc/session_service.h"

#include <grpcpp/grpcpp.h>

#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/log/log.h"
#include "common/log/log_budget.h"
#include "common/mutex.h"
#include "common/rpc/grpc_status.h"

namespace tidemark {
namespace {

// A bound on what waits for a slow or stopped agent: far above what the protocol ever has under way.
constexpr size_t kMaxQueued = 1024;

// The call's two halves: the reactor that gRPC drives, and the AgentStream that others hold, which
// outlives it. `self_` keeps the object until OnDone.
class StreamReactor final : public grpc::ServerBidiReactor<v1::AgentMessage, v1::CoordinatorMessage>,
                            public AgentStream,
                            public std::enable_shared_from_this<StreamReactor> {
 public:
  explicit StreamReactor(SessionHandler* handler) : handler_(handler) {}

  void Start(std::shared_ptr<StreamReactor> self, const std::string& agent_id) {
    self_ = std::move(self);
    handler_->OnOpened(self_, agent_id);
    ReadNext();
  }

  void Send(v1::CoordinatorMessage message) override {
    bool full = false;
    {
      MutexLock lock(mutex_);
      if (end_) return;
      full = queue_.size() >= kMaxQueued;
      if (!full) {
        queue_.push_back(std::move(message));
        if (std::exchange(writing_, true)) return;
        ++starting_;
      }
    }
    if (!full) return WriteFront();
    End(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                     "the agent does not read: too many messages wait for it"));
  }

  void Close(const std::string& reason) override {
    End(grpc::Status(grpc::StatusCode::ABORTED, reason));
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      End(grpc::Status::OK);
      return;
    }
    handler_->OnMessage(shared_from_this(), std::exchange(incoming_, v1::AgentMessage()));
  }

  void ReadNext() override {
    {
      MutexLock lock(mutex_);
      if (end_) return;
      ++starting_;
    }
    StartRead(&incoming_);
    Started();
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mutex_);
      queue_.pop_front();
      if (!ok || end_ || queue_.empty()) {
        writing_ = false;
        return;
      }
      ++starting_;
    }
    WriteFront();
  }

  void OnCancel() override { End(grpc::Status::CANCELLED); }

  void OnDone() override {
    handler_->OnClosed(shared_from_this());
    self_.reset();
  }

 private:
  // Starts the write that the caller has counted in `starting_`. The front stays in place until OnWriteDone: a
  // deque's elements do not move.
  void WriteFront() {
    const v1::CoordinatorMessage* front;
    {
      MutexLock lock(mutex_);
      front = &queue_.front();
    }
    StartWrite(front);
    Started();
  }

  // Neither a read nor a write may start after Finish, so an end that comes meanwhile is left to whoever is the last
  // to have started one.
  void Started() {
    std::optional<grpc::Status> end;
    {
      MutexLock lock(mutex_);
      if (--starting_ == 0) end = end_;
    }
    if (end) Finish(*end);
  }

  // The first end counts; nothing is written after it.
  void End(const grpc::Status& status) {
    {
      MutexLock lock(mutex_);
      if (end_) return;
      end_ = status;
      if (starting_ > 0) return;
    }
    Finish(status);
  }

  SessionHandler* const handler_;
  std::shared_ptr<StreamReactor> self_;
  v1::AgentMessage incoming_;
  Mutex mutex_;
  std::deque<v1::CoordinatorMessage> queue_ TIDEMARK_GUARDED_BY(mutex_);
  bool writing_ TIDEMARK_GUARDED_BY(mutex_) = false;  // the front's write is under way
  int starting_ TIDEMARK_GUARDED_BY(mutex_) = 0;      // threads that are about to call StartRead or StartWrite
  std::optional<grpc::Status> end_ TIDEMARK_GUARDED_BY(mutex_);
};

// Reads a chunk, hands it on, acknowledges it, reads the next.
class UploadReactor final : public grpc::ServerBidiReactor<v1::RecordChunk, v1::RecordAck> {
 public:
  UploadReactor(SessionHandler* handler, std::string agent_id) : handler_(handler), agent_id_(std::move(agent_id)) {
    StartRead(&chunk_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    if (!agent_id_.empty() && chunk_.agent_id() != agent_id_) {
      Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED,
                          absl::StrCat("the certificate is of agent \"", agent_id_, "\", the records are of \"",
                                       chunk_.agent_id(), "\"")));
      return;
    }
    handler_->OnRecords(std::exchange(chunk_, v1::RecordChunk()),
                        [this](const absl::StatusOr<uint64_t>& offset) { Acknowledge(offset); });
  }

  // Nothing ends the call while a chunk is with the handler, so the reactor is still there.
  void Acknowledge(const absl::StatusOr<uint64_t>& offset) {
    if (!offset.ok()) {
      Finish(grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, std::string(offset.status().message())));
      return;
    }
    ack_.set_offset(*offset);
    StartWrite(&ack_);
  }

  void OnWriteDone(bool ok) override {
    if (ok) {
      StartRead(&chunk_);
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }

  void OnDone() override { delete this; }

 private:
  SessionHandler* const handler_;
  const std::string agent_id_;  // the only one that may be; empty: any
  v1::RecordChunk chunk_;
  v1::RecordAck ack_;
};

// Ends a call at once.
template <typename Request, typename Response>
class Refusal final : public grpc::ServerBidiReactor<Request, Response> {
 public:
  explicit Refusal(const absl::Status& status) { this->Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

class SessionService final : public v1::AgentSession::CallbackService {
 public:
  SessionService(SessionHandler* handler, Authorizer* authorizer) : handler_(handler), authorizer_(authorizer) {}

  grpc::ServerBidiReactor<v1::AgentMessage, v1::CoordinatorMessage>* Session(
      grpc::CallbackServerContext* context) override {
    const absl::StatusOr<Caller> caller = Authorize(*context);
    if (!caller.ok()) return new Refusal<v1::AgentMessage, v1::CoordinatorMessage>(caller.status());
    auto reactor = std::make_shared<StreamReactor>(handler_);
    StreamReactor* raw = reactor.get();
    raw->Start(std::move(reactor), caller->agent_id);
    return raw;
  }

  grpc::ServerBidiReactor<v1::RecordChunk, v1::RecordAck>* UploadRecords(
      grpc::CallbackServerContext* context) override {
    const absl::StatusOr<Caller> caller = Authorize(*context);
    if (!caller.ok()) return new Refusal<v1::RecordChunk, v1::RecordAck>(caller.status());
    return new UploadReactor(handler_, caller->agent_id);
  }

 private:
  absl::StatusOr<Caller> Authorize(const grpc::CallbackServerContext& context) {
    if (authorizer_ == nullptr) return Caller{};
    absl::StatusOr<Caller> caller = authorizer_->Authorize(context, Role::kAgent);
    if (!caller.ok()) LogRefusal(context.peer(), caller.status());
    return caller;
  }

  void LogRefusal(const std::string& peer, const absl::Status& reason) {
    std::optional<uint64_t> left_out;
    {
      MutexLock lock(mutex_);
      left_out = refusals_.Take(RealClock().MonotonicNanos());
    }
    if (!left_out) return;
    Log(LogLevel::kWarning, "call refused",
        {{"peer", peer}, {"wanted", "agent"}, {"reason", std::string(reason.message())}, {"left_out", absl::StrCat(*left_out)}});
  }

  SessionHandler* const handler_;
  Authorizer* const authorizer_;  // may be null
  Mutex mutex_;
  LogBudget refusals_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<v1::AgentSession::CallbackService> NewSessionService(SessionHandler* handler, Authorizer* authorizer) {
  return std::make_unique<SessionService>(handler, authorizer);
}

}  // namespace tidemark
