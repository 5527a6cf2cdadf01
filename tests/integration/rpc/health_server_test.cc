#include "common/rpc/health_server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/clock/clock.h"
#include "common/rpc/deadline.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"
#include "tests/support/health_check.h"

namespace tidemark {
namespace {

std::string Check(const NetAddress& address) { return testing::CheckHealth(ToString(address)); }

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
  const auto stub = v1::Benchmark::NewStub(grpc::CreateChannel(ToString(health->address()), grpc::InsecureChannelCredentials()));
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
