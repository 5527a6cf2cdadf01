// The coordinator is killed in each state of a job; a new one on the same data directory goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coordinator/report/result_json.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kFirst = 5, kSecond = 6;  // concurrencies
constexpr int64_t kJobMs = 90'000;

class CoordinatorDeathTest : public ::testing::Test {
 protected:
  // Each phase lasts for some hundred ms.
  explicit CoordinatorDeathTest(std::vector<std::string> law = {"--delay-ms", "300", "--itl-ms", "10"},
                                int requests = 12)
      : requests_(requests), simulator_(std::move(law)),
        fast_({"--delay-ms", "20", "--itl-ms", "0"}, simulator_.port(), "127.0.0.2") {}

  void StartAgents() {
    cluster_.StartAgents(2, WithName(kEndpointName, "127.0.0.1"));
    cluster_.StartAgent("c", WithName(kEndpointName, third_ip_));
    cluster_.WaitForAgents(3);
  }

  void CreateJob() {
    job_ = cluster_.CreateJob(JobText({.url = NamedUrl(simulator_.port()), .concurrency = {kFirst, kSecond},
                                       .requests = requests_, .answer = 10, .more = ", level_cooldown: 0.5"}));
    watch_ = std::make_unique<JobWatch>(&cluster_.client(), job_);
  }

  // The coordinator dies as soon as the moment is seen, and its successor starts. `then` in between.
  void DieAt(const Moment& moment, std::function<void()> then = [] {}) {
    watch_->On(moment, [this] { cluster_.KillCoordinator(); });
    ASSERT_TRUE(watch_->WaitFor(moment, kJobMs)) << watch_->Story();
    then();
    cluster_.RestartCoordinator();
  }

  void ExpectJobGoesOn() {
    const v1::Job job = watch_->WaitForEnd(kJobMs);
    ASSERT_EQ(job.state(), v1::COMPLETED) << job.failure_reason() << "\n" << watch_->Story();
    result_ = cluster_.ResultOf(job_);
    ASSERT_EQ(result_.levels_size(), 2);
    for (const v1::LevelResult& level : result_.levels()) ExpectExactly(static_cast<uint64_t>(requests_), level);
    EXPECT_LE(simulator_.Stat("in_flight_max"), kSecond) << "two levels at once";
    ExpectFilesHoldTheResult();
  }

  void ExpectFilesHoldTheResult() {
    const std::string folder = cluster_.FilesOf(job_);
    const absl::StatusOr<v1::Result> file = ReadResultJson(ReadFile(folder + "/result.json"));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->levels_size(), 2);
    EXPECT_EQ(Records(folder, kFirst).size(), static_cast<size_t>(requests_));
    EXPECT_EQ(Records(folder, kSecond).size(), static_cast<size_t>(requests_));
  }

  // Equal levels give equal bytes.
  static std::string Json(const v1::LevelResult& level) {
    v1::Result result;
    *result.add_levels() = level;
    return ResultJson(result);
  }

  // The level as it was told before the death, byte for byte.
  void ExpectLevelStands(int index) {
    const std::vector<v1::LevelResult> told = watch_->levels();
    ASSERT_GT(static_cast<int>(told.size()), index);
    ASSERT_GT(result_.levels_size(), index);
    const std::string kept = Json(told[static_cast<size_t>(index)]);
    EXPECT_TRUE(Json(result_.levels(index)) == kept) << "it was told as\n" << kept;
    const absl::StatusOr<v1::Result> file = ReadResultJson(ReadFile(cluster_.FilesOf(job_) + "/result.json"));
    ASSERT_TRUE(file.ok() && file->levels_size() > index) << file.status();
    EXPECT_TRUE(Json(file->levels(index)) == kept) << "it was told as\n" << kept;
  }

  void ExpectSecondLevelRanAgain(const std::string& phase) {
    ASSERT_TRUE(watch_->SeenAt({1, phase, 1})) << watch_->Story();
    ASSERT_EQ(result_.levels_size(), 2);
    EXPECT_EQ(result_.levels(0).attempt(), 1u);
    EXPECT_EQ(result_.levels(1).attempt(), 2u) << "a key never comes back";
    EXPECT_EQ(result_.levels(1).void_attempts_size(), 1);
  }

  // The whole story of a death in a phase of the second level.
  void DieInSecondLevel(const std::string& phase) {
    StartAgents();
    CreateJob();
    DieAt({1, phase, 1});
    ExpectJobGoesOn();
    ExpectLevelStands(0);
    ExpectSecondLevelRanAgain(phase);
  }

  const int requests_;
  const SimulatorProcess simulator_;
  const SimulatorProcess fast_;
  std::string third_ip_ = "127.0.0.1";  // of agent c's endpoint
  Cluster cluster_;
  std::string job_;
  std::unique_ptr<JobWatch> watch_;
  v1::Result result_;
};

