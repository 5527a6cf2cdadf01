// Fifty agents: a level starts within seconds, and how far apart the starts were is in the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

constexpr int kAgents = 50;
constexpr int64_t kStartLimitMs = 2'000;

TEST(ManyAgents, FiftyStartALevelWithinTwoSeconds) {
  const SimulatorProcess simulator({"--delay-ms", "400", "--itl-ms", "20"});
  Cluster cluster;
  AgentOptions few_slots;
  few_slots.capacity = 4;
  for (int i = 0; i < kAgents; ++i) cluster.StartAgent(absl::StrCat("agent-", i), few_slots);
  cluster.WaitForAgents(kAgents);
  const std::string job = cluster.CreateJob(
      JobText({.url = simulator.url(), .concurrency = {2 * kAgents}, .requests = 4 * kAgents, .answer = 5}));
  JobWatch watch(&cluster.client(), job);
  ASSERT_EQ(watch.WaitForEnd(120'000).state(), v1::COMPLETED) << watch.Story();
  const auto prepared = watch.SeenAt({0, "preparing", 1}), started = watch.SeenAt({0, "ramp", 1});
  ASSERT_TRUE(prepared && started) << watch.Story();
  EXPECT_LT(*started - *prepared, kStartLimitMs) << watch.Story();

  const v1::Result result = cluster.ResultOf(job);
  ASSERT_EQ(result.levels_size(), 1);
  ExpectExactly(4 * kAgents, result.levels(0));
  ASSERT_EQ(result.levels(0).agents_size(), kAgents);
  EXPECT_LE(simulator.Stat("in_flight_max"), 2 * kAgents);
  std::vector<double> skews;
  for (const v1::AgentShare& share : result.levels(0).agents()) skews.push_back(std::abs(share.start_skew_ms()));
  std::sort(skews.begin(), skews.end());
  EXPECT_GT(skews.back(), 0) << "no agent said how late it started";
  EXPECT_DOUBLE_EQ(result.levels(0).start_skew_p99_ms(), skews[(skews.size() * 99 + 99) / 100 - 1]);
  RecordProperty("ms_from_prepare_to_ramp", absl::StrCat(*started - *prepared));
  RecordProperty("start_skew_p99_ms", absl::StrCat(skews[skews.size() * 99 / 100]));
  std::printf("PREPARE to RAMP: %d ms; start skew p99: %.2f ms\n", static_cast<int>(*started - *prepared),
              skews[skews.size() * 99 / 100]);
}

}  // namespace
}  // namespace tidemark::testing
