// Real TLS over loopback: who is let in, and what the others are told.
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/rpc/credentials.h"
#include "common/rpc/deadline.h"
#include "common/rpc/grpc_status.h"
#include "coordinator/rpc/authorizer.h"
#include "coordinator/rpc/session_service.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"
#include "tests/support/cluster_certificates.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kCallLimit = 10 * kNanosPerSecond;
constexpr char kTokens[] = "ci ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";  // of "abc"

// Ends each stream with the id that its certificate binds, "any" when none.
class Greeter final : public SessionHandler {
 public:
  void OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) override {
    stream->Close(agent_id.empty() ? "any" : agent_id);
  }
  void OnMessage(const std::shared_ptr<AgentStream>&, v1::AgentMessage) override {}
  void OnClosed(const std::shared_ptr<AgentStream>&) override {}
  void OnRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) override {
    kept(chunk.data().size());
  }
};

// A call of the public API that does no more than ask who calls.
class ClientDoor final : public v1::Benchmark::CallbackService {
 public:
  explicit ClientDoor(Authorizer* authorizer) : authorizer_(authorizer) {}
  grpc::ServerUnaryReactor* ListAgents(grpc::CallbackServerContext* context, const v1::ListAgentsRequest*,
                                       v1::ListAgentsResponse*) override {
    const absl::StatusOr<Caller> caller = authorizer_->Authorize(*context, Role::kClient);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(caller.ok() ? grpc::Status(grpc::StatusCode::ABORTED, "hello " + caller->name)
                                : ToGrpcStatus(caller.status()));
    return reactor;
  }

 private:
  Authorizer* const authorizer_;
};

class Coordinator {
 public:
  Coordinator(const TransportSecurity& security, const std::string& tokens_file)
      : authorizer_(*Authorizer::Create({!security.plaintext, tokens_file})),
        sessions_(NewSessionService(&greeter_, authorizer_.get())),
        door_(authorizer_.get()) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", MakeServerCredentials(security), &port_);
    builder.RegisterService(sessions_.get());
    builder.RegisterService(&door_);
    server_ = builder.BuildAndStart();
  }
  ~Coordinator() { server_->Shutdown(DeadlineIn(2 * kNanosPerSecond)); }

  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

 private:
  Greeter greeter_;
  const std::unique_ptr<Authorizer> authorizer_;
  const std::unique_ptr<v1::AgentSession::CallbackService> sessions_;
  ClientDoor door_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// A connection of its own for each call.
std::shared_ptr<grpc::Channel> Dial(const std::string& address, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

void Limit(grpc::ClientContext* context) { context->set_deadline(DeadlineIn(kCallLimit)); }

class SecurityTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_ = std::make_unique<testing::ClusterCertificates>();
    certificates_->Add({"--agent", "a1", "--client", "eve", "--client", "ci"});
    certificates_->Add({"--agent", "old", "--days", "-1"});
    certificates_->Add({"--agent", "impostor", "--hosts", "127.0.0.1"});
    others_ = std::make_unique<testing::ClusterCertificates>();
  }
  static void TearDownTestSuite() {
    certificates_.reset();
    others_.reset();
  }

  void Start(bool plaintext = false, bool tokens = true) {
    const TransportSecurity security = plaintext ? Plaintext() : TransportSecurity{false, Files("coordinator")};
    coordinator_ = std::make_unique<Coordinator>(security, tokens ? folder_.Write("tokens", kTokens) : "");
  }

  static TransportSecurity Plaintext() { return {true, {}}; }
  static TlsFiles Files(const std::string& name) { return certificates_->Of(name); }

  // The status of a Session call, whose text is the greeting where the agent was let in.
  grpc::Status Session(const TransportSecurity& security) {
    return SessionWith(MakeChannelCredentials(security));
  }
  grpc::Status Session(const std::string& name) { return Session({false, Files(name)}); }
  grpc::Status SessionWith(std::shared_ptr<grpc::ChannelCredentials> credentials) {
    const auto stub = v1::AgentSession::NewStub(Dial(coordinator_->address(), std::move(credentials)));
    grpc::ClientContext context;
    Limit(&context);
    const auto stream = stub->Session(&context);
    v1::CoordinatorMessage message;
    while (stream->Read(&message)) {
    }
    return stream->Finish();
  }

  // The same of a call of the public API.
  grpc::Status Api(const TransportSecurity& security, const std::string& token) {
    const auto stub = v1::Benchmark::NewStub(Dial(coordinator_->address(), MakeChannelCredentials(security)));
    grpc::ClientContext context;
    Limit(&context);
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    v1::ListAgentsResponse response;
    return stub->ListAgents(&context, {}, &response);
  }
  grpc::Status Api(const std::string& name, const std::string& token) { return Api({false, Files(name)}, token); }

  grpc::Status Upload(const std::string& name, const std::string& agent_id) {
    const auto stub = v1::AgentSession::NewStub(
        Dial(coordinator_->address(), MakeChannelCredentials({false, Files(name)})));
    grpc::ClientContext context;
    Limit(&context);
    const auto stream = stub->UploadRecords(&context);
    v1::RecordChunk chunk;
    chunk.set_agent_id(agent_id);
    stream->Write(chunk);
    stream->WritesDone();
    v1::RecordAck ack;
    while (stream->Read(&ack)) {
    }
    return stream->Finish();
  }

  static std::unique_ptr<testing::ClusterCertificates> certificates_, others_;
  testing::TemporaryFolder folder_;
  std::unique_ptr<Coordinator> coordinator_;
};

