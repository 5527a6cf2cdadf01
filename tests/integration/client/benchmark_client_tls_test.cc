// What a user reads when the credentials are wrong, over real TLS.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "client/benchmark_client.h"
#include "common/rpc/credentials.h"
#include "tests/support/cluster_certificates.h"
#include "tests/support/fake_coordinator.h"

namespace tidemark {
namespace {

using testing::ClusterCertificates;
using ::testing::HasSubstr;

class BenchmarkClientTls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ours_ = new ClusterCertificates();
    theirs_ = new ClusterCertificates();
  }
  static void TearDownTestSuite() {
    delete ours_;
    delete theirs_;
  }

  BenchmarkClientTls() {
    authorizer_ = std::move(Authorizer::Create({true, ""})).value();
    service_ = NewBenchmarkService(&coordinator_, authorizer_.get());
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", MakeServerCredentials({false, ours_->Of("coordinator")}), &port_);
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
  }
  ~BenchmarkClientTls() override { server_->Shutdown(std::chrono::system_clock::now()); }

  absl::Status Ask(const Connection& connection) const {
    BenchmarkClientLimits limits;
    limits.patience_ns = 3 * kNanosPerSecond;
    const auto client = BenchmarkClient::Create(connection, &RealClock(), limits);
    return client.ok() ? (*client)->ListAgents().status() : client.status();
  }

  Connection With(const TlsFiles& files) const {
    Connection connection;
    connection.coordinator = "127.0.0.1:" + std::to_string(port_);
    connection.tls_cert = files.cert;
    connection.tls_key = files.key;
    connection.tls_ca = files.ca;
    return connection;
  }

  static ClusterCertificates* ours_;
  static ClusterCertificates* theirs_;
  testing::FakeCoordinator coordinator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<v1::Benchmark::CallbackService> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

ClusterCertificates* BenchmarkClientTls::ours_ = nullptr;
ClusterCertificates* BenchmarkClientTls::theirs_ = nullptr;

TEST_F(BenchmarkClientTls, AClientsCertificateIsLetIn) {
  const absl::Status status = Ask(With(ours_->Of("client")));
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(BenchmarkClientTls, AnAgentsCertificateIsRefusedBeforeAnyCall) {
  const absl::Status status = Ask(With(ours_->Of("agent")));
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--tls-cert"));
}

TEST_F(BenchmarkClientTls, AnotherCaIsSaidAtOnce) {
  const absl::Status status = Ask(With(theirs_->Of("client")));
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--tls-ca"));
}

TEST_F(BenchmarkClientTls, PlaintextToATlsPortSaysSo) {
  Connection connection = With({});
  connection.plaintext = true;
  const absl::Status status = Ask(connection);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--plaintext"));
}

TEST_F(BenchmarkClientTls, TlsToAPlaintextPortSaysSo) {
  const testing::BenchmarkServer plain(&coordinator_);
  Connection connection = With(ours_->Of("client"));
  connection.coordinator = plain.address();
  const absl::Status status = Ask(connection);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("give --plaintext"));
}

}  // namespace
}  // namespace tidemark
