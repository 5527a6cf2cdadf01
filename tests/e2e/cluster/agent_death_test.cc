// One of three agents is killed, in each phase: its attempt counts for nothing, and the job goes on with two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kConcurrency = 6, kRequests = 24;
constexpr char kVictim[] = "victim";  // a name that no file holds by chance
constexpr int64_t kJobMs = 60'000;

class AgentDeathTest : public ::testing::Test {
 protected:
  AgentDeathTest() {
    // Slow enough that each phase lasts for some hundred ms; the victim's own server is fast.
    cluster_.StartAgents(2, WithName(kEndpointName, "127.0.0.1"));
  }

  // The third agent, whose requests go to `ip`.
  void StartVictim(const std::string& ip) {
    cluster_.StartAgent(kVictim, WithName(kEndpointName, ip));
    cluster_.WaitForAgents(3);
  }

  void CreateJob() {
    job_ = cluster_.CreateJob(JobText(
        {.url = NamedUrl(simulator_.port()), .concurrency = {kConcurrency}, .requests = kRequests, .answer = 10}));
    watch_ = std::make_unique<JobWatch>(&cluster_.client(), job_);
  }

  void KillVictimWhen(const std::string& phase) {
    watch_->On({0, phase, 1}, [this] { cluster_.KillAgent(kVictim); });
  }

  void ExpectRunAgainOnTheOthers() {
    const v1::Job job = watch_->WaitForEnd(kJobMs);
    ASSERT_EQ(job.state(), v1::COMPLETED) << job.failure_reason() << "\n" << watch_->Story();
    result_ = cluster_.ResultOf(job_);
    ASSERT_EQ(result_.levels_size(), 1);
    const v1::LevelResult& level = result_.levels(0);
    EXPECT_EQ(level.attempt(), 2u);
    EXPECT_THAT(AgentsOf(level), ElementsAre("a", "b"));
    ExpectExactly(kRequests, level);
    ASSERT_EQ(level.void_attempts_size(), 1);
    EXPECT_EQ(level.void_attempts(0).attempt(), 1u);
    EXPECT_EQ(level.void_attempts(0).agent(), kVictim);
    EXPECT_THAT(level.void_attempts(0).reason(), HasSubstr("lost"));
    EXPECT_THAT(watch_->notes(), HasSubstr(absl::StrCat("agent ", kVictim, " is lost")));
    EXPECT_LE(simulator_.Stat("in_flight_max"), kConcurrency);
    ExpectNothingOfTheDeadAttemptInFiles();
    ExpectNothingOfTheDeadAttemptInMetrics();
  }

  void ExpectNothingOfTheDeadAttemptInFiles() {
    const std::string folder = cluster_.FilesOf(job_);
    const std::vector<std::string> records = Records(folder, kConcurrency);
    EXPECT_EQ(records.size(), static_cast<size_t>(kRequests));
    // Request ids hold level and attempt.
    for (const std::string& record : records) EXPECT_THAT(record, HasSubstr("-0-2-"));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().filename().string();
      // These say in words that the attempt was void.
      if (name == "result.json" || name == "report.html" || name == "summary.txt") continue;
      EXPECT_FALSE(absl::StrContains(ReadFile(entry.path().string()), kVictim)) << entry.path();
    }
  }

  void ExpectNothingOfTheDeadAttemptInMetrics() {
    const Exposition page = cluster_.Metrics();
    for (const ExposedSample& sample : page.samples) {
      if (sample.labels.count("attempt") == 0) continue;
      EXPECT_EQ(sample.labels.at("attempt"), "2") << sample.name;
    }
    EXPECT_EQ(page.Sum("tidemark_requests_total", {{"phase", "measure"}}), kRequests);
    EXPECT_EQ(page.Sum("tidemark_attempts_void_total"), 1);
    EXPECT_EQ(page.Sum("tidemark_agents_lost_total"), 1);
  }

  const SimulatorProcess simulator_{{"--delay-ms", "400", "--itl-ms", "10"}};
  const SimulatorProcess fast_{{"--delay-ms", "30", "--itl-ms", "0"}, simulator_.port(), "127.0.0.2"};
  Cluster cluster_;
  std::string job_;
  std::unique_ptr<JobWatch> watch_;
  v1::Result result_;
};

TEST_F(AgentDeathTest, InPrepare) {
  StartVictim("127.0.0.1");
  cluster_.SignalAgent(kVictim, SIGSTOP);  // it cannot say READY, so PREPARE lasts
  CreateJob();
  KillVictimWhen("preparing");
  ExpectRunAgainOnTheOthers();
  ASSERT_EQ(result_.levels_size(), 1);
  EXPECT_EQ(result_.levels(0).void_attempts(0).sent(), 0u) << "PREPARE sends nothing";
  EXPECT_FALSE(watch_->SeenAt({0, "ramp", 1})) << watch_->Story();
}

TEST_F(AgentDeathTest, InRamp) {
  StartVictim("127.0.0.1");
  CreateJob();
  KillVictimWhen("ramp");
  ExpectRunAgainOnTheOthers();
  EXPECT_FALSE(watch_->SeenAt({0, "measuring", 1})) << watch_->Story();
}

TEST_F(AgentDeathTest, InWarmUp) {
  StartVictim("127.0.0.1");
  CreateJob();
  KillVictimWhen("warm-up");
  ExpectRunAgainOnTheOthers();
  EXPECT_FALSE(watch_->SeenAt({0, "measuring", 1})) << watch_->Story();
}

TEST_F(AgentDeathTest, InMeasure) {
  StartVictim("127.0.0.1");
  CreateJob();
  KillVictimWhen("measuring");
  ExpectRunAgainOnTheOthers();
  ASSERT_EQ(result_.levels_size(), 1);
  EXPECT_GT(result_.levels(0).void_attempts(0).sent(), 0u);
}

// Its share is done long before the others', so that STOP finds it stopped by SIGSTOP.
TEST_F(AgentDeathTest, InStop) {
  StartVictim("127.0.0.2");
  CreateJob();
  bool killed = false;
  watch_->On({0, "draining", 1}, [&] {
    cluster_.KillAgent(kVictim);
    killed = true;
  });
  ASSERT_TRUE(watch_->WaitFor({0, "measuring", 1}, kJobMs)) << watch_->Story();
  const int64_t share = kRequests / 3;
  const int64_t before = fast_.Stat("completed");
  ASSERT_TRUE(Eventually(5'000, [&] { return fast_.Stat("completed") >= before + 2 * share; }));
  cluster_.SignalAgent(kVictim, SIGSTOP);
  ExpectRunAgainOnTheOthers();
  EXPECT_TRUE(killed) << "the attempt was void before STOP\n" << watch_->Story();
}

}  // namespace
}  // namespace tidemark::testing
