// A job that goes on after its coordinator was started anew, from what the journal holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/core/job/job_machine.h"
#include "tests/unit/coordinator_core/job_scenario.h"

namespace tidemark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

v1::Probed Found() {
  v1::Probed report;
  report.set_model("m");
  report.set_calibrated(true);
  report.mutable_calibration()->set_slope(1.3);
  report.set_latency_us(2'000'000);
  return report;
}

LevelOutcome Passed(uint64_t level) {
  LevelOutcome outcome;
  outcome.level = level;
  outcome.verdict = Verdict::kPass;
  return outcome;
}

// One level of two is done; two attempts of the second were begun.
JobMachineOptions AfterTheFirstLevel() {
  JobMachineOptions options = JobScenario::Options(false);
  options.resume.emplace();
  options.resume->probe = ProbeTaken{Found(), 0};
  options.resume->history = {Passed(4)};
  options.resume->latency = 3 * kSecond;
  options.resume->latency_seen_at = 4;
  options.resume->attempts_begun = 2;
  options.resume->voided = {{1, "a", "lost: its lease lapsed", {30, 0, 0}},
                            {2, "", "the coordinator was started anew", {}}};
  options.resume->sent_without_level = {30, 400, 500};
  return options;
}

JobSpec TwoLevels() { return JobScenario::List({4, 8}, 20); }

TEST(JobResume, OnlyTheLevelsThatAreMissingAreRun) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Join("a").Start().Wait(60);
  ASSERT_TRUE(s.finished());
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].plan.concurrency, 8u);
  EXPECT_EQ(s.levels()[0].key.level, 1u);
  EXPECT_EQ(s.end()->end, JobEnd::kCompleted);
  EXPECT_THAT(s.end()->levels_not_run, IsEmpty());
}

TEST(JobResume, TheProbeIsNotSentAgain) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Join("a").Start().Wait(60);
  EXPECT_EQ(s.Count("PROBE"), 0u);
  EXPECT_EQ(s.machine().spec().endpoint.model, "m");
}

TEST(JobResume, AnAttemptThatWasBegunNeverComesBack) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Join("a").Start();
  EXPECT_THAT(s.Last("PREPARE"), HasSubstr("level 1 attempt 3"));
}

TEST(JobResume, ALaterLevelBeginsWithItsFirstAttempt) {
  JobMachineOptions options = AfterTheFirstLevel();
  JobScenario s(JobScenario::List({4, 8, 16}, 20), options);
  s.Join("a").Start().Wait(60);
  EXPECT_EQ(s.Count("PREPARE a level 2 attempt 1"), 1u);
}

TEST(JobResume, VoidAttemptsFromBeforeStayInTheLevelsMeasurement) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Join("a").Start().Wait(60);
  ASSERT_EQ(s.levels()[0].voided.size(), 2u);
  EXPECT_EQ(s.levels()[0].voided[1].reason, "the coordinator was started anew");
  EXPECT_EQ(s.end()->sent_without_level.requests, 30u);
}

TEST(JobResume, ExpectsTheLatencyOfTheLastFinishedLevel) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Join("a").Start().Wait(60);
  EXPECT_EQ(s.levels()[0].plan.ramp_ns, 6u * kSecond);  // 3 s at 4, twice the concurrency
}

TEST(JobResume, NothingIsAskedBeforeAgentsOfTheEarlierStartHaveStopped) {
  JobMachineOptions options = AfterTheFirstLevel();
  options.quiet_until = 1006 * kSecond;
  JobScenario s(TwoLevels(), options);
  s.Join("a").Start().Wait(5.9);
  EXPECT_EQ(s.Count("PREPARE"), 0u);
  s.Wait(0.2);
  EXPECT_EQ(s.Count("PREPARE"), 1u);
}

TEST(JobResume, AJobThatWasNotProbedIsProbedAfterTheQuietTime) {
  JobMachineOptions options = JobScenario::Options(false);
  options.resume.emplace();
  options.quiet_until = 1006 * kSecond;
  JobScenario s(TwoLevels(), options);
  s.Join("a").Start().Wait(5.9);
  EXPECT_EQ(s.Count("PROBE"), 0u);
  s.Wait(60);
  EXPECT_EQ(s.Count("PROBE"), 1u);
  EXPECT_EQ(s.levels().size(), 2u);
}

TEST(JobResume, ASearchKeepsTheRangeThatItWasLoweredTo) {
  JobSpec spec = JobScenario::List({}, 20);
  spec.search.emplace();
  spec.search->spec.min = 1;
  spec.search->spec.max = 1000;
  JobMachineOptions options = JobScenario::Options(false);
  options.resume.emplace();
  options.resume->probe = ProbeTaken{Found(), 48};
  JobScenario s(spec, options);
  s.Join("a", 5000).Start();
  EXPECT_EQ(s.machine().spec().search->spec.max, 48u);
}

TEST(JobResume, AStopThatWasAskedForEndsItWithWhatIsThere) {
  JobScenario s(TwoLevels(), AfterTheFirstLevel());
  s.Start().Say(StopJob{"stopped by the user"});
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kStopped);
  EXPECT_THAT(s.end()->levels_not_run, testing::ElementsAre(8u));
}

TEST(JobResume, AStoreThatFailedEndsTheJobAsFailed) {
  JobScenario s(TwoLevels());
  s.Join("a").Mute("WARM").Start();
  s.Say(StopJob{"the disk is full: /data", true, true}).Wait(60);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kFailed);
  EXPECT_EQ(s.end()->reason, "the disk is full: /data");
}

}  // namespace
}  // namespace tidemark
