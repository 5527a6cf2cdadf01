// What a sweep takes of its host: its selftest, its addresses, its timestamps, and the records it keeps of requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

const Flags kSmall = {"--isl", "32", "--osl", "8", "--concurrency", "4", "--request-count", "40"};

ProcessEnd Selftest(const std::string& file) {
  ProcessOptions options;
  options.arguments = {TIDEMARK_BIN_DIR "/tidemark", "selftest", "--quick", "--selftest-file", file};
  return RunToEnd(options, 40'000);
}

TEST(Selftest, IsWhatASweepPlansBy) {
  const TemporaryFolder home;
  const ProcessEnd found = Selftest(home.File("selftest.json"));
  if (found.code == 1) GTEST_SKIP() << "this machine is too busy to drive anything: " << found.err;
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("This host drives "));
  const SweepRun run = RunSweep("", kSmall, 30'000, {"TIDEMARK_SELFTEST_FILE=" + home.File("selftest.json")});
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_THAT(run.end.err, HasSubstr("(70 % of the "));
}

TEST(SourceAddress, ASweepRunsFromSeveral) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--source-address", "127.0.0.2,127.0.0.3"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  const v1::LevelResult level = LevelOf(run.result, 4);
  EXPECT_EQ(level.measured().ok(), 40u);
  const SweepRun one = RunSweep(simulator.url(), kSmall);
  EXPECT_EQ(level.agents(0).self_check().ports_limit(),
            2 * LevelOf(one.result, 4).agents(0).self_check().ports_limit());
}

TEST(SourceAddress, OneThatIsNotOfThisHostIsRefused) {
  const SweepRun run = RunSweep("http://127.0.0.1:9", {"--source-address", "192.0.2.77"});
  EXPECT_EQ(run.end.code, 2);
  EXPECT_THAT(run.end.err, HasSubstr("source_address is 192.0.2.77: no interface of this host has it"));
}

TEST(Timestamps, TheResultSaysWhoseTheyAre) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--timestamps", "user"}));
  ASSERT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_TRUE(LevelOf(run.result, 4).plan().user_timestamps());
  EXPECT_EQ(LevelOf(run.result, 4).agents(0).self_check().reader_delay_us().count(), 0u);
  EXPECT_THAT(ReadFile(run.folder + "/report.html"), HasSubstr("as asked (timestamps: user)"));
}

class Records : public ::testing::Test {
 protected:
  // Lines of the level's record file; nothing when there is none.
  static std::optional<int64_t> LinesWith(const std::string& export_records) {
    const SimulatorProcess simulator;
    const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--export-records", export_records}));
    EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
    const std::string file = run.folder + "/concurrency_4/profile_export.jsonl";
    if (!std::filesystem::exists(file)) return std::nullopt;
    const std::string text = ReadFile(file);
    return std::count(text.begin(), text.end(), '\n');
  }
};

TEST_F(Records, AllAreOneALine) { EXPECT_EQ(LinesWith("all"), 40); }
TEST_F(Records, AutoIsAllOfASmallLevel) { EXPECT_EQ(LinesWith("auto"), 40); }
TEST_F(Records, NoneMakesNoFile) { EXPECT_EQ(LinesWith("none"), std::nullopt); }
TEST_F(Records, ASampleIsAboutOneInN) {
  const std::optional<int64_t> lines = LinesWith("sample:4");
  ASSERT_TRUE(lines);
  EXPECT_GT(*lines, 1);
  EXPECT_LT(*lines, 25);
}

}  // namespace
}  // namespace tidemark::testing
