#include "coordinator/rpc/session_service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "common/clock/clock.h"
#include "common/thread/serial_worker.h"

namespace tidemark {
namespace {

v1::CoordinatorMessage LargeMessage() {
  v1::CoordinatorMessage message;
  message.mutable_cancel()->set_reason(std::string(8'192, 'x'));
  return message;
}

// Answers the first message with what `answer` does.
class Answerer final : public SessionHandler {
 public:
  using Answer = std::function<void(const std::shared_ptr<AgentStream>&)>;
  explicit Answerer(Answer answer) : answer_(std::move(answer)) {}

  void OnOpened(const std::shared_ptr<AgentStream>&, const std::string&) override {}
  void OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage) override {
    answer_(stream);
    stream->ReadNext();
  }
  void OnClosed(const std::shared_ptr<AgentStream>&) override {}
  void OnRecords(v1::RecordChunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) override { kept(0); }

 private:
  const Answer answer_;
};

// An owner that is behind: it is done with a message a while after it came.
class SlowOwner final : public SessionHandler {
 public:
  SlowOwner() : worker_(&RealClock()) {}

  void OnOpened(const std::shared_ptr<AgentStream>&, const std::string&) override {}
  void OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage) override {
    most_waiting_ = std::max(most_waiting_.load(), ++waiting_);
    worker_.Post([this, stream] {
      SleepFor(5 * kNanosPerMilli);
      --waiting_;
      if (++taken_ == kMessages) stream->Close("all taken");
      stream->ReadNext();
    });
  }
  void OnClosed(const std::shared_ptr<AgentStream>&) override {}
  void OnRecords(v1::RecordChunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) override { kept(0); }

  static constexpr int kMessages = 50;
  int most_waiting() const { return most_waiting_; }

 private:
  std::atomic<int> waiting_{0}, most_waiting_{0};
  int taken_ = 0;
  SerialWorker worker_;
};

// What a client gets that says one message and then reads to the end.
struct Received {
  int messages = 0;
  grpc::Status status;
};

Received Say(int messages, SessionHandler& handler) {
  const auto service = NewSessionService(&handler, nullptr);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(service.get());
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  Received received;
  {
    const auto channel =
        grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials());
    const auto stub = v1::AgentSession::NewStub(channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stream = stub->Session(&context);
    for (int i = 0; i < messages; ++i) stream->Write(v1::AgentMessage());
    v1::CoordinatorMessage message;
    while (stream->Read(&message)) ++received.messages;
    received.status = stream->Finish();
  }
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5));
  return received;
}

Received SayHello(Answerer::Answer answer) {
  Answerer handler(std::move(answer));
  return Say(1, handler);
}

TEST(SessionService, ReadsNoMessageBeforeTheOneBeforeItIsTaken) {
  SlowOwner owner;
  const Received received = Say(SlowOwner::kMessages, owner);
  EXPECT_EQ(received.status.error_message(), "all taken");
  EXPECT_EQ(owner.most_waiting(), 1);
}

TEST(SessionService, AnAgentThatReadsTooSlowlyLosesItsStream) {
  const Received received = SayHello([](const std::shared_ptr<AgentStream>& stream) {
    for (int i = 0; i < 5'000; ++i) stream->Send(LargeMessage());
  });
  EXPECT_EQ(received.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_LT(received.messages, 5'000);
}

TEST(SessionService, WhatWasBeingSentArrivesBeforeTheEnd) {
  const Received received = SayHello([](const std::shared_ptr<AgentStream>& stream) {
    stream->Send(LargeMessage());
    stream->Close("refused");
  });
  EXPECT_EQ(received.messages, 1);
  EXPECT_EQ(received.status.error_message(), "refused");
}

TEST(SessionService, SendingWhileAnotherThreadClosesNeverWritesAfterTheEnd) {
  for (int round = 0; round < 20; ++round) {
    const Received received = SayHello([](const std::shared_ptr<AgentStream>& stream) {
      std::thread closer([stream] { stream->Close("enough"); });
      for (int i = 0; i < 200; ++i) stream->Send(LargeMessage());
      closer.join();
    });
    EXPECT_EQ(received.status.error_message(), "enough");
  }
}

}  // namespace
}  // namespace tidemark
