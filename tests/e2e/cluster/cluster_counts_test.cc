// Four agents under mutual TLS: exactly the requests that were asked for, however they are split.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json/json.h"
#include "tests/e2e/cluster/cluster_job.h"
#include "tests/e2e/cluster/cluster_process.h"
#include "tests/e2e/cluster/job_watch.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

struct Split {
  int concurrency;
  int requests;
  size_t agents;  // that have a part
};

const Split kSplits[] = {{7, 53, 4}, {2, 40, 2}, {9, 100, 4}};

// One job for all; each test looks at one fact of it.
class ClusterCountsTest : public ::testing::TestWithParam<Split> {
 protected:
  static void SetUpTestSuite() {
    simulator_ = new SimulatorProcess({"--delay-ms", "20", "--itl-ms", "2"});
    cluster_ = new Cluster({.tls = true});
    cluster_->StartAgents(4);
    for (const Split& split : kSplits) RunJob(split);
  }
  static void TearDownTestSuite() {
    delete cluster_;
    delete simulator_;
  }

  static void RunJob(const Split& split) {
    simulator_->ResetStats();
    const std::string job = cluster_->CreateJob(
        JobText({.url = simulator_->url(), .concurrency = {split.concurrency}, .requests = split.requests}));
    JobWatch watch(&cluster_->client(), job);
    ASSERT_EQ(watch.WaitForEnd(60'000).state(), v1::COMPLETED) << watch.Story();
    Run run;
    run.result = cluster_->ResultOf(job);
    ASSERT_EQ(run.result.levels_size(), 1);
    run.folder = cluster_->FilesOf(job);
    run.in_flight_max = simulator_->Stat("in_flight_max");
    run.posts = simulator_->Posts();
    run.prompts = simulator_->Stat("distinct_prompts");
    runs_[split.concurrency] = run;
  }

  struct Run {
    v1::Result result;
    std::string folder;
    int64_t in_flight_max = 0, posts = 0, prompts = 0;
  };
  static const Run& TheRun() { return runs_[GetParam().concurrency]; }
  static const v1::LevelResult& Level() {
    static const v1::LevelResult none;
    return TheRun().result.levels_size() == 0 ? none : TheRun().result.levels(0);
  }

  static inline SimulatorProcess* simulator_ = nullptr;
  static inline Cluster* cluster_ = nullptr;
  static inline std::map<int, Run> runs_;
};

TEST_P(ClusterCountsTest, MeasuresExactlyTheRequestsAskedForAndSharesSumToThem) {
  ExpectExactly(static_cast<uint64_t>(GetParam().requests), Level());
}

TEST_P(ClusterCountsTest, LoadIsSpreadEvenlyAndTheOthersIdle) {
  ASSERT_EQ(AgentsOf(Level()).size(), GetParam().agents);
  const auto [least, most] = std::minmax_element(
      Level().agents().begin(), Level().agents().end(),
      [](const v1::AgentShare& a, const v1::AgentShare& b) { return a.slots() < b.slots(); });
  EXPECT_LE(most->slots() - least->slots(), 1u);
}

TEST_P(ClusterCountsTest, ServerNeverSeesMoreThanTheConcurrencyAskedFor) {
  EXPECT_EQ(TheRun().in_flight_max, GetParam().concurrency);
}

TEST_P(ClusterCountsTest, EveryRequestTheServerSawIsAccountedFor) {
  EXPECT_EQ(static_cast<int64_t>(TheRun().result.requests_sent()), TheRun().posts);
}

TEST_P(ClusterCountsTest, NoPromptIsSentTwiceByDifferentAgents) { EXPECT_EQ(TheRun().prompts, TheRun().posts); }

TEST_P(ClusterCountsTest, EachMeasuredRequestHasOneRecordWhicheverAgentSentIt) {
  const std::vector<std::string> records = Records(TheRun().folder, GetParam().concurrency);
  std::set<int64_t> indices;
  std::set<std::string> workers;
  for (const std::string& line : records) {
    const absl::StatusOr<Json> record = ParseJson(line, "a record");
    ASSERT_TRUE(record.ok()) << record.status();
    const Json* metadata = record->Find("metadata");
    ASSERT_NE(metadata, nullptr);
    indices.insert(metadata->Find("session_num")->AsInt64().value_or(-1));
    workers.insert(*metadata->Find("worker_id")->AsString());
  }
  EXPECT_EQ(records.size(), static_cast<size_t>(GetParam().requests));
  EXPECT_EQ(indices.size(), records.size()) << "an index came twice";
  EXPECT_EQ(workers.size(), GetParam().agents);
  EXPECT_EQ(Level().records_written(), records.size());
  EXPECT_EQ(Level().records_lost(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Splits, ClusterCountsTest, ::testing::ValuesIn(kSplits), [](const auto& info) {
  return absl::StrCat(info.param.requests, "RequestsAtConcurrency", info.param.concurrency);
});

// The command of one host, with the cluster's address.
TEST(ClusterSweep, WritesTheFilesOfOneHost) {
  const SimulatorProcess simulator({"--delay-ms", "20", "--itl-ms", "2"});
  Cluster cluster({.tls = true});
  cluster.StartAgents(2);
  ProcessOptions sweep;
  sweep.folder = cluster.folder().path();
  sweep.arguments = {TIDEMARK_BIN_DIR "/tidemark", "sweep", "--url", simulator.url(), "--concurrency", "5",
                     "--request-count", "30", "--isl", "16", "--osl", "4", "--output-dir", "swept"};
  for (const std::string& flag : cluster.ClientFlags()) sweep.arguments.push_back(flag);
  const ProcessEnd end = RunToEnd(sweep, 60'000);
  ASSERT_TRUE(end.code == 0 || end.code == 4) << end.out << end.err;
  const std::string folder = cluster.folder().File("swept");
  EXPECT_EQ(Records(folder, 5).size(), 30u);
  for (const char* name : {"result.json", "report.html", "summary.txt", "levels.csv"}) {
    EXPECT_NE(ReadFile(absl::StrCat(folder, "/", name)), "") << name;
  }
  EXPECT_EQ((end.out + end.err + ReadFile(folder + "/result.json")).find(cluster.token()), std::string::npos);
}

}  // namespace
}  // namespace tidemark::testing
