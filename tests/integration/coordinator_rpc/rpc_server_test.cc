#include "coordinator/rpc/rpc_server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>

#include "common/clock/clock.h"
#include "common/rpc/deadline.h"
#include "common/rpc/health_server.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"

namespace tidemark {
namespace {

// What asking for reflection comes to.
grpc::StatusCode AskForReflection(const NetAddress& address) {
  grpc::GenericStub stub(grpc::CreateChannel(ToString(address), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(10 * kNanosPerSecond));
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  void* tag = nullptr;
  bool ok = false;
  grpc::Status status;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->WritesDone(nullptr);
  queue.Next(&tag, &ok);
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return status.error_code();
}

class NoService final : public v1::Benchmark::CallbackService {};

grpc::StatusCode AskForReflection(bool clients_need_tokens) {
  TransportSecurity plaintext;
  plaintext.plaintext = true;
  NoService service;
  const auto server = RpcServer::Start({"127.0.0.1", 0}, plaintext, clients_need_tokens, {&service});
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? AskForReflection((*server)->address()) : grpc::StatusCode::UNKNOWN;
}

TEST(RpcServer, ReflectionIsLeftOutWhereOnlyItWouldAnswerWithoutCredentials) {
  EXPECT_EQ(AskForReflection(/*clients_need_tokens=*/true), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(AskForReflection(/*clients_need_tokens=*/false), grpc::StatusCode::OK);
}

// It is linked into this process, too.
TEST(RpcServer, TheHealthPortHasNoReflection) {
  const auto health = HealthServer::Start({"127.0.0.1", 0});
  ASSERT_TRUE(health.ok()) << health.status();
  EXPECT_EQ(AskForReflection((*health)->address()), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace tidemark
