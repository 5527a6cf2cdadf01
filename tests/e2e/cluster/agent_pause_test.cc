// An agent that is stopped for longer than its lease (a paused host) and then goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr int kConcurrency = 6, kNext = 3, kRequests = 500;
constexpr int64_t kLoops = 1;  // of each agent
constexpr int64_t kPauseMs = 10'000, kLookMs = 3'000;

TEST(AgentPause, OfTenSecondsSendsNothingAfterTheLeaseAndIsMergedNowhere) {
  const SimulatorProcess others({"--delay-ms", "80", "--itl-ms", "2"});
  const SimulatorProcess own({"--delay-ms", "80", "--itl-ms", "2"}, others.port(), "127.0.0.2");
  Cluster cluster;
  cluster.StartAgents(2, WithName(kEndpointName, "127.0.0.1"));
  cluster.StartAgent("c", WithName(kEndpointName, "127.0.0.2"));
  cluster.WaitForAgents(3);
  const std::string job = cluster.CreateJob(JobText(
      {.url = NamedUrl(others.port()), .concurrency = {kConcurrency, kNext}, .requests = kRequests}));
  JobWatch watch(&cluster.client(), job);
  watch.On({0, "measuring", 1}, [&] { cluster.SignalAgent("c", SIGSTOP); });
  ASSERT_TRUE(watch.WaitFor({0, "measuring", 1}, 30'000)) << watch.Story();
  PauseMs(kPauseMs);
  const int64_t sent = own.Posts();
  cluster.SignalAgent("c", SIGCONT);
  PauseMs(kLookMs);
  const int64_t sent_after = own.Posts() - sent;
  ASSERT_FALSE(watch.SeenAt({0, "done"})) << "the level must last longer than the look: raise kRequests";
  EXPECT_LE(sent_after, kLoops) << "at most one a loop that had already passed its look at the lease";
  EXPECT_EQ(own.Stat("in_flight"), 0) << "its streams are closed";
  EXPECT_THAT(cluster.AgentIds(), Contains("c")) << "it is back, as a spare";

  ASSERT_EQ(watch.WaitForEnd(60'000).state(), v1::COMPLETED) << watch.Story();
  const v1::Result result = cluster.ResultOf(job);
  ASSERT_EQ(result.levels_size(), 2);
  const v1::LevelResult& level = result.levels(0);
  EXPECT_THAT(AgentsOf(level), ElementsAre("a", "b"));
  ExpectExactly(kRequests, level);
  ASSERT_EQ(level.void_attempts_size(), 1);
  EXPECT_EQ(level.void_attempts(0).agent(), "c");
  EXPECT_THAT(AgentsOf(result.levels(1)), Contains("c")) << "the next level has it again";
  ExpectExactly(kRequests, result.levels(1));
  EXPECT_LE(others.Stat("in_flight_max"), kConcurrency);
  // What it says again of the void attempt once it is back.
  EXPECT_GE(result.late_messages(), 1u) << "stale messages are counted";
  EXPECT_EQ(static_cast<double>(result.late_messages()), cluster.Metrics().Sum("tidemark_stale_messages_total"));
}

}  // namespace
}  // namespace tidemark::testing
