#include "cli/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/exit_code.h"
#include "common/json/json.h"
#include "tests/support/fake_clock.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A host that drives `drives_` streams; each trial takes as long as it says.
class SelftestCommand : public testing::Test {
 protected:
  SelftestCommand() {
    world_.out = &out_;
    world_.err = &err_;
    world_.clock = &clock_;
    world_.key = {"tidemark 1", 2, 0};
    world_.most_streams = 19'000;
    world_.environment = {"TIDEMARK_SELFTEST_FILE=" + path_};
    world_.start = [this](const NullSchedule&, uint32_t loops) -> absl::StatusOr<SelftestWorld::Trial> {
      loops_ = loops;
      return [this](const TrialPlan& plan) { return TrialOf(plan); };
    };
    std::remove(path_.c_str());
  }

  absl::StatusOr<SelftestTrial> TrialOf(const TrialPlan& plan) {
    clock_.Advance(TrialNanos(plan));
    ++trials_;
    SelftestTrial trial;
    trial.streams = plan.streams;
    trial.events_per_second = plan.streams * 43.0;
    trial.reader_delay_p99_ms = plan.streams <= drives_ ? 0.2 : 5;
    trial.latency_ms = trial.due_latency_ms = 1'000;
    return trial;
  }

  int Run(const std::vector<std::string>& arguments) { return RunSelftest(world_, arguments); }

  std::string path_ = testing::TempDir() + "selftest_test.json";
  FakeClock clock_;
  std::ostringstream out_, err_;
  uint32_t drives_ = 1'300;
  uint32_t loops_ = 99;
  int trials_ = 0;
  SelftestWorld world_;
};

TEST_F(SelftestCommand, SaysWhatTheHostDrivesAndWhatIsPlanned) {
  EXPECT_EQ(Run({}), kExitDone);
  EXPECT_THAT(out_.str(), StartsWith("This host drives 1,250 streams at once, with 53,750 events/s.\n"
                                     "A sweep on it plans at most 875 of them (70 %).\n"));
}

TEST_F(SelftestCommand, KeepsItForSweepsAndAgents) {
  Run({});
  const KeptSelftest kept = LoadSelftest(path_, world_.key);
  ASSERT_TRUE(kept.record) << kept.why_not;
  EXPECT_EQ(kept.record->streams, 1'250u);
  EXPECT_EQ(kept.record->events_per_second, 53'750);
}

TEST_F(SelftestCommand, TakesAMinuteAtMost) {
  const int64_t begin = clock_.MonotonicNanos();
  Run({});
  EXPECT_LE(clock_.MonotonicNanos() - begin, 60 * kNanosPerSecond);
}

TEST_F(SelftestCommand, TakesAQuarterOfThatWhenQuick) {
  const int64_t begin = clock_.MonotonicNanos();
  Run({"--quick"});
  EXPECT_LE(clock_.MonotonicNanos() - begin, 15 * kNanosPerSecond);
  EXPECT_GT(trials_, 2);
}

TEST_F(SelftestCommand, PrintsOneDocument) {
  EXPECT_EQ(Run({"--json", "--loops", "3"}), kExitDone);
  const absl::StatusOr<Json> json = ParseJson(out_.str(), "selftest");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->Find("streams")->AsInt64(), 1'250);
  EXPECT_EQ(json->Find("planned_streams")->AsInt64(), 875);
  EXPECT_EQ(json->Find("trials")->Items().size(), static_cast<size_t>(trials_));
  EXPECT_EQ(loops_, 3u);
}

TEST_F(SelftestCommand, AHostThatDrivesNothingIsSaidAndNotKept) {
  drives_ = 0;
  EXPECT_EQ(Run({}), kExitCouldNotRun);
  EXPECT_THAT(err_.str(), HasSubstr("drives not even the fewest streams"));
  EXPECT_FALSE(std::ifstream(path_).is_open());
}

TEST_F(SelftestCommand, AnEndpointThatDoesNotStartIsSaid) {
  world_.start = [](const NullSchedule&, uint32_t) { return absl::NotFoundError("no tidemark-sim"); };
  EXPECT_EQ(Run({}), kExitCouldNotRun);
  EXPECT_THAT(err_.str(), HasSubstr("no tidemark-sim"));
}

TEST_F(SelftestCommand, AFolderThatCannotBeWrittenIsSaidAfterTheAnswer) {
  EXPECT_EQ(Run({"--selftest-file", "/proc/none/selftest.json"}), kExitCouldNotRun);
  EXPECT_THAT(out_.str(), StartsWith("This host drives"));
  EXPECT_THAT(err_.str(), HasSubstr("cannot be kept"));
}

TEST_F(SelftestCommand, UnknownFlagsAreUsage) { EXPECT_EQ(Run({"--fast"}), kExitUsage); }

TEST_F(SelftestCommand, HelpListsItsFlags) {
  EXPECT_EQ(Run({"--help"}), kExitDone);
  EXPECT_THAT(out_.str(), HasSubstr("--selftest-file"));
}

}  // namespace
}  // namespace tidemark
