// What a cluster does not let in, each with a sentence that says why.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "proto/tidemark/v1/agent_session.grpc.pb.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"
#include "tests/e2e/cluster/cluster_process.h"

namespace tidemark::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kEndMs = 15'000;

// Ends by itself, not with 0, and says `text`.
void ExpectEnds(const ProcessOptions& process, const ::testing::Matcher<std::string>& said) {
  const ProcessEnd end = RunToEnd(process, kEndMs);
  EXPECT_GT(end.code, 0) << "it did not end by itself\n" << end.err;
  EXPECT_LT(end.code, 3) << end.err;
  EXPECT_THAT(end.err, said);
}

TEST(ClusterRefusal, SecondCoordinatorOnTheSameDataDirectoryNamesItsHolder) {
  Cluster cluster;
  ProcessOptions second = cluster.CoordinatorCommand();
  for (std::string& argument : second.arguments) {
    if (argument == cluster.address()) argument = "127.0.0.1:0";
  }
  for (size_t i = 1; i < second.arguments.size(); ++i) {
    if (second.arguments[i - 1] == "--http") second.arguments[i] = "127.0.0.1:0";
  }
  ExpectEnds(second, AllOf(HasSubstr("the data directory"), HasSubstr("is held by"),
                           HasSubstr(absl::StrCat(cluster.coordinator().pid()))));
  EXPECT_TRUE(cluster.client().ListAgents().ok()) << "the first one goes on";
}

TEST(ClusterRefusal, SecondLiveAgentOfOneIdWaitsAndTheFirstStays) {
  Cluster cluster;
  cluster.StartAgents(1);
  const absl::StatusOr<v1::ListAgentsResponse> before = cluster.client().ListAgents();
  ASSERT_TRUE(before.ok());
  Process second(cluster.AgentCommand("a", {.spool_dir = cluster.folder().File("other-spool")}));
  EXPECT_TRUE(second.WaitForText("is already here as another process", kEndMs)) << second.err();
  const absl::StatusOr<v1::ListAgentsResponse> after = cluster.client().ListAgents();
  ASSERT_TRUE(after.ok());
  ASSERT_EQ(after->agents_size(), 1);
  EXPECT_EQ(after->agents(0).incarnation(), before->agents(0).incarnation());
}

std::shared_ptr<grpc::Channel> InTheClear(const Cluster& cluster) {
  return grpc::CreateChannel(cluster.address(), grpc::InsecureChannelCredentials());
}

std::shared_ptr<grpc::Channel> With(const Cluster& cluster, const std::string& name) {
  const TlsFiles files = cluster.certificates().Of(name);
  return grpc::CreateChannel(cluster.address(), grpc::SslCredentials({ReadFile(files.ca), ReadFile(files.key),
                                                                      ReadFile(files.cert)}));
}

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(kEndMs));
}

v1::Hello HelloOf(const std::string& id) {
  v1::Hello hello;
  hello.set_protocol_major(1);
  hello.set_agent_id(id);
  hello.set_incarnation("incarnation-of-a-test");
  hello.set_build("test");
  hello.set_cores(1);
  hello.mutable_capacity()->set_streams(1);
  hello.mutable_capacity()->set_source("flag");
  hello.set_weight(1);
  return hello;
}

struct SessionAnswer {
  v1::CoordinatorMessage message;  // the first one but for pings
  grpc::Status status;             // how the stream ended
};

SessionAnswer SayHello(const std::shared_ptr<grpc::Channel>& channel, const v1::Hello& hello) {
  const auto stub = v1::AgentSession::NewStub(channel);
  grpc::ClientContext context;
  SetDeadline(context);
  const auto stream = stub->Session(&context);
  v1::AgentMessage message;
  *message.mutable_hello() = hello;
  stream->Write(message);
  SessionAnswer answer;
  bool read = stream->Read(&answer.message);
  while (read && answer.message.has_ping()) read = stream->Read(&answer.message);
  if (read) context.TryCancel();  // the first word is enough; without one the stream has ended by itself
  answer.status = stream->Finish();
  return answer;
}

