// Ctrl-C, SIGTERM and SIGKILL in the middle of a level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

// A request takes about 0.3 s, the first level some two seconds, the second one more.
const Flags kSimulator = {"--delay-ms", "100", "--itl-ms", "30"};
const Flags kTwoLevels = {"--concurrency", "4,2", "--request-count", "16", "--isl", "16", "--osl",
                          "8"};

// A sweep whose first level is over and whose second one runs.
class InterruptTest : public ::testing::Test {
 protected:
  void SetUp() override {
    simulator_.ResetStats();
    sweep_ = std::make_unique<Process>(SweepOptions(
        Join(kTwoLevels, {"--url", simulator_.url(), "--output-dir", home_.File("result")})));
    // The probe, and more than the first level's warm-up and measured requests have been served.
    ASSERT_TRUE(Eventually(20'000, [this] { return LevelsFinished() >= 1; })) << sweep_->err();
    const int64_t before = simulator_.Posts();
    ASSERT_TRUE(Eventually(5'000, [&] { return simulator_.Posts() >= before + 5; }));
  }

  // Lines of progress that end a level.
  int LevelsFinished() const {
    std::istringstream lines(sweep_->err());
    std::string line;
    int finished = 0;
    while (std::getline(lines, line)) {
      if (absl::StartsWith(line, "concurrency    4 ")) ++finished;
    }
    return finished;
  }

  v1::Result Result() const { return ReadResult(home_.File("result")); }

  const SimulatorProcess simulator_{kSimulator};
  const TemporaryFolder home_;
  std::unique_ptr<Process> sweep_;
};

TEST_F(InterruptTest, SigintEndsWith130WithinTheDrainTime) {
  sweep_->Signal(SIGINT);
  EXPECT_EQ(sweep_->Wait(4'000), 130) << sweep_->err();
}

TEST_F(InterruptTest, SigtermEndsWith143) {
  sweep_->Signal(SIGTERM);
  EXPECT_EQ(sweep_->Wait(4'000), 143) << sweep_->err();
}

TEST_F(InterruptTest, FinishedLevelsAreKeptAndTheUnfinishedOneHasNoVerdict) {
  sweep_->Signal(SIGINT);
  ASSERT_EQ(sweep_->Wait(4'000), 130) << sweep_->err();
  const v1::Result result = Result();
  EXPECT_TRUE(result.interrupted());
  EXPECT_EQ(LevelOf(result, 4).measured().ok(), 16u);
  EXPECT_FALSE(LevelOf(result, 4).stopped_early());
  EXPECT_TRUE(LevelOf(result, 2).stopped_early());
  EXPECT_EQ(LevelOf(result, 2).verdict(), v1::INVALID);
  EXPECT_FALSE(LevelOf(result, 2).has_output_token_throughput());
}

TEST_F(InterruptTest, AnswerSaysThatItWasInterrupted) {
  sweep_->Signal(SIGINT);
  ASSERT_EQ(sweep_->Wait(4'000), 130) << sweep_->err();
  EXPECT_THAT(sweep_->out(), HasSubstr("INTERRUPTED after 1 level;"));
}

TEST(InterruptTwice, SecondSigintCancelsWhatWouldNotEnd) {
  // With this seed the probe's requests draw no stall; later ones hang for good.
  const SimulatorProcess simulator({"--fault", "stall@0.2", "--seed", "17"});
  const TemporaryFolder home;
  Process sweep(SweepOptions({"--url", simulator.url(), "--concurrency", "4", "--request-count",
                              "1000", "--isl", "16", "--osl", "8", "--output-dir",
                              home.File("result")}));
  ASSERT_TRUE(Eventually(10'000, [&] { return simulator.Stat("faults.stall") >= 4; }))
      << sweep.err();
  sweep.Signal(SIGINT);
  EXPECT_EQ(sweep.Wait(1'000), std::nullopt) << sweep.err();
  sweep.Signal(SIGINT);
  EXPECT_EQ(sweep.Wait(3'000), 130) << sweep.err();
  EXPECT_TRUE(ReadResult(home.File("result")).interrupted());
  EXPECT_EQ(LevelOf(ReadResult(home.File("result")), 4).verdict(), v1::INVALID);
}

TEST(InterruptEarly, SigintDuringTheProbeEndsToo) {
  const SimulatorProcess simulator({"--delay-ms", "60000", "--itl-ms", "1"});
  const TemporaryFolder home;
  Process sweep(SweepOptions({"--url", simulator.url(), "--concurrency", "1", "--output-dir",
                              home.File("result")}));
  ASSERT_TRUE(Eventually(10'000, [&] { return simulator.Posts() >= 1; })) << sweep.err();
  sweep.Signal(SIGINT);
  sweep.Wait(500);
  sweep.Signal(SIGINT);
  EXPECT_EQ(sweep.Wait(4'000), 130) << sweep.err();
}

// The only child of a process; 0 when it has none.
pid_t ChildOf(pid_t pid) {
  std::istringstream children(ReadFile(absl::StrCat("/proc/", pid, "/task/", pid, "/children")));
  pid_t child = 0;
  children >> child;
  return child;
}

// Gone, or dead and waiting for init.
bool Dead(pid_t pid) {
  const std::string stat = ReadFile(absl::StrCat("/proc/", pid, "/stat"));
  return stat.empty() || absl::StrContains(stat, ") Z ");
}

TEST(Killed, BuiltInSimulatorDiesWithTheCommand) {
  const TemporaryFolder home;
  Process sweep(SweepOptions({"--concurrency", "2", "--output-dir", home.File("result")}));
  ASSERT_TRUE(sweep.WaitForText("probe", 20'000)) << sweep.err();
  const pid_t simulator = ChildOf(sweep.pid());
  ASSERT_GT(simulator, 0);
  ASSERT_FALSE(Dead(simulator));
  sweep.Signal(SIGKILL);
  EXPECT_EQ(sweep.Wait(3'000), 137);
  EXPECT_TRUE(Eventually(3'000, [&] { return Dead(simulator); }));
}

}  // namespace
}  // namespace tidemark::testing
