// The command as a process of its own: nothing of this one's gRPC helps it.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>

#include "common/rpc/credentials.h"
#include "tests/support/cluster_certificates.h"
#include "tests/support/fake_coordinator.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

using testing::ClusterCertificates;
using testing::Eventually;
using testing::FakeCoordinator;
using ::testing::HasSubstr;
using testing::Process;

constexpr int64_t kPatienceMs = 30'000;

// A coordinator over TLS that comes and goes on one port.
class TlsServer {
 public:
  TlsServer(BenchmarkHandler* handler, const TlsFiles& files, int port)
      : service_(NewBenchmarkService(handler, nullptr)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), MakeServerCredentials({false, files}));
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
  }
  ~TlsServer() {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

 private:
  std::unique_ptr<v1::Benchmark::CallbackService> service_;
  std::unique_ptr<grpc::Server> server_;
};

// A handshake goes on only while the command waits for it.
TEST(ClusterProcess, AWatcherFindsACoordinatorThatWasAway) {
  const ClusterCertificates certificates;
  const TlsFiles ours = certificates.Of("client");
  const int port = testing::FreePort();
  testing::ProcessOptions options;
  options.arguments = {TIDEMARK_BIN_DIR "/tidemark",
                       "job",
                       "watch",
                       "job-1",
                       "--coordinator",
                       "127.0.0.1:" + std::to_string(port),
                       "--tls-cert",
                       ours.cert,
                       "--tls-key",
                       ours.key,
                       "--tls-ca",
                       ours.ca};
  Process command(options);  // before this process has threads
  ASSERT_TRUE(command.WaitForText("connection lost", kPatienceMs)) << command.err();
  FakeCoordinator coordinator;
  const std::string job = coordinator.Add("a");
  auto server = std::make_unique<TlsServer>(&coordinator, certificates.Of("coordinator"), port);
  ASSERT_TRUE(Eventually(kPatienceMs, [&] { return coordinator.watches().size() == 1; })) << command.err();
  server.reset();
  testing::PauseMs(1'000);
  server = std::make_unique<TlsServer>(&coordinator, certificates.Of("coordinator"), port);
  ASSERT_TRUE(Eventually(15'000, [&] { return coordinator.watches().size() == 2; })) << command.err();
  v1::Result result;
  result.add_levels()->mutable_measured()->set_ok(1);
  coordinator.End(job, v1::COMPLETED, result);
  EXPECT_EQ(command.Wait(kPatienceMs), 0) << command.err();
  EXPECT_THAT(command.err(), HasSubstr("connected again"));
}

// The coordinator that a sweep is to stop does not answer.
TEST(ClusterProcess, ThreeInterruptsEndASweepAtOnce) {
  const testing::TemporaryFolder folder;
  testing::ProcessOptions options;
  options.arguments = {TIDEMARK_BIN_DIR "/tidemark", "sweep", "--coordinator", "127.0.0.1:" + std::to_string(testing::FreePort()),
                       "--plaintext", "--url", "http://server:8000", "--output-dir", folder.File("o")};
  Process command(options);
  ASSERT_TRUE(command.WaitForText("trying again", kPatienceMs)) << command.err();
  for (int i = 1; i <= 3; ++i) {
    command.Signal(SIGINT);
    ASSERT_TRUE(command.WaitForText(i == 1 ? "stopping" : "cancelling at once", kPatienceMs)) << command.err();
    if (i == 2) testing::PauseMs(200);  // so that the third is one of its own
  }
  EXPECT_EQ(command.Wait(5'000), 130) << command.err();
}

}  // namespace
}  // namespace tidemark