TEST(ClusterRefusal, AgentOfAnotherMajorVersionIsToldWhatToRun) {
  Cluster cluster;
  v1::Hello hello = HelloOf("old");
  ASSERT_TRUE(SayHello(InTheClear(cluster), hello).message.has_welcome());
  hello.set_protocol_major(99);
  hello.set_agent_id("new");
  const v1::CoordinatorMessage answer = SayHello(InTheClear(cluster), hello).message;
  ASSERT_TRUE(answer.has_refused()) << answer.DebugString();
  EXPECT_TRUE(answer.refused().permanent());
  EXPECT_THAT(answer.refused().reason(), AllOf(HasSubstr("99"), HasSubstr("run the same release of both")));
}

class SecureClusterRefusalTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    strangers_ = new ClusterCertificates();
    cluster_ = new Cluster({.tls = true});
  }
  static void TearDownTestSuite() {
    delete cluster_;
    delete strangers_;
  }

  static grpc::Status ListAgents(const std::shared_ptr<grpc::Channel>& channel, const std::string& token) {
    grpc::ClientContext context;
    SetDeadline(context);
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::ListAgentsResponse response;
    return v1::Benchmark::NewStub(channel)->ListAgents(&context, {}, &response);
  }

  static inline Cluster* cluster_ = nullptr;
  static inline ClusterCertificates* strangers_ = nullptr;  // of another CA
};

TEST_F(SecureClusterRefusalTest, ClientWithCertificateAndTokenIsLetIn) {
  const grpc::Status status = ListAgents(With(*cluster_, "client"), cluster_->token());
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(SecureClusterRefusalTest, ClientWithoutATokenIsToldToGiveOne) {
  const grpc::Status status = ListAgents(With(*cluster_, "client"), "");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(status.error_message(), HasSubstr("a bearer token is wanted"));
}

TEST_F(SecureClusterRefusalTest, ClientWithAnUnknownTokenIsRefusedAndTheTokenIsNotShown) {
  const grpc::Status status = ListAgents(With(*cluster_, "client"), "guessed-token");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(status.error_message(), HasSubstr("the bearer token is not in the coordinator's --tokens-file"));
  EXPECT_THAT(cluster_->Logs(), ::testing::Not(HasSubstr("guessed-token")));
}

TEST_F(SecureClusterRefusalTest, AgentsCertificateIsNoClients) {
  const grpc::Status status = ListAgents(With(*cluster_, "agent"), cluster_->token());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), AllOf(HasSubstr("the certificate's role is agent"), HasSubstr("client")));
}

TEST_F(SecureClusterRefusalTest, ClientsCertificateIsNoAgents) {
  const SessionAnswer answer = SayHello(With(*cluster_, "client"), HelloOf("eve"));
  EXPECT_FALSE(answer.message.has_welcome());
  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(answer.status.error_message(), AllOf(HasSubstr("the certificate's role is client"), HasSubstr("agent")));
}

TEST_F(SecureClusterRefusalTest, NothingIsSaidInTheClear) {
  EXPECT_EQ(ListAgents(InTheClear(*cluster_), cluster_->token()).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecureClusterRefusalTest, AgentProcessWithAClientsCertificateEndsAtOnceAndSaysWhichItWants) {
  ExpectEnds(cluster_->AgentCommand("eve", {.tls = cluster_->certificates().Of("client")}),
             AllOf(HasSubstr("client"), HasSubstr("/tidemark/agent")));
}

TEST_F(SecureClusterRefusalTest, AgentProcessOfAnotherAuthorityNeverJoinsAndSaysWhy) {
  TlsFiles files = strangers_->Of("agent");
  files.ca = cluster_->certificates().Of("agent").ca;  // it knows whom it calls; it is not known itself
  Process stranger(cluster_->AgentCommand("eve", {.tls = files}));
  EXPECT_TRUE(stranger.WaitForText("no stream to the coordinator", kEndMs)) << stranger.err();
  EXPECT_TRUE(cluster_->AgentIds().empty());
}

}  // namespace
}  // namespace tidemark::testing
