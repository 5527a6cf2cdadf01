// Invariant 1: time has one door. Code takes a Clock; unit tests neither sleep nor read a real clock.
#include <gtest/gtest.h>

#include "tests/lint/rule.h"

namespace tidemark::lint {
namespace {

const char kReadsOrSleeps[] =
    R"re(\b(clock_gettime|clock_nanosleep|nanosleep|usleep|(evutil_)?gettimeofday|evutil_gettime_monotonic|ftime)re"
    R"re(|timespec_get|sleep_for|sleep_until)\s*\()re"
    R"re(|\w_clock::now\s*\(|\babsl::(Now|SleepFor)\s*\()re"
    R"re(|\btime\s*\(\s*(nullptr|NULL|0|&\w+)\s*\)|(^|[^\w.>])sleep\s*\()re";

Rule ClockRule() {
  return {"clock", View::kCode, kReadsOrSleeps, ProductCpp,
          {{"common/clock/real_clock.cc", "the door"},
           {"simulator/loop_clock.cc", "the simulator shares nothing with the agent, its clock neither"},
           {"simulator/null_clock.cc", "the same, in nanoseconds"},
           {"simulator/inference_server.cc", "the calendar time in `created` of a reply"},
           {"agent/session/record_upload.cc", "gRPC takes its deadlines as a system_clock time"},
           {"cli/one_host.cc", "the same: the deadline of the server's shutdown"}},
          "take a Clock of common/clock/clock.h"};
}

Rule TimerDescriptorRule() {
  return {"timerfd", View::kCode, R"re(\btimerfd_\w+\s*\()re", ProductCpp,
          {{"agent/http/", "the event loop of the measured path"},
           {"simulator/null_clock.cc", "the null endpoint's plan, which is what that path is held against"}},
          "set a timer of EventLoop, or SerialWorker::WakeAt"};
}

Rule TimedWaitRule() {
  return {"timed wait", View::kCode, R"re(\b(wait_for|wait_until|pthread_cond_timedwait|sem_timedwait)\s*\()re",
          ProductCpp, {{"common/mutex.h", "the door: CondVar::WaitFor"}}, "wait with CondVar::WaitFor"};
}

bool UnitTest(const std::string& path) {
  return IsCpp(path) && (HasPrefix(path, "tests/unit/") || HasPrefix(path, "tests/golden/"));
}

const char kUnitTestCure[] = "use FakeClock, or make it an integration test";

Rule UnitTestRule() { return {"unit tests", View::kCode, kReadsOrSleeps, UnitTest, {}, kUnitTestCure}; }

// The same by the names of common/clock and common/mutex.h.
Rule UnitTestDoorRule() {
  return {"unit tests, by our doors", View::kCode,
          R"re(\b(RealClock|SleepFor|ThreadCpuNanos|wait_for|wait_until)\s*\()re", UnitTest, {}, kUnitTestCure};
}

TEST(TimeHasOneDoor, ClocksAndSleeps) { EXPECT_EQ(Violations(ClockRule(), Tree()), std::vector<std::string>()); }
TEST(TimeHasOneDoor, TimerDescriptors) {
  EXPECT_EQ(Violations(TimerDescriptorRule(), Tree()), std::vector<std::string>());
}
TEST(TimeHasOneDoor, TimedWaits) { EXPECT_EQ(Violations(TimedWaitRule(), Tree()), std::vector<std::string>()); }
TEST(TimeHasOneDoor, UnitTestsNeitherSleepNorReadRealClocks) {
  EXPECT_EQ(Violations(UnitTestRule(), Tree()), std::vector<std::string>());
  EXPECT_EQ(Violations(UnitTestDoorRule(), Tree()), std::vector<std::string>());
}

TEST(TimeLint, SeesEachWayToReadAClockOrSleep) {
  for (const char* line :
       {"clock_gettime(CLOCK_MONOTONIC, &ts);", "auto t = std::chrono::steady_clock::now();",
        "std::chrono::system_clock::now() + x", "nanosleep(&ts, nullptr);", "  usleep(10);", "::sleep(1);", "sleep(1);",
        "std::this_thread::sleep_for(x);", "gettimeofday(&tv, nullptr);", "absl::Now()", "absl::SleepFor(d);",
        "std::time(nullptr)", "time(&now)"}) {
    EXPECT_TRUE(Refuses(ClockRule(), "agent/core/made_up.cc", line)) << line;
    EXPECT_TRUE(Refuses(UnitTestRule(), "tests/unit/made_up/a_test.cc", line)) << line;
  }
}

TEST(TimeLint, LeavesNamesCommentsAndIntegrationTestsAlone) {
  EXPECT_FALSE(Refuses(ClockRule(), "agent/core/made_up.cc", "// nanosleep(x) would block"));
  EXPECT_FALSE(Refuses(ClockRule(), "agent/core/made_up.cc", "Log(\"usleep(1)\");"));
  EXPECT_FALSE(Refuses(ClockRule(), "agent/core/made_up.cc", "clock->MonotonicNanos() - start_time(0)"));
  EXPECT_FALSE(Refuses(ClockRule(), "tests/integration/made_up/a_test.cc", "std::this_thread::sleep_for(x);"));
  EXPECT_FALSE(Refuses(ClockRule(), "common/clock/real_clock.cc", "nanosleep(&left, &left)"));
}

TEST(TimeLint, SeesTimerDescriptorsAndTimedWaits) {
  EXPECT_TRUE(Refuses(TimerDescriptorRule(), "agent/engine/made_up.cc", "timerfd_create(CLOCK_MONOTONIC, 0)"));
  EXPECT_FALSE(Refuses(TimerDescriptorRule(), "agent/http/made_up.cc", "timerfd_create(CLOCK_MONOTONIC, 0)"));
  EXPECT_TRUE(Refuses(TimedWaitRule(), "agent/engine/made_up.cc", "condition_.wait_for(lock, d);"));
}

TEST(TimeLint, SeesOurOwnClocksInUnitTests) {
  EXPECT_TRUE(Refuses(UnitTestDoorRule(), "tests/unit/made_up/a_test.cc", "Recorder r(&RealClock());"));
  EXPECT_TRUE(Refuses(UnitTestDoorRule(), "tests/unit/made_up/a_test.cc", "SleepFor(kNanosPerMilli);"));
}

}  // namespace
}  // namespace tidemark::lint
