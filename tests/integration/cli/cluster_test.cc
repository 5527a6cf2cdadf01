// The command against a coordinator on loopback, whose jobs take the course that the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_runner.h"
#include "cli/job_command.h"
#include "cli/result_output.h"
#include "cli/sweep.h"
#include "common/json/json.h"
#include "tests/support/fake_coordinator.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::BenchmarkServer;
using ::testing::ElementsAre;
using testing::FakeCoordinator;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadFile;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::TemporaryFolder;

v1::Result SomeResult(v1::Verdict verdict = v1::PASS) {
  v1::Result result;
  result.set_schema_version("1.0");
  v1::LevelResult* level = result.add_levels();
  level->set_concurrency(4);
  level->set_verdict(verdict);
  level->set_validity(v1::VALID);
  level->mutable_measured()->set_ok(100);
  level->add_slas()->set_metric_tag("request_latency");
  level->mutable_slas(0)->set_verdict(verdict);
  result.mutable_answer()->set_verdict(verdict);
  result.mutable_answer()->set_headline("the answer");
  return result;
}

v1::Result InterruptedResult() {
  v1::Result result = SomeResult();
  result.set_interrupted(true);
  return result;
}

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() {
    // Before any thread: none but the command's own may take what a test sends to this process.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    artifacts_.Write("result.json", "{}");
    fs::create_directory(artifacts_.File("concurrency_4"));
    artifacts_.Write("concurrency_4/profile_export.jsonl", "records");
    coordinator_.SetArtifacts(artifacts_.path());
    v1::ListAgentsResponse agents;
    agents.add_agents()->set_id("a1");
    agents.set_capacity(1000);
    coordinator_.SetAgents(agents);
    coordinator_.created = [this](const std::string& job) {
      coordinator_.Level(job, 4);
      coordinator_.End(job, v1::COMPLETED, SomeResult());
    };
    server_.emplace(&coordinator_);
    environment_ = {"TIDEMARK_COORDINATOR=" + server_->address(), "TIDEMARK_PLAINTEXT=true"};
  }

  BenchmarkClientLimits Limits() const {
    BenchmarkClientLimits limits;
    limits.patience_ns = patience_s_ * kNanosPerSecond;
    return limits;
  }

  int Sweep(std::vector<std::string> more) {
    SweepWorld world;
    world.out = &out_;
    world.err = &err_;
    world.clock = &RealClock();
    world.version = "0";
    world.environment = environment_;
    world.connect = [this](const ClusterSettings& cluster, const std::function<void(const std::string&)>& say) {
      return ConnectToCluster(cluster, environment_, &RealClock(), Limits(), say);
    };
    world.output = FileResultOutput(Terminal());
    std::vector<std::string> arguments = {"--output-dir", folder_.File("o")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunSweep(world, arguments);
  }

  int SweepUrl(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--url", "http://server:8000", "--concurrency", "4"});
    return Sweep(more);
  }

  int Job(const std::vector<std::string>& arguments) {
    const JobWorld world = World();
    return RunJobCommand(world, arguments);
  }

  JobWorld World() {
    out_.str("");
    err_.str("");
    JobWorld world;
    world.out = &out_;
    world.err = &err_;
    world.clock = &RealClock();
    world.environment = environment_;
    world.output = FileResultOutput(Terminal());
    return world;
  }

  Json Document() const {
    const absl::StatusOr<Json> document = ParseJson(out_.str(), "out");
    EXPECT_TRUE(document.ok()) << document.status() << out_.str();
    return document.value_or(Json());
  }

  const TemporaryFolder folder_, artifacts_;
  FakeCoordinator coordinator_;
  std::optional<BenchmarkServer> server_;
  std::vector<std::string> environment_;
  int64_t patience_s_ = 10;
  std::ostringstream out_, err_;
};

TEST_F(ClusterTest, ASweepIsCarriedOutByTheCoordinatorAndItsFilesAreFetched) {
  EXPECT_EQ(SweepUrl(), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("the answer"));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("1 agent of " + server_->address() + ", up to 1,000 concurrent requests"),
                                HasSubstr("job job-1 on "), HasSubstr("concurrency    4  done")));
  EXPECT_EQ(ReadFile(folder_.File("o/result.json")), "{}") << "not the coordinator's own file";
  EXPECT_EQ(ReadFile(folder_.File("o/concurrency_4/profile_export.jsonl")), "records");
  EXPECT_FALSE(fs::exists(folder_.File("o/journal")));
}

