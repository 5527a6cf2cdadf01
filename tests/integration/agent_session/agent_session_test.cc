#include "agent/session/agent_session.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "common/clock/clock.h"
#include "proto/tidemark/v1/agent_session.grpc.pb.h"

namespace tidemark {
namespace {

constexpr int64_t kBound = 20 * kNanosPerSecond;
constexpr int64_t kLook = 5 * kNanosPerMilli;

// Welcomes an agent and prepares one level.
class OneLevelCoordinator final : public v1::AgentSession::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::AgentMessage>;

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override {
    v1::AgentMessage said;
    if (!stream->Read(&said) || !said.has_hello()) return grpc::Status::OK;
    v1::CoordinatorMessage welcome;
    welcome.mutable_welcome()->mutable_epoch()->set_store_uuid("s");
    welcome.mutable_welcome()->mutable_epoch()->set_counter(1);
    welcome.mutable_welcome()->set_lease_ms(5'000);
    welcome.mutable_welcome()->set_heartbeat_ms(1'000);
    stream->Write(welcome);
    LevelTask task;
    task.key = {"job", 0, 1};
    task.endpoint.urls = {"http://127.0.0.1:1/"};
    task.plan.concurrency = 4;
    task.plan.request_count = 10;
    task.share = {4, 0, 10, 0};
    v1::CoordinatorMessage prepare;
    *prepare.mutable_prepare() = EncodeTask(task);
    stream->Write(prepare);
    while (stream->Read(&said)) {
    }
    return grpc::Status::OK;
  }
};

// Keeps the events it was given, as an engine's threads would hold them.
class EventKeeper final : public Engine {
 public:
  void Prepare(const LevelTask&, EngineEvents events) override {
    events_ = std::move(events);
    prepared_ = true;
  }
  void Arm(int64_t, int64_t) override {}
  void Measure(int64_t) override {}
  void Stop(int64_t) override { events_.stopped({}); }
  void Cancel() override { events_.stopped({}); }
  void SetSendDeadline(int64_t) override {}
  std::vector<uint64_t> LoopSilenceMillis() const override { return {}; }
  std::string SpoolPath() const override { return ""; }

  bool prepared() const { return prepared_; }
  const EngineEvents& events() const { return events_; }

 private:
  EngineEvents events_;
  std::atomic<bool> prepared_{false};
};

TEST(AgentSession, ShowsEachTurnOfItsMachine) {
  OneLevelCoordinator coordinator;
  grpc::ServerBuilder builder;
  builder.RegisterService(&coordinator);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  EventKeeper engine;
  std::atomic<bool> began{false}, welcomed{false}, prepares{false};
  AgentSessionOptions options;
  options.hello.set_agent_id("a");
  options.channel = server->InProcessChannel({});
  options.engine = &engine;
  options.observe = [&](const SessionStep& step) {
    if (std::holds_alternative<AgentBegin>(step.event)) began = true;
    if (step.machine.welcomed()) welcomed = true;
    for (const AgentEffect& effect : step.effects) {
      if (std::holds_alternative<EnginePrepare>(effect)) prepares = true;
    }
  };
  {
    const AgentSession session(std::move(options), &RealClock());
    const int64_t end = RealClock().MonotonicNanos() + kBound;
    while (!engine.prepared() && RealClock().MonotonicNanos() < end) SleepFor(kLook);
  }
  EXPECT_TRUE(began);
  EXPECT_TRUE(welcomed);
  EXPECT_TRUE(prepares);
  server->Shutdown(std::chrono::system_clock::now());
}

// Use after free shows under ASan.
TEST(AgentSession, WhatTheEngineTellsAfterTheSessionHasEndedIsDropped) {
  OneLevelCoordinator coordinator;
  grpc::ServerBuilder builder;
  builder.RegisterService(&coordinator);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  EventKeeper engine;
  AgentSessionOptions options;
  options.hello.set_agent_id("a");
  options.channel = server->InProcessChannel({});
  options.engine = &engine;
  {
    const AgentSession session(std::move(options), &RealClock());
    const int64_t end = RealClock().MonotonicNanos() + kBound;
    while (!engine.prepared() && RealClock().MonotonicNanos() < end) SleepFor(kLook);
  }
  ASSERT_TRUE(engine.prepared());
  engine.events().ready(absl::OkStatus(), {});
  engine.events().facts({});
  engine.events().stopped({});
  server->Shutdown(std::chrono::system_clock::now());
}

}  // namespace
}  // namespace tidemark
