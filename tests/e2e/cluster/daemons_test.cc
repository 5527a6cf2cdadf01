// The daemons as they are started, asked and ended: real processes on free ports.
#include <sys/stat.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/benchmark_client.h"
#include "common/http_client/http_client.h"
#include "common/json/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/cluster_certificates.h"
#include "tests/support/daemon_process.h"
#include "tests/support/health_check.h"
#include "tests/support/simulator_process.h"

namespace tidemark {
namespace {

using testing::CheckHealth;
using testing::ClusterCertificates;
using testing::DaemonProcess;
using testing::Eventually;
using testing::Flags;
using testing::ProcessEnd;
using testing::RunToEnd;
using testing::SimulatorProcess;
using testing::TemporaryFolder;
using testing::TlsFlags;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kEndLimit = 10'000;
constexpr int64_t kJoinLimit = 20'000;

Flags operator+(Flags a, const Flags& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class DaemonsTest : public ::testing::Test {
 protected:
  std::unique_ptr<DaemonProcess> Coordinator(const Flags& flags) {
    return std::make_unique<DaemonProcess>("tidemark-coordinator", Flags{"--data-dir=" + folder_.File("data")} + flags);
  }
  std::unique_ptr<DaemonProcess> Agent(const std::string& id, DaemonProcess& coordinator, const Flags& flags) {
    return std::make_unique<DaemonProcess>(
        "tidemark-agent",
        Flags{"--id=" + id, "--coordinator=" + coordinator.Address("grpc"), "--spool-dir=" + folder_.File("spool")} + flags);
  }

  // The status of /readyz; 0 when there is no answer.
  static int Ready(DaemonProcess& daemon, const HttpOptions& options = {}) {
    const std::string scheme = options.ca_cert.empty() ? "http://" : "https://";
    const auto response = HttpGet(scheme + daemon.Address("http") + "/readyz", {}, options);
    return response.ok() ? response->status : 0;
  }
  static bool BecomesReady(DaemonProcess& daemon, const HttpOptions& options = {}) {
    return Eventually(kJoinLimit, [&] { return Ready(daemon, options) == 200; });
  }

  // A start that must fail: the program run to its end.
  static ProcessEnd Fails(const std::string& program, const Flags& flags, const std::vector<std::string>& environment = {}) {
    testing::ProcessOptions options;
    options.arguments = Flags{absl::StrCat(TIDEMARK_BIN_DIR, "/", program)} + flags;
    options.environment = environment;
    return RunToEnd(options, 10'000);
  }

  TemporaryFolder folder_;
};

TEST_F(DaemonsTest, WithMutualTlsAClusterRunsAJobAndEndsInGoodOrder) {
  ClusterCertificates certificates({"--coordinator", "localhost,127.0.0.1", "--agent", "a1", "--agent", "a2", "--client", "ci"});
  const std::string tokens = folder_.Write("tokens", "ci ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n");
  SimulatorProcess simulator({"--delay-ms", "20", "--itl-ms", "1"});
  const auto coordinator = Coordinator(TlsFlags(certificates.Of("coordinator")) + Flags{"--tokens-file=" + tokens});
  const auto one = Agent("a1", *coordinator, TlsFlags(certificates.Of("agent-a1")));
  const auto two = Agent("a2", *coordinator, TlsFlags(certificates.Of("agent-a2")));
  HttpOptions https;
  https.ca_cert = certificates.folder() + "/ca.crt";
  for (DaemonProcess* daemon : {coordinator.get(), one.get(), two.get()}) {
    EXPECT_TRUE(Eventually(kJoinLimit, [&] { return CheckHealth(daemon->Address("health")) == "SERVING"; })) << daemon->log();
  }
  // The agents' HTTP shows the agents' certificate, which names no host.
  EXPECT_TRUE(BecomesReady(*coordinator, https)) << coordinator->log();
  https.insecure_skip_verify = true;
  for (DaemonProcess* agent : {one.get(), two.get()}) EXPECT_TRUE(BecomesReady(*agent, https)) << agent->log();

  Connection connection;
  connection.coordinator = coordinator->Address("grpc");
  const TlsFiles files = certificates.Of("client-ci");
  connection.tls_cert = files.cert;
  connection.tls_key = files.key;
  connection.tls_ca = files.ca;
  connection.token = "abc";
  const auto client = BenchmarkClient::Create(connection, &RealClock());
  ASSERT_TRUE(client.ok()) << client.status();
  v1::CreateJobRequest request;
  request.set_client_request_id("daemons-test");
  request.set_job_yaml(absl::StrCat("endpoint: {url: '", simulator.url(), "'}\nconcurrency: [3]\nrequest_count: 12\nosl: 5\n"));
  const auto job = (*client)->CreateJob(request);
  ASSERT_TRUE(job.ok()) << job.status();
  Cancellation never;
  const auto ended = (*client)->WatchJob(job->id(), {}, &never);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->state(), v1::COMPLETED) << ended->ShortDebugString();
  EXPECT_EQ(ended->created_by(), "ci");
  const auto result = (*client)->GetResult(job->id());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->levels_size(), 1);
  EXPECT_EQ(result->levels(0).agents_size(), 2);

  EXPECT_EQ(one->Terminate(kEndLimit), 0) << one->log();
  EXPECT_EQ(coordinator->Terminate(kEndLimit), 0) << coordinator->log();
  EXPECT_EQ(two->Terminate(kEndLimit), 0) << two->log();
}

// Two levels, the second of which runs for seconds: SIGTERM comes in its middle.
class EndInALevel : public DaemonsTest {
 protected:
  EndInALevel() : simulator_({"--delay-ms", "100", "--itl-ms", "5"}) {
    coordinator_ = Coordinator({"--plaintext"});
    address_ = coordinator_->Address("grpc");
    for (const char* id : {"a1", "a2"}) agents_.push_back(Agent(id, *coordinator_, {"--plaintext"}));
    for (const auto& agent : agents_) EXPECT_TRUE(BecomesReady(*agent)) << agent->log();
    Connection connection;
    connection.coordinator = address_;
    connection.plaintext = true;
    client_ = *BenchmarkClient::Create(connection, &RealClock());
    v1::CreateJobRequest request;
    request.set_client_request_id("end-in-a-level");
    request.set_job_yaml(absl::StrCat("endpoint: {url: '", simulator_.url(),
                                      "'}\nconcurrency: [2, 4]\nrequest_count: 60\nosl: 20\n"));
    const auto job = client_->CreateJob(request);
    EXPECT_TRUE(job.ok()) << job.status();
    if (job.ok()) job_ = job->id();
  }

