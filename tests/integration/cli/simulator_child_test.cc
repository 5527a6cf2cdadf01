#include "cli/simulator_child.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

// A shell script in the simulator's place.
class SimulatorChildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/tidemark_child_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    unlink(Program().c_str());
    rmdir(folder_.c_str());
  }

  std::string Program() const { return folder_ + "/sim"; }

  absl::StatusOr<std::unique_ptr<SimulatorChild>> Start(const std::string& script) {
    std::ofstream(Program()) << "#!/bin/sh\n" << script << "\n";
    chmod(Program().c_str(), 0755);
    SimulatorChildOptions options;
    options.program = Program();
    options.start_deadline_ns = 5 * kNanosPerSecond;
    options.own_core = false;
    return SimulatorChild::Start(options, RealClock());
  }

  std::string folder_;
};

TEST_F(SimulatorChildTest, ReadsWhereTheChildListensAndEndsItWithTheObject) {
  auto child = Start("echo \"tidemark-sim listening on http://127.0.0.1:4321\"; exec sleep 60");
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ((*child)->url(), "http://127.0.0.1:4321");
  const pid_t pid = (*child)->pid();
  EXPECT_EQ(getpgid(pid), pid);
  child->reset();
  EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(SimulatorChildTest, PassesItsArguments) {
  auto child = Start("echo \"$3 listening on http://$1/$2\"; exec sleep 60");
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ((*child)->url(), "http://--listen/127.0.0.1:0");
}

TEST_F(SimulatorChildTest, SaysWhenTheChildEndsBeforeItListens) {
  const auto child = Start("exit 3");
  EXPECT_THAT(std::string(child.status().message()), HasSubstr("ended before it listened"));
}

TEST_F(SimulatorChildTest, SaysWhenTheProgramIsMissing) {
  SimulatorChildOptions options;
  options.program = "/nonexistent/tidemark-sim";
  const auto child = SimulatorChild::Start(options, RealClock());
  EXPECT_TRUE(absl::IsNotFound(child.status())) << child.status();
  EXPECT_THAT(std::string(child.status().message()), HasSubstr("/nonexistent/tidemark-sim"));
}

TEST(SimulatorChild, StartsTheRealSimulatorOnACoreOfItsOwn) {
  SimulatorChildOptions options;
  options.program = TIDEMARK_BIN_DIR "/tidemark-sim";
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  auto child = SimulatorChild::Start(options, RealClock());
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_THAT((*child)->url(), testing::StartsWith("http://127.0.0.1:"));
  cpu_set_t ours;
  cpu_set_t theirs;
  ASSERT_EQ(sched_getaffinity(0, sizeof(ours), &ours), 0);
  ASSERT_EQ(sched_getaffinity((*child)->pid(), sizeof(theirs), &theirs), 0);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one core";
  cpu_set_t both;
  CPU_AND(&both, &ours, &theirs);
  EXPECT_EQ(CPU_COUNT(&both), 0);
  EXPECT_EQ(CPU_COUNT(&theirs), 1);
}

TEST(ChildEnvironment, LeavesTheApiKeyOut) {
  char key[] = "TIDEMARK_API_KEY=sesame";
  char path[] = "PATH=/bin";
  char* environment[] = {key, path, nullptr};
  EXPECT_THAT(ChildEnvironment(environment), testing::ElementsAre("PATH=/bin"));
}

}  // namespace
}  // namespace tidemark