std::unique_ptr<testing::ClusterCertificates> SecurityTest::certificates_, SecurityTest::others_;

TEST_F(SecurityTest, AnAgentIsLetInAndBoundToItsCertificatesId) {
  Start();
  EXPECT_EQ(Session("agent-a1").error_message(), "a1");
  EXPECT_EQ(Session("agent").error_message(), "any");
}

TEST_F(SecurityTest, AClientIsLetInByItsCertificateAndToken) {
  Start();
  EXPECT_EQ(Api("client-ci", "abc").error_message(), "hello ci");
  EXPECT_EQ(Api("client-eve", "abc").error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(SecurityTest, AClientCannotActAsAnAgent) {
  Start();
  const grpc::Status status = Session("client");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("the certificate's role is client, but this call wants agent"));
}

TEST_F(SecurityTest, AnAgentCannotActAsAClient) {
  Start();
  EXPECT_EQ(Api("agent", "abc").error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(SecurityTest, AMissingAndAWrongTokenAreRefused) {
  Start();
  EXPECT_EQ(Api("client", "").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Api("client", "abcd").error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(SecurityTest, ATokenFileCountsWithPlaintextToo) {
  Start(/*plaintext=*/true);
  EXPECT_EQ(Api(Plaintext(), "").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Api(Plaintext(), "abc").error_message(), "hello ci");
}

TEST_F(SecurityTest, WithoutATokenFileACertificateIsEnough) {
  Start(/*plaintext=*/false, /*tokens=*/false);
  EXPECT_EQ(Api("client-eve", "").error_message(), "hello eve");
}

TEST_F(SecurityTest, AnotherCasAgentGetsNoConnection) {
  Start();
  TlsFiles files = others_->Of("agent");
  files.ca = Files("agent").ca;  // it trusts this coordinator, which does not trust it
  EXPECT_EQ(Session({false, files}).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, ACoordinatorOfAnotherCaIsNotBelieved) {
  Start();
  TlsFiles files = Files("agent");
  files.ca = others_->Of("agent").ca;
  EXPECT_EQ(Session({false, files}).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, AnAgentPosingAsTheCoordinatorIsNotBelieved) {
  coordinator_ = std::make_unique<Coordinator>(TransportSecurity{false, Files("agent-impostor")}, "");
  const grpc::Status status = Session("agent");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("what answers is no coordinator"));
}

TEST_F(SecurityTest, NobodyIsLetInWithoutACertificate) {
  Start();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = testing::ReadFile(Files("agent").ca);
  EXPECT_EQ(SessionWith(grpc::SslCredentials(options)).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, NobodyIsLetInWithoutTls) {
  Start();
  EXPECT_EQ(Session(Plaintext()).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, AnExpiredCertificateGetsNoConnection) {
  Start();
  EXPECT_EQ(Session("agent-old").error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, RecordsAreTakenOfTheCertificatesAgentOnly) {
  Start();
  EXPECT_TRUE(Upload("agent-a1", "a1").ok());
  EXPECT_TRUE(Upload("agent", "a2").ok());
  const grpc::Status status = Upload("agent-a1", "a2");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("the certificate is of agent \"a1\", the records are of \"a2\""));
  EXPECT_EQ(Upload("client", "a1").error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

// The server's files are replaced by another CA's: from then on only that CA's agents are let in.
TEST_F(SecurityTest, NewConnectionsUseTheFilesReadLast) {
  const auto copy = [this](const std::string& from, const std::string& to) {
    std::rename(folder_.Write("new", testing::ReadFile(from)).c_str(), folder_.File(to).c_str());
  };
  const auto put = [&copy](const TlsFiles& files) {
    copy(files.cert, "cert");
    copy(files.key, "key");
    copy(files.ca, "ca");
  };
  put(Files("coordinator"));
  coordinator_ = std::make_unique<Coordinator>(
      TransportSecurity{false, {folder_.File("cert"), folder_.File("key"), folder_.File("ca")}}, "");
  EXPECT_EQ(Session("agent-a1").error_message(), "a1");
  put(others_->Of("coordinator"));
  const TransportSecurity other{false, others_->Of("agent")};
  EXPECT_TRUE(testing::Eventually(20'000, [&] { return Session(other).error_message() == "any"; }));
  EXPECT_EQ(Session("agent-a1").error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace tidemark