  bool InSecondLevel() {
    return Eventually(60'000, [this] {
      const auto job = client_->DescribeJob(job_);
      return job.ok() && job->levels_done() == 1 && agents_[0]->log().find("level=1") != std::string::npos;
    });
  }

  v1::Result Ended() {
    Cancellation never;
    const auto job = client_->WatchJob(job_, {}, &never);
    EXPECT_TRUE(job.ok() && job->state() == v1::COMPLETED) << job.status() << (job.ok() ? job->ShortDebugString() : "");
    return client_->GetResult(job_).value_or(v1::Result());
  }

  SimulatorProcess simulator_;
  std::unique_ptr<DaemonProcess> coordinator_;
  std::string address_;
  std::vector<std::unique_ptr<DaemonProcess>> agents_;
  std::unique_ptr<BenchmarkClient> client_;
  std::string job_;
};

TEST_F(EndInALevel, AnAgentGivesItsLevelUpAndSaysSo) {
  ASSERT_TRUE(InSecondLevel());
  EXPECT_EQ(agents_[0]->Terminate(kEndLimit), 0) << agents_[0]->log();
  const v1::Result result = Ended();
  ASSERT_EQ(result.levels_size(), 2);
  ASSERT_EQ(result.levels(1).void_attempts_size(), 1) << result.levels(1).ShortDebugString();
  EXPECT_EQ(result.levels(1).void_attempts(0).agent(), "a1");
  EXPECT_EQ(result.levels(1).agents_size(), 1);
}

TEST_F(EndInALevel, ACoordinatorsJobGoesOnAtItsNextStart) {
  ASSERT_TRUE(InSecondLevel());
  EXPECT_EQ(coordinator_->Terminate(kEndLimit), 0) << coordinator_->log();
  testing::ProcessOptions options;
  options.arguments = {absl::StrCat(TIDEMARK_BIN_DIR, "/tidemark-coordinator"), "--plaintext", "--listen=" + address_,
                       "--http=127.0.0.1:0", "--health=127.0.0.1:0", "--data-dir=" + folder_.File("data")};
  testing::Process second(options);
  const v1::Result result = Ended();
  EXPECT_EQ(result.levels_size(), 2) << second.err();
  for (const auto& agent : agents_) EXPECT_EQ(agent->Terminate(kEndLimit), 0) << agent->log();
  second.Signal(SIGTERM);
  EXPECT_EQ(second.Wait(kEndLimit), 0) << second.err();
}

TEST_F(DaemonsTest, AnAgentWithoutACoordinatorLivesIsNotReadyAndEndsInGoodOrder) {
  const int port = testing::FreePort();
  DaemonProcess agent("tidemark-agent", {"--plaintext", "--id=a1", absl::StrCat("--coordinator=127.0.0.1:", port),
                                         "--spool-dir=" + folder_.File("spool")});
  EXPECT_TRUE(Eventually(kJoinLimit, [&] { return CheckHealth(agent.Address("health")) == "SERVING"; }));
  EXPECT_EQ(Ready(agent), 503);
  EXPECT_EQ(agent.Terminate(kEndLimit), 0) << agent.log();
}

TEST_F(DaemonsTest, AnAgentComesBackToACoordinatorThatWasStartedAnew) {
  std::string address;
  {
    const auto first = Coordinator({"--plaintext"});
    address = first->Address("grpc");
    EXPECT_EQ(first->Terminate(kEndLimit), 0);
  }
  DaemonProcess agent("tidemark-agent", {"--plaintext", "--id=a1", "--coordinator=" + address, "--spool-dir=" + folder_.File("spool")});
  EXPECT_EQ(Ready(agent), 503);
  testing::ProcessOptions options;
  options.arguments = {absl::StrCat(TIDEMARK_BIN_DIR, "/tidemark-coordinator"), "--plaintext", "--listen=" + address,
                       "--http=127.0.0.1:0", "--health=127.0.0.1:0", "--data-dir=" + folder_.File("data")};
  const testing::Process second(options);
  EXPECT_TRUE(BecomesReady(agent)) << agent.log() << second.err();
  EXPECT_THAT(agent.log(), HasSubstr("start=2"));
}

TEST_F(DaemonsTest, ACertificateOfAnotherIdIsRefusedWithBoth) {
  ClusterCertificates certificates;
  certificates.Add({"--agent", "a1"});
  const auto coordinator = Coordinator(TlsFlags(certificates.Of("coordinator")));
  const auto agent = Agent("a2", *coordinator, TlsFlags(certificates.Of("agent-a1")));
  EXPECT_EQ(agent->process().Wait(kJoinLimit), 1);
  EXPECT_THAT(agent->log(), AllOf(HasSubstr("a1"), HasSubstr("a2"), HasSubstr("certificate")));
}

TEST_F(DaemonsTest, AStrangersCertificateIsRefusedAndALogOfJsonIsJsonInEveryLine) {
  ClusterCertificates certificates, others;
  const auto coordinator = Coordinator(TlsFlags(certificates.Of("coordinator")) + Flags{"--log-json"});
  TlsFiles strangers = others.Of("agent");
  strangers.ca = certificates.Of("agent").ca;
  const auto agent = Agent("a1", *coordinator, TlsFlags(strangers) + Flags{"--log-json"});
  const auto says = [](DaemonProcess& daemon, const std::string& words) {
    return Eventually(kJoinLimit, [&] { return daemon.log().find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says(*coordinator, "certificate verify failed")) << coordinator->log();  // gRPC's own words
  EXPECT_TRUE(says(*agent, "has perhaps not signed this agent's --tls-cert")) << agent->log();
  agent->Terminate(kEndLimit);
  coordinator->Terminate(kEndLimit);
  for (const std::string& log : {coordinator->log(), agent->log()}) {
    EXPECT_THAT(log, HasSubstr("\"listening\""));
    for (const absl::string_view line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
      EXPECT_TRUE(ParseJson(line, "log").ok()) << line;
    }
  }
}

TEST_F(DaemonsTest, ASecondCoordinatorOnTheSameDataEndsNamingTheFirst) {
  const auto first = Coordinator({"--plaintext"});
  first->Address("grpc");
  const auto second = Coordinator({"--plaintext"});
  EXPECT_EQ(second->process().Wait(kEndLimit), 1);
  EXPECT_THAT(second->log(), AllOf(HasSubstr("--data-dir"), HasSubstr(absl::StrCat(first->process().pid()))));
}

TEST_F(DaemonsTest, ASecondAgentOfOneIdOnTheSameSpoolEnds) {
  const auto coordinator = Coordinator({"--plaintext"});
  const auto first = Agent("a1", *coordinator, {"--plaintext"});
  first->Address("http");
  const auto second = Agent("a1", *coordinator, {"--plaintext"});
  EXPECT_EQ(second->process().Wait(kEndLimit), 1);
  EXPECT_THAT(second->log(), HasSubstr("Give each its own --id"));
}

TEST_F(DaemonsTest, SpoolsOfADeadProcessAreRemovedAndOtherFilesAreNot) {
  TemporaryFolder spool;
  mkdir(spool.File("a1").c_str(), 0700);
  spool.Write("a1/job-0-1-1.jsonl", "{}\n");
  spool.Write("a1/notes.txt", "mine");
  DaemonProcess agent("tidemark-agent", {"--plaintext", "--id=a1", "--coordinator=127.0.0.1:1", "--spool-dir=" + spool.path()});
  agent.Address("http");
  EXPECT_EQ(testing::ReadFile(spool.File("a1/job-0-1-1.jsonl")), "");
  EXPECT_EQ(testing::ReadFile(spool.File("a1/notes.txt")), "mine");
}

TEST_F(DaemonsTest, WrongUsageEndsWithTwoAndSaysWhatIsRight) {
  const struct {
    const char* program;
    Flags flags;
    const char* said;
  } kCases[] = {
      {"tidemark-agent", {}, "--coordinator is missing"},
      {"tidemark-agent", {"--coordinator=h"}, "the port is missing"},
      {"tidemark-agent", {"--coordinator=h:1"}, "--tls-cert is missing"},
      {"tidemark-agent", {"--coordinator=h:1", "--plaintext", "--allow-target=http://x"}, "what stands before the / is no address"},
      {"tidemark-agent", {"--coordinator=h:1", "--plaintext", "--id=a b"}, "--id is \"a b\""},
      {"tidemark-agent", {"--coordinator=h:1", "--plaintext", "--secrets-dir=/no"}, "--secrets-dir is /no: want a folder"},
      {"tidemark-agent", {"--coordinator=h:1", "--plaintext", "--capcity=1"}, "did you mean \"--capacity\"?"},
      {"tidemark-agent", {"--coordinator=h:1", "--plaintext", "--log-level=loud"}, "log level \"loud\""},
      {"tidemark-coordinator", {"--plaintext"}, "--data-dir is missing"},
      {"tidemark-coordinator", {"--data-dir=x", "--tls-cert=/no"}, "--tls-cert /no: cannot be read"},
      {"tidemark-coordinator", {"--data-dir=x", "--plaintext", "--tokens-file=/no"}, "--tokens-file /no cannot be read"},
      {"tidemark-coordinator", {"--data-dir=x", "--plaintext", "--listen=::1:70"}, "needs brackets"},
  };
  for (const auto& c : kCases) {
    const ProcessEnd end = Fails(c.program, c.flags);
    EXPECT_EQ(end.code, 2) << c.said << ": " << end.err;
    EXPECT_THAT(end.err, HasSubstr(c.said));
  }
}

TEST_F(DaemonsTest, ASecretGivenByMistakeIsNotRepeated) {
  const ProcessEnd end = Fails("tidemark-agent", {"--coordinator=h:1", "--plaintext", "--secret-env=sk-s3cret"});
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, AllOf(HasSubstr("NAME@HOST"), Not(HasSubstr("s3cret"))));
}

TEST_F(DaemonsTest, APortInUseEndsWithOneAndNamesTheFlag) {
  const auto first = Coordinator({"--plaintext"});
  const std::string taken = first->Address("grpc");
  const ProcessEnd end = Fails("tidemark-coordinator", {"--plaintext", "--data-dir=" + folder_.File("other"), "--listen=" + taken,
                                                        "--http=127.0.0.1:0", "--health=127.0.0.1:0"});
  EXPECT_EQ(end.code, 1);
  EXPECT_THAT(end.err, AllOf(HasSubstr("--listen"), HasSubstr(taken)));
  for (const absl::string_view line : absl::StrSplit(end.err, '\n')) EXPECT_LT(line.size(), 400u) << line;
}

TEST_F(DaemonsTest, VariablesAndAFileStandForFlags) {
  const std::string config = folder_.Write("agent.yaml", "plaintext: true\nspool_dir: " + folder_.File("spool") + "\n");
  DaemonProcess agent("tidemark-agent", {"--config=" + config}, {"TIDEMARK_COORDINATOR=127.0.0.1:1", "TIDEMARK_ID=by-variable",
                                                                 "TIDEMARK_COORDINATOR_PORT=tcp://10.0.0.1:7070"});
  EXPECT_NE(agent.Address("http"), "");
  EXPECT_THAT(agent.log(), HasSubstr("id=by-variable"));
}

TEST_F(DaemonsTest, HelpAndVersionEndWithNought) {
  for (const char* program : {"tidemark-agent", "tidemark-coordinator"}) {
    EXPECT_THAT(Fails(program, {"--help"}).out, HasSubstr("--health HOST:PORT"));
    const ProcessEnd version = Fails(program, {"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, HasSubstr(absl::StrCat(program, " ")));
  }
}

}  // namespace
}  // namespace tidemark
