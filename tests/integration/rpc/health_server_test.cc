#include "common/rpc/health_server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/clock/clock.h"
#include "common/rpc/credentials.h"
#include "common/rpc/deadline.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"

namespace tidemark {
namespace {

// grpc.health.v1.HealthCheckResponse has one field, the enum `status`, so its bytes are told by hand.
std::string Status(const grpc::ByteBuffer& response) {
  grpc::Slice slice;
  if (!response.DumpToSingleSlice(&slice).ok()) return "unreadable";
  const std::string bytes(reinterpret_cast<const char*>(slice.begin()), slice.size());
  if (bytes == "\x08\x01") return "SERVING";
  return bytes == "\x08\x02" ? "NOT_SERVING" : "other";
}

std::shared_ptr<grpc::Channel> Dial(const NetAddress& address) {
  return grpc::CreateChannel(ToString(address), grpc::InsecureChannelCredentials());
}

std::string Check(const NetAddress& address) {
  const auto channel = Dial(address);
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(10 * kNanosPerSecond));
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);  // for service "": all of it
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status.ok() ? Status(response) : status.error_message();
}

std::unique_ptr<HealthServer> Start() {
  absl::StatusOr<std::unique_ptr<HealthServer>> started = HealthServer::Start({"127.0.0.1", 0});
  EXPECT_TRUE(started.ok()) << started.status().ToString();
  return *std::move(started);
}

TEST(HealthServer, AnswersWithoutCredentials) {
  const auto health = Start();
  health->SetServing(true);
  EXPECT_EQ(Check(health->address()), "SERVING");
}

TEST(HealthServer, DoesNotServeUntilToldSo) {
  const auto health = Start();
  EXPECT_EQ(Check(health->address()), "NOT_SERVING");
}

TEST(HealthServer, SaysWhenItServesNoLonger) {
  const auto health = Start();
  health->SetServing(true);
  health->SetServing(false);
  EXPECT_EQ(Check(health->address()), "NOT_SERVING");
}

TEST(HealthServer, AnswersNothingElse) {
  const auto health = Start();
  const auto stub = v1::Benchmark::NewStub(Dial(health->address()));
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(10 * kNanosPerSecond));
  v1::ListAgentsResponse response;
  EXPECT_EQ(stub->ListAgents(&context, {}, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST(HealthServer, NamesAnAddressThatIsTaken) {
  const auto health = Start();
  const auto second = HealthServer::Start(health->address());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find(ToString(health->address())), absl::string_view::npos);
}

TEST(HealthServer, IsSwitchedOnForNoOtherServer) {
  const auto health = Start();
  v1::Benchmark::CallbackService service;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  EXPECT_EQ(builder.BuildAndStart()->GetHealthCheckService(), nullptr);
}

}  // namespace
}  // namespace tidemark
