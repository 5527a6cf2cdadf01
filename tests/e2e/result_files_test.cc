// What a sweep leaves behind, and what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/json/json.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const Flags kSmall = {"--concurrency", "1,2,4", "--request-count", "10", "--isl", "16", "--osl",
                      "4"};

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class ResultFilesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const SimulatorProcess simulator;
    run_ = new SweepRun(RunSweep(simulator.url(), Join(kSmall, {"--json", "--label", "gpu=none"})));
    ASSERT_TRUE(Ran(run_->end.code)) << run_->all_output();
  }
  static void TearDownTestSuite() { delete run_; }
  static std::string File(const std::string& name) { return ReadFile(run_->folder + "/" + name); }

  static inline SweepRun* run_ = nullptr;
};

TEST_F(ResultFilesTest, EveryFileIsThereAndNotEmpty) {
  for (const char* name :
       {"result.json", "summary.txt", "report.html", "concurrency_1/profile_export_aiperf.json",
        "concurrency_4/profile_export_aiperf.json", "concurrency_4/profile_export.jsonl",
        "sweep_aggregate/profile_export_aiperf_sweep.json"}) {
    EXPECT_NE(File(name), "") << name;
  }
}

TEST_F(ResultFilesTest, ThereIsATableInCsv) {
  bool csv = false;
  for (const auto& entry : fs::recursive_directory_iterator(run_->folder)) {
    csv = csv || (entry.path().extension() == ".csv" && fs::file_size(entry.path()) > 0);
  }
  EXPECT_TRUE(csv);
}

TEST_F(ResultFilesTest, NoTemporaryFileIsLeft) {
  for (const auto& entry : fs::recursive_directory_iterator(run_->folder)) {
    EXPECT_FALSE(absl::StrContains(entry.path().filename().string(), ".tmp")) << entry.path();
  }
}

TEST_F(ResultFilesTest, OneRecordForEachMeasuredRequest) {
  for (const char* level : {"concurrency_1", "concurrency_2", "concurrency_4"}) {
    const std::string records = File(absl::StrCat(level, "/profile_export.jsonl"));
    EXPECT_EQ(Lines(records), 10u) << level;
    const absl::StatusOr<Json> first = ParseJson(records.substr(0, records.find('\n')), level);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_NE(first->Find("metrics"), nullptr);
  }
}

TEST_F(ResultFilesTest, JsonFlagPrintsResultJsonAloneOnStandardOutput) {
  EXPECT_EQ(run_->end.out, File("result.json"));
  EXPECT_THAT(run_->end.err, HasSubstr("report.html"));
}

TEST_F(ResultFilesTest, ReportIsOneFileThatNeedsNoNetwork) {
  const std::string report = File("report.html");
  EXPECT_THAT(report, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(report, Not(HasSubstr("href=\"http")));
}

TEST_F(ResultFilesTest, ResultHoldsTheLabelAndTheCommandThatRepeatsIt) {
  EXPECT_EQ(run_->result.labels().at("gpu"), "none");
  EXPECT_GE(run_->result.command_size(), 3);
}

TEST_F(ResultFilesTest, ResultNamesEachLevelWithItsNumbers) {
  const absl::StatusOr<Json> result = ParseJson(File("result.json"), "result.json");
  ASSERT_TRUE(result.ok()) << result.status();
  const Json* levels = result->Find("levels");
  ASSERT_NE(levels, nullptr);
  ASSERT_EQ(levels->Items().size(), 3u);
  for (const Json& level : levels->Items()) {
    EXPECT_GT(level.Find("output_token_throughput")->AsDouble().value_or(0), 0);
    EXPECT_GT(level.Find("request_throughput")->AsDouble().value_or(0), 0);
  }
}

TEST(DefaultFolder, HasALinkToTheLatest) {
  const SimulatorProcess simulator;
  const TemporaryFolder home;
  for (int i = 0; i < 2; ++i) {
    ProcessOptions options =
        SweepOptions({"--url", simulator.url(), "--concurrency", "1", "--request-count", "3",
                      "--isl", "16", "--osl", "4", "--name", absl::StrCat("run", i)});
    options.folder = home.path();
    ASSERT_TRUE(Ran(RunToEnd(options, 30'000).code));
  }
  const fs::path latest = fs::path(home.path()) / "tidemark-results/latest";
  ASSERT_TRUE(fs::is_symlink(latest));
  EXPECT_THAT(fs::read_symlink(latest).string(), HasSubstr("run1"));
  EXPECT_TRUE(fs::exists(latest / "result.json"));
}

TEST(Overwrite, WritesIntoAFolderWithFiles) {
  const SimulatorProcess simulator;
  const TemporaryFolder home;
  home.Write("result/result.json", "old");
  const ProcessEnd end = RunToEnd(
      SweepOptions({"--url", simulator.url(), "--concurrency", "1", "--request-count", "3", "--isl",
                    "16", "--osl", "4", "--output-dir", home.File("result"), "--overwrite"}),
      30'000);
  EXPECT_TRUE(Ran(end.code)) << end.err;
  EXPECT_EQ(ReadResult(home.File("result")).levels_size(), 1);
}

TEST(DryRun, SendsNothingAndWritesNothing) {
  const SimulatorProcess simulator;
  const TemporaryFolder home;
  ProcessOptions options = SweepOptions(Join(kSmall, {"--url", simulator.url(), "--dry-run"}));
  options.folder = home.path();
  const ProcessEnd end = RunToEnd(options, 10'000);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(simulator.Stat("requests"), 0);
  EXPECT_TRUE(fs::is_empty(home.path()));
}

TEST(DryRun, PrintsAJobFileThatSweepTakes) {
  const TemporaryFolder home;
  const SimulatorProcess simulator;
  const ProcessEnd dry =
      RunToEnd(SweepOptions(Join(kSmall, {"--url", simulator.url(), "--dry-run"})), 10'000);
  const std::string job = home.Write("job.yaml", dry.out);
  const ProcessEnd end =
      RunToEnd(SweepOptions({"-f", job, "--output-dir", home.File("result")}), 30'000);
  EXPECT_TRUE(Ran(end.code)) << end.err;
  EXPECT_EQ(ReadResult(home.File("result")).levels_size(), 3);
}

TEST(BuiltInTarget, NeedsNoEndpointAndStatesItsLaw) {
  const SweepRun run =
      RunSweep("", {"--concurrency", "2", "--request-count", "10", "--isl", "16", "--osl", "4"});
  EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(run.result.law_size(), 1);
  EXPECT_NE(run.result.law_statement(), "");
}

}  // namespace
}  // namespace tidemark::testing
