// What a cluster measures is what one host measures, and what is true.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

// A run that the machine disturbed says nothing: it is repeated so often.
constexpr int kTries = 3;
constexpr int kAnswer = 11;  // tokens
constexpr int64_t kJobMs = 120'000;

// A server that answers each request in the same time.
struct FixedServer {
  int first_token_ms;
  int gap_ms;

  double latency_s() const { return (first_token_ms + (kAnswer - 1) * gap_ms) / 1e3; }
  Flags flags() const {
    return {"--delay-ms", absl::StrCat(first_token_ms), "--itl-ms", absl::StrCat(gap_ms)};
  }
};

void ExpectWithin(double measured, double truth, double share, const std::string& what) {
  EXPECT_NEAR(measured, truth, truth * share) << what;
}

// The one level of a job on the cluster; nothing when it failed.
std::optional<v1::LevelResult> RunOnCluster(Cluster& cluster, const ClusterJob& job) {
  const std::string id = cluster.CreateJob(JobText(job));
  JobWatch watch(&cluster.client(), id);
  EXPECT_EQ(watch.WaitForEnd(kJobMs).state(), v1::COMPLETED) << watch.Story();
  const v1::Result result = cluster.ResultOf(id);
  EXPECT_EQ(result.levels_size(), 1);
  if (result.levels_size() != 1) return std::nullopt;
  return result.levels(0);
}

std::optional<v1::LevelResult> RunOnOneHost(const ClusterJob& job) {
  const SweepRun run = RunSweep(job.url, {"--model", "tidemark-sim", "--concurrency", absl::StrCat(job.concurrency[0]),
                                          "--request-count", absl::StrCat(job.requests), "--isl", "16", "--osl",
                                          absl::StrCat(job.answer)},
                                kJobMs);
  EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
  if (run.result.levels_size() != 1) return std::nullopt;
  return run.result.levels(0);
}

// Repeats until a level is VALID (or at least not INVALID, where `suspect` will do). Nothing when none is: a run that
// the machine disturbed is not judged, and `why` says so.
template <typename Run>
std::optional<v1::LevelResult> UntilValid(const std::string& where, bool suspect, std::string* why, Run run) {
  for (int i = 0; i < kTries; ++i) {
    std::optional<v1::LevelResult> level = run();
    if (!level) return std::nullopt;
    const std::string disturbed = WhyNotValid(*level);
    if (disturbed.empty() || (suspect && level->validity() == v1::SUSPECT)) return level;
    absl::StrAppend(why, "\n", where, ": ", disturbed);
  }
  return std::nullopt;
}

TEST(ClusterTruth, QuantilesAreThoseOfOneHost) {
  const FixedServer server{120, 8};
  const SimulatorProcess simulator(server.flags());
  const ClusterJob job = {.url = simulator.url(), .concurrency = {40}, .requests = 1'000, .answer = kAnswer};
  Cluster cluster;
  cluster.StartAgents(4);
  std::string why;
  const auto alone = UntilValid("one host", false, &why, [&] { return RunOnOneHost(job); });
  const auto together = UntilValid("the cluster", false, &why, [&] { return RunOnCluster(cluster, job); });
  if (!HasFailure() && !(alone && together)) GTEST_SKIP() << "not judged, this machine disturbed each run:" << why;
  ASSERT_TRUE(alone && together);
  ASSERT_EQ(together->agents_size(), 4);
  for (const char* tag : {"time_to_first_token", "request_latency"}) {
    const v1::MetricStatistics& one = Metric(*alone, tag);
    const v1::MetricStatistics& four = Metric(*together, tag);
    EXPECT_EQ(four.count(), 1'000u) << tag;
    EXPECT_GE(QuantileOf(one, 0.5), 100.0) << tag;
    ExpectWithin(QuantileOf(four, 0.5), QuantileOf(one, 0.5), 0.02, absl::StrCat("p50 of ", tag));
    ExpectWithin(QuantileOf(four, 0.99), QuantileOf(one, 0.99), 0.05, absl::StrCat("p99 of ", tag));
  }
}

// Slots of the slow server's agent bring half as many requests; the truth is the sum over the slots.
TEST(ClusterTruth, AgentWithAServerOfHalfTheSpeedLeavesThroughputTrue) {
  const FixedServer server{100, 10}, slow{200, 20};
  const SimulatorProcess simulator(server.flags());
  const SimulatorProcess half(slow.flags(), simulator.port(), "127.0.0.2");
  Cluster cluster;
  cluster.StartAgents(3, WithName(kEndpointName, "127.0.0.1"));
  cluster.StartAgent("d", WithName(kEndpointName, "127.0.0.2"));
  cluster.WaitForAgents(4);
  std::string why;
  const auto level = UntilValid("the cluster", true, &why, [&] {
    return RunOnCluster(cluster, {.url = NamedUrl(simulator.port()), .concurrency = {24}, .requests = 960,
                                  .answer = kAnswer});
  });
  if (!HasFailure() && !level) GTEST_SKIP() << "not judged, this machine disturbed each run:" << why;
  ASSERT_TRUE(level);
  ExpectExactly(960, *level);
  const double truth = 18 / server.latency_s() + 6 / slow.latency_s();
  ExpectWithin(level->request_throughput(), truth, 0.02, "requests/s");
  ExpectWithin(level->output_token_throughput(), truth * kAnswer, 0.02, "tokens/s");
  ExpectWithin(level->effective_concurrency(), 24, 0.02, "concurrency");
}

// Hosts have calendars of their own, and each counts its monotonic clock from its own start.
TEST(ClusterTruth, AgentsWithOtherClocksMeasureTheSame) {
  const FixedServer server{100, 10};
  const SimulatorProcess simulator(server.flags());
  Cluster cluster;
  cluster.StartAgent("a");
  cluster.StartAgent("b", WithWallClockAhead(3'600));
  AgentOptions booted_earlier;
  booted_earlier.under = {"unshare", "--time", "--monotonic", "1000000"};
  const bool may = RunToEnd({.arguments = {"unshare", "--time", "--monotonic", "1000000", "true"}}, 10'000).code == 0;
  if (may) cluster.StartAgent("c", booted_earlier);
  cluster.WaitForAgents(may ? 3 : 2);
  std::string why;
  const auto level = UntilValid("the cluster", true, &why, [&] {
    return RunOnCluster(cluster,
                        {.url = simulator.url(), .concurrency = {12}, .requests = 360, .answer = kAnswer});
  });
  if (!HasFailure() && !level) GTEST_SKIP() << "not judged, this machine disturbed each run:" << why;
  ASSERT_TRUE(level);
  ExpectExactly(360, *level);
  ASSERT_EQ(level->agents_size(), may ? 3 : 2);
  ExpectWithin(level->request_throughput(), 12 / server.latency_s(), 0.02, "requests/s");
  ExpectWithin(QuantileOf(Metric(*level, "request_latency"), 0.5), server.latency_s() * 1e3, 0.02, "p50, ms");
  for (const v1::AgentShare& share : level->agents()) {
    EXPECT_LT(std::abs(share.start_skew_ms()), 100) << share.agent();
    EXPECT_LT(share.clock_error_ms(), 100) << share.agent();
  }
  if (!may) GTEST_SKIP() << "the agent with another CLOCK_MONOTONIC needs the right to make a time namespace";
}

}  // namespace
}  // namespace tidemark::testing