TEST_F(CoordinatorDeathTest, WhileTheJobWaitsForAgents) {
  CreateJob();
  ASSERT_TRUE(Eventually(10'000, [this] { return watch_->notes().find("waits for agents") != std::string::npos; }))
      << watch_->Story();
  cluster_.KillCoordinator();
  cluster_.RestartCoordinator();
  StartAgents();
  ExpectJobGoesOn();
}

TEST_F(CoordinatorDeathTest, WhileTheEndpointIsProbed) {
  StartAgents();
  CreateJob();
  ASSERT_TRUE(Eventually(10'000, [this] { return simulator_.Posts() > 0; }));
  cluster_.KillCoordinator();
  cluster_.RestartCoordinator();
  EXPECT_FALSE(watch_->SeenAt({0, "preparing", 1})) << "the probe was over\n" << watch_->Story();
  ExpectJobGoesOn();
}

// An agent that is stopped cannot say READY, so PREPARE lasts.
TEST_F(CoordinatorDeathTest, InPrepare) {
  StartAgents();
  CreateJob();
  watch_->On({0, "done"}, [this] { cluster_.SignalAgent("c", SIGSTOP); });
  ASSERT_TRUE(watch_->WaitFor({1, "preparing", 1}, kJobMs)) << watch_->Story();
  PauseMs(200);  // so that agents have heard of it
  cluster_.KillCoordinator();
  cluster_.SignalAgent("c", SIGCONT);
  cluster_.RestartCoordinator();
  ExpectJobGoesOn();
  ExpectLevelStands(0);
  ExpectSecondLevelRanAgain("preparing");
  EXPECT_FALSE(watch_->SeenAt({1, "ramp", 1})) << watch_->Story();
}

TEST_F(CoordinatorDeathTest, InRamp) { DieInSecondLevel("ramp"); }
TEST_F(CoordinatorDeathTest, InWarmUp) { DieInSecondLevel("warm-up"); }
TEST_F(CoordinatorDeathTest, InMeasure) { DieInSecondLevel("measuring"); }

// An agent whose share was done long before is stopped, so it cannot say STOPPED.
TEST_F(CoordinatorDeathTest, InStop) {
  third_ip_ = "127.0.0.2";
  StartAgents();
  CreateJob();
  watch_->On({1, "draining", 1}, [this] { cluster_.KillCoordinator(); });
  ASSERT_TRUE(watch_->WaitFor({1, "measuring", 1}, kJobMs)) << watch_->Story();
  const int64_t before = fast_.Stat("completed");
  ASSERT_TRUE(Eventually(5'000, [&] { return fast_.Stat("completed") >= before + requests_; }));
  cluster_.SignalAgent("c", SIGSTOP);
  ASSERT_TRUE(watch_->WaitFor({1, "draining", 1}, kJobMs)) << watch_->Story();
  cluster_.SignalAgent("c", SIGCONT);
  cluster_.RestartCoordinator();
  ExpectJobGoesOn();
  ExpectLevelStands(0);
  ExpectSecondLevelRanAgain("draining");
  EXPECT_FALSE(watch_->SeenAt({1, "records", 1})) << watch_->Story();
}

TEST_F(CoordinatorDeathTest, BetweenLevels) {
  StartAgents();
  CreateJob();
  DieAt({0, "done"});
  ExpectJobGoesOn();
  ExpectLevelStands(0);
  EXPECT_EQ(result_.levels(1).attempt(), 1u);
}

// The last level is judged, and the files are about to be written.
TEST_F(CoordinatorDeathTest, AfterTheLastLevel) {
  StartAgents();
  CreateJob();
  DieAt({1, "done"});
  ExpectJobGoesOn();
  ExpectLevelStands(0);
  ExpectLevelStands(1);
}

// So many records that pulling them takes a while.
class CoordinatorDeathInRecordsTest : public CoordinatorDeathTest {
 protected:
  CoordinatorDeathInRecordsTest() : CoordinatorDeathTest({"--delay-ms", "1", "--itl-ms", "0"}, 6'000) {}
};

TEST_F(CoordinatorDeathInRecordsTest, WhileTheyArePulled) { DieInSecondLevel("records"); }

// One job, many deaths: whatever was begun is begun again, and nothing is measured twice.
TEST_F(CoordinatorDeathTest, AgainAndAgain) {
  StartAgents();
  CreateJob();
  DieAt({0, "measuring", 1});
  DieAt({0, "warm-up", 2});
  DieAt({0, "done"});
  ExpectJobGoesOn();
  ExpectLevelStands(0);
  EXPECT_EQ(result_.levels(0).attempt(), 3u);
}

}  // namespace
}  // namespace tidemark::testing