TEST_F(ClusterTest, TheJobIsResolvedHereAndKeepsItsCommand) {
  EXPECT_EQ(SweepUrl({"--api-key-env", "KEY_OF_THE_AGENTS"}), 0) << err_.str();
  ASSERT_THAT(coordinator_.creates(), SizeIs(1));
  const v1::CreateJobRequest create = coordinator_.creates()[0];
  EXPECT_THAT(create.job_yaml(), AllOf(HasSubstr("http://server:8000/v1/chat/completions"),
                                       HasSubstr("concurrency: [4]"), HasSubstr("KEY_OF_THE_AGENTS")));
  EXPECT_EQ(create.command(0), "tidemark");
  EXPECT_THAT(err_.str(), HasSubstr("the name of a secret that the agents hold"));
}

TEST_F(ClusterTest, TheExitCodeIsThatOfTheAnswer) {
  coordinator_.created = [this](const std::string& job) {
    coordinator_.End(job, v1::COMPLETED, SomeResult(v1::FAIL));
  };
  EXPECT_EQ(SweepUrl(), 3) << err_.str();
}

TEST_F(ClusterTest, ASweepWithoutAUrlIsRefused) {
  EXPECT_EQ(Sweep({}), 2);
  EXPECT_EQ(err_.str(), "tidemark: a cluster has no built-in simulator: give --url\n");
}

TEST_F(ClusterTest, ASecretItselfIsRefusedBeforeAnythingIsMade) {
  EXPECT_EQ(SweepUrl({"-H", "Authorization: Bearer sesame"}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("--api-key-env"), Not(HasSubstr("sesame"))));
  EXPECT_FALSE(fs::exists(folder_.File("o")));
  EXPECT_EQ(coordinator_.jobs(), 0);
}

