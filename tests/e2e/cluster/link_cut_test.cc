// The link between one agent and the coordinator is cut: for less than a lease, and for longer. The agent is in a
// network namespace of its own, with one link to the coordinator and one to the endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr int kConcurrency = 6;
constexpr int64_t kJobMs = 60'000;
constexpr char kControl[] = "10.213.1.", kData[] = "10.213.2.";  // .1 this side, .2 the agent's

// One command of ip(8) or nsenter(1); true when it worked.
bool Run(const std::string& command) {
  const ProcessEnd end = RunToEnd({.arguments = absl::StrSplit(command, ' ')}, 10'000);
  if (end.code != 0) std::fprintf(stderr, "%s: %s", command.c_str(), end.err.c_str());
  return end.code == 0;
}

// The agent's host: a namespace that lives as long as the process in it.
class OtherNetwork {
 public:
  OtherNetwork() : holder_({.arguments = {"unshare", "--net", "sleep", "600"}}) {
    Eventually(5'000, [this] { return RunToEnd(In({"ip", "link"}), 5'000).out.find("eth") == std::string::npos; });
    ready_ = Run("ip link set lo up") && Link("control", kControl) && Link("data", kData);
  }

  bool ready() const { return ready_; }
  static bool Cut() { return Run("ip link set control down"); }
  static bool Mend() { return Run("ip link set control up"); }

  // What runs a program there.
  Flags Under() const { return {"nsenter", absl::StrCat("--net=/proc/", holder_.pid(), "/ns/net")}; }

 private:
  ProcessOptions In(Flags command) const {
    Flags all = Under();
    all.insert(all.end(), command.begin(), command.end());
    return {.arguments = all};
  }

  bool Link(const std::string& name, const std::string& net) const {
    const auto inside = [this](const std::string& command) {
      const ProcessEnd end = RunToEnd(In(absl::StrSplit(command, ' ')), 10'000);
      if (end.code != 0) std::fprintf(stderr, "%s: %s", command.c_str(), end.err.c_str());
      return end.code == 0;
    };
    return Run(absl::StrCat("ip link add ", name, " type veth peer name far-", name, " netns ", holder_.pid())) &&
           Run(absl::StrCat("ip addr add ", net, "1/24 dev ", name)) && Run(absl::StrCat("ip link set ", name, " up")) &&
           inside(absl::StrCat("ip addr add ", net, "2/24 dev far-", name)) &&
           inside(absl::StrCat("ip link set far-", name, " up")) && inside("ip link set lo up");
  }

  Process holder_;
  bool ready_ = false;
};

class LinkCutTest : public ::testing::Test {
 protected:
  // This process has a network of its own, so that nothing is left on the host.
  static void SetUpTestSuite() {
    if (unshare(CLONE_NEWNET) != 0) why_not_ = std::strerror(errno);
  }

  void SetUp() override {
    if (!why_not_.empty()) GTEST_SKIP() << "needs the right to make network namespaces (root): " << why_not_;
    network_ = std::make_unique<OtherNetwork>();
    if (!network_->ready()) GTEST_SKIP() << "needs ip(8) and the right to make links";
    simulator_ = std::make_unique<SimulatorProcess>(std::vector<std::string>{"--delay-ms", "150", "--itl-ms", "5"}, 0,
                                                    absl::StrCat(kData, "1"));
    cluster_ = std::make_unique<Cluster>(ClusterOptions{.host = "0.0.0.0"});
    cluster_->StartAgents(2, {.coordinator_host = "127.0.0.1"});
    cluster_->StartAgent("c", {.under = network_->Under(), .coordinator_host = absl::StrCat(kControl, "1")});
    cluster_->WaitForAgents(3);
  }

  // A level during which the link is cut for so long.
  void RunWithCut(int64_t cut_ms, int requests) {
    const std::string job = cluster_->CreateJob(
        JobText({.url = simulator_->url(), .concurrency = {kConcurrency}, .requests = requests}));
    JobWatch watch(&cluster_->client(), job);
    ASSERT_TRUE(watch.WaitFor({0, "measuring", 1}, kJobMs)) << watch.Story();
    ASSERT_TRUE(OtherNetwork::Cut());
    PauseMs(cut_ms);
    ASSERT_TRUE(OtherNetwork::Mend());
    ASSERT_FALSE(watch.SeenAt({0, "draining", 1}) && cut_ms < 5'000) << "the level was over before the cut was";
    ASSERT_EQ(watch.WaitForEnd(kJobMs).state(), v1::COMPLETED) << watch.Story();
    const v1::Result result = cluster_->ResultOf(job);
    ASSERT_EQ(result.levels_size(), 1);
    level_ = result.levels(0);
    ExpectExactly(static_cast<uint64_t>(requests), level_);
    EXPECT_LE(simulator_->Stat("in_flight_max"), kConcurrency);
  }

  static inline std::string why_not_;
  std::unique_ptr<OtherNetwork> network_;
  std::unique_ptr<SimulatorProcess> simulator_;
  std::unique_ptr<Cluster> cluster_;
  v1::LevelResult level_;
};

TEST_F(LinkCutTest, OfTwoSecondsVoidsNothing) {
  RunWithCut(2'000, 200);
  EXPECT_EQ(level_.attempt(), 1u);
  EXPECT_EQ(level_.void_attempts_size(), 0);
  EXPECT_THAT(AgentsOf(level_), ElementsAre("a", "b", "c"));
}

TEST_F(LinkCutTest, OfTenSecondsVoidsTheAttemptAndTheAgentComesBack) {
  RunWithCut(10'000, 300);
  EXPECT_EQ(level_.attempt(), 2u);
  ASSERT_EQ(level_.void_attempts_size(), 1);
  EXPECT_EQ(level_.void_attempts(0).agent(), "c");
  EXPECT_THAT(AgentsOf(level_), ElementsAre("a", "b"));
  EXPECT_TRUE(Eventually(20'000, [this] {
    const std::vector<std::string> ids = cluster_->AgentIds();
    return std::find(ids.begin(), ids.end(), "c") != ids.end();
  })) << "the agent does not come back";
}

}  // namespace
}  // namespace tidemark::testing