TEST_F(ClusterTest, ADryRunAsksNobody) {
  server_.reset();
  EXPECT_EQ(SweepUrl({"--dry-run"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("those of the cluster"));
}

TEST_F(ClusterTest, ACoordinatorThatIsNotThereIsSaidBeforeAFolderIsMade) {
  patience_s_ = 0;
  server_.reset();
  EXPECT_EQ(SweepUrl(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("tidemark: cannot reach the coordinator at 127.0.0.1:"));
  EXPECT_FALSE(fs::exists(folder_.File("o")));
}

TEST_F(ClusterTest, AnUnknownContextIsUsage) {
  environment_ = {"HOME=" + folder_.path()};
  EXPECT_EQ(SweepUrl({"--context", "prod"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("contexts.yaml"));
}

TEST_F(ClusterTest, AContextNamesTheCluster) {
  fs::create_directories(folder_.File(".config/tidemark"));
  folder_.Write(".config/tidemark/contexts.yaml",
                "contexts: {lab: {coordinator: '" + server_->address() + "', plaintext: true}}\n");
  environment_ = {"HOME=" + folder_.path()};
  EXPECT_EQ(SweepUrl({"--context", "lab"}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("1 agent of lab (127.0.0.1:"));
}

TEST_F(ClusterTest, AJobWhoseAnswerWasLostIsMadeOnce) {
  coordinator_.LoseCreateAnswers(1);
  EXPECT_EQ(SweepUrl(), 0) << err_.str();
  EXPECT_THAT(coordinator_.creates(), SizeIs(2));
  EXPECT_EQ(coordinator_.jobs(), 1);
}

TEST_F(ClusterTest, ALostConnectionIsSaidAndTheJobIsWatchedOn) {
  const int port = server_->port();
  coordinator_.created = [this, port](const std::string& job) {
    const auto watched = [this](size_t times) {
      return testing::Eventually(20'000, [this, times] { return coordinator_.watches().size() >= times; });
    };
    ASSERT_TRUE(watched(1));
    coordinator_.Level(job, 4);
    testing::PauseMs(200);  // so that it arrives
    server_.reset();
    coordinator_.Level(job, 8);
    server_.emplace(&coordinator_, nullptr, port);
    ASSERT_TRUE(watched(2));
    coordinator_.End(job, v1::COMPLETED, SomeResult());
  };
  EXPECT_EQ(SweepUrl(), 0) << err_.str();
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("connection lost, trying again (the job goes on by itself)"),
                                HasSubstr("connected again")));
  EXPECT_EQ(Count(err_.str(), "concurrency    4"), 1);
  EXPECT_EQ(Count(err_.str(), "concurrency    8"), 1);
}

TEST_F(ClusterTest, CtrlCStopsTheJobAndKeepsWhatThereIs) {
  coordinator_.created = [this](const std::string& job) {
    coordinator_.Level(job, 4);
    kill(getpid(), SIGINT);
  };
  coordinator_.stopped = [this](const std::string& job, bool) {
    coordinator_.End(job, v1::STOPPED, InterruptedResult());
  };
  EXPECT_EQ(SweepUrl(), 130) << err_.str();
  ASSERT_THAT(coordinator_.stops(), SizeIs(1));
  EXPECT_FALSE(coordinator_.stops()[0].now());
  EXPECT_TRUE(fs::exists(folder_.File("o/result.json")));
}

TEST_F(ClusterTest, CtrlCTwiceCancels) {
  coordinator_.created = [](const std::string&) { kill(getpid(), SIGINT); };
  coordinator_.stopped = [this](const std::string& job, bool now) {
    if (now) return coordinator_.End(job, v1::STOPPED, InterruptedResult());
    kill(getpid(), SIGINT);
  };
  EXPECT_EQ(SweepUrl(), 130) << err_.str();
  ASSERT_THAT(coordinator_.stops(), SizeIs(2));
  EXPECT_TRUE(coordinator_.stops()[1].now());
}

class LookingOn : public ClusterTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(LookingOn, CtrlCLeavesTheJobAlone) {
  const std::string job = coordinator_.Add("a");
  std::thread user([&] {
    EXPECT_TRUE(testing::Eventually(20'000, [&] { return coordinator_.watches().size() == 1; }));
    kill(getpid(), SIGINT);
  });
  EXPECT_EQ(Job({GetParam(), job}), 130) << err_.str();
  user.join();
  EXPECT_THAT(err_.str(), HasSubstr("job " + job + " goes on without this command: tidemark job watch " + job));
  EXPECT_THAT(coordinator_.stops(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Commands, LookingOn, ::testing::Values("watch", "wait"));

TEST_F(ClusterTest, FilesThatCannotBeFetchedAreWrittenFromTheResult) {
  coordinator_.SetArtifacts(folder_.File("gone"));
  EXPECT_EQ(SweepUrl(), 0) << err_.str();
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("the files could not be fetched"), HasSubstr("tidemark job results job-1")));
  EXPECT_THAT(ReadFile(folder_.File("o/result.json")), HasSubstr("the answer"));
}

TEST_F(ClusterTest, CreateGivesTheIdAlone) {
  EXPECT_EQ(Job({"create", "--url", "http://server:8000", "--name", "a"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "job-1\n");
  EXPECT_EQ(Job({"create", "--url", "http://server:8000", "--json"}), 0);
  EXPECT_EQ(*Document().Find("id")->AsString(), "job-2");
}

TEST_F(ClusterTest, CreateRefusesWhatIsOfASweep) {
  EXPECT_EQ(Job({"create", "--url", "http://server:8000", "--output-dir", "o"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("tidemark job results"));
  EXPECT_EQ(Job({"create"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("give --url"));
}

TEST_F(ClusterTest, ListShowsTheLatestFirst) {
  coordinator_.Add("first");
  coordinator_.Add("second");
  EXPECT_EQ(Job({"list"}), 0);
  EXPECT_THAT(out_.str(), StartsWith("ID     NAME    STATE    LEVELS"));
  EXPECT_LT(out_.str().find("second"), out_.str().find("first"));
  EXPECT_EQ(Job({"list", "--json"}), 0);
  EXPECT_THAT(Document().Find("jobs")->Items(), SizeIs(2));
}

TEST_F(ClusterTest, ListTakesSeveralPages) {
  for (int i = 0; i < 120; ++i) coordinator_.Add("a");
  EXPECT_EQ(Job({"list", "--json", "--limit", "110"}), 0);
  EXPECT_THAT(Document().Find("jobs")->Items(), SizeIs(110));
  EXPECT_EQ(Job({"list", "--limit", "110"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("the latest 110"));
}

TEST_F(ClusterTest, DescribeShowsAJobAndNamesOneThatIsNotThere) {
  coordinator_.Add("first");
  EXPECT_EQ(Job({"describe", "job-1"}), 0);
  EXPECT_THAT(out_.str(), AllOf(StartsWith("job-1: first\n"), HasSubstr("State      running")));
  EXPECT_EQ(Job({"describe", "job-9"}), 1);
  EXPECT_EQ(err_.str(), "tidemark: there is no job job-9\n");
}

TEST_F(ClusterTest, AWrongIdIsUsage) {
  EXPECT_EQ(Job({"describe", "../a"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("job_id is \"../a\""));
}

TEST_F(ClusterTest, StopAndDeleteReachTheCoordinator) {
  coordinator_.Add("first");
  EXPECT_EQ(Job({"stop", "job-1", "--now"}), 0);
  ASSERT_THAT(coordinator_.stops(), SizeIs(1));
  EXPECT_TRUE(coordinator_.stops()[0].now());
  EXPECT_EQ(Job({"delete", "job-1", "--json"}), 0);
  EXPECT_EQ(*Document().Find("deleted")->AsString(), "job-1");
  EXPECT_EQ(coordinator_.jobs(), 0);
}

TEST_F(ClusterTest, WaitEndsWithTheJobsOwnCode) {
  for (const auto& [state, verdict, code] :
       {std::tuple{v1::COMPLETED, v1::PASS, 0}, {v1::COMPLETED, v1::FAIL, 3}, {v1::STOPPED, v1::PASS, 130}}) {
    const std::string job = coordinator_.Add("a");
    coordinator_.End(job, state, SomeResult(verdict));
    EXPECT_EQ(Job({"wait", job}), code) << job << err_.str();
  }
}

TEST_F(ClusterTest, WaitKnowsItsTime) {
  const std::string job = coordinator_.Add("a");
  EXPECT_EQ(Job({"wait", job, "--timeout", "0.2"}), 1);
  EXPECT_EQ(err_.str(), "tidemark: job job-1 has not ended within 0.2 s\n");
}

TEST_F(ClusterTest, WatchShowsLevelsAndThenTheJob) {
  const std::string job = coordinator_.Add("a");
  coordinator_.Level(job, 4);
  coordinator_.Note(job, "a note");
  coordinator_.End(job, v1::COMPLETED, SomeResult());
  EXPECT_EQ(Job({"watch", job}), 0) << err_.str();
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("concurrency    4"), HasSubstr("a note")));
  EXPECT_THAT(out_.str(), HasSubstr("State      completed"));
}

TEST_F(ClusterTest, ResultsFetchesTheFiles) {
  const std::string job = coordinator_.Add("a");
  coordinator_.End(job, v1::COMPLETED, SomeResult());
  EXPECT_EQ(Job({"results", job, "--output-dir", folder_.File("r"), "--without-records"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("the answer"));
  EXPECT_TRUE(fs::exists(folder_.File("r/result.json")));
  EXPECT_FALSE(fs::exists(folder_.File("r/concurrency_4/profile_export.jsonl")));
}

TEST_F(ClusterTest, ResultsAsJsonIsTheDocumentAlone) {
  const std::string job = coordinator_.Add("a");
  coordinator_.End(job, v1::COMPLETED, SomeResult());
  EXPECT_EQ(Job({"results", job, "--json"}), 0);
  EXPECT_EQ(*Document().Find("schema_version")->AsString(), "1.0");
}

TEST_F(ClusterTest, ResultsOfAJobThatRunsAreNotThere) {
  const std::string job = coordinator_.Add("a");
  EXPECT_EQ(Job({"results", job}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("job-1 is RUNNING"));
}

TEST_F(ClusterTest, AgentsAreShownWithTheirSum) {
  const JobWorld world = World();
  EXPECT_EQ(RunAgentsCommand(world, {}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1 agent, up to 1,000 concurrent requests"));
  const JobWorld json = World();
  EXPECT_EQ(RunAgentsCommand(json, {"--json"}), 0);
  EXPECT_EQ(Document().Find("capacity")->AsInt64(), 1000);
}

TEST_F(ClusterTest, WithoutACoordinatorItIsSaidHowToNameOne) {
  environment_ = {"HOME=" + folder_.path()};
  EXPECT_EQ(Job({"list"}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("--coordinator HOST:PORT"), HasSubstr("contexts.yaml")));
}

TEST_F(ClusterTest, AMisspeltCommandGetsTheNearestOne) {
  EXPECT_EQ(Job({"lst"}), 2);
  EXPECT_EQ(err_.str(), "tidemark: unknown job command lst: did you mean \"list\"?\n");
  EXPECT_EQ(Job({}), 2);
}

}  // namespace
}  // namespace tidemark
