#include "coordinator/core/job/job_machine.h"

#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/unit/coordinator_core/job_scenario.h"

namespace tidemark {
namespace {

using testing::HasSubstr;

JobSpec TwoLevels() { return JobScenario::List({4, 8}, 20); }

JobSpec Search(uint64_t min, uint64_t max, bool max_given) {
  JobSpec spec = JobScenario::List({}, 20);
  spec.search.emplace();
  spec.search->spec.min = min;
  spec.search->spec.max = max;
  spec.search->max_given = max_given;
  return spec;
}

// ---- a job without trouble ----

TEST(JobMachine, RunsEveryLevelOfAListOnce) {
  JobScenario s(TwoLevels());
  s.Join("a").Join("b").Start().Wait(60);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kCompleted);
  ASSERT_EQ(s.levels().size(), 2u);
  EXPECT_EQ(s.levels()[0].plan.concurrency, 4u);
  EXPECT_EQ(s.levels()[1].plan.concurrency, 8u);
  EXPECT_EQ(s.levels()[1].key.level, 1u);
  EXPECT_EQ(s.levels()[0].parts.size(), 2u);
  EXPECT_EQ(s.end()->search_done->reason, "list_done");
  EXPECT_TRUE(s.end()->levels_not_run.empty());
}

TEST(JobMachine, PassesTheBarriersInOrder) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Join("a").Start();
  std::vector<std::string> kinds;
  for (const std::string& line : s.log()) {
    if (!absl::StartsWith(line, "TIMER") && !absl::StartsWith(line, "SAY")) {
      kinds.push_back(line.substr(0, line.find(' ')));
    }
  }
  EXPECT_THAT(kinds, testing::ElementsAre("PROBE", "TAKEN", "PHASE", "PREPARE", "PHASE", "ARM", "PHASE",
                                          "MEASURE", "PHASE", "STOP", "PHASE", "LEVEL", "END"));
}

TEST(JobMachine, NothingBeginsBeforeItsStart) {
  JobScenario s(TwoLevels());
  s.Join("a");
  EXPECT_TRUE(s.log().empty());
}

TEST(JobMachine, RestsBetweenLevels) {
  JobScenario s(TwoLevels());
  s.Join("a").Start();
  EXPECT_EQ(s.Count("PREPARE a level 1"), 0u);
  s.Wait(0.19);
  EXPECT_EQ(s.Count("PREPARE a level 1"), 0u);
  s.Wait(0.02);
  EXPECT_EQ(s.Count("PREPARE a level 1"), 1u);
}

TEST(JobMachine, SpreadsTheRampOverTheExpectedLatency) {
  JobScenario s(TwoLevels());
  s.Join("a").Start().Wait(60);
  EXPECT_EQ(s.levels()[0].plan.ramp_ns, 2u * kSecond);  // the probe's
  EXPECT_EQ(s.levels()[1].plan.ramp_ns, 6u * kSecond);  // 3 s at 4, twice the concurrency
}

TEST(JobMachine, WaitsForRecordsBeforeTheLevelIsFinished) {
  JobScenario s(JobScenario::List({4}, 20));
  s.records_bytes = 1000;
  s.Mute("PULL").Join("a").Start();
  EXPECT_EQ(s.Count("LEVEL"), 0u);
  s.Answer();
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].records_bytes, 1000u);
}

TEST(JobMachine, AnAgentWhoseReportsNameTooMuchIsLeftOut) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE", "b").Join("a").Join("b").Start();
  AgentFacts facts{"b", {"job", 0, 1}, {}};
  for (int i = 0; i < 101; ++i) facts.facts.failures[absl::StrCat("class_", i)] = 1;
  s.Say(facts).Wait(60);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].voided.at(0).reason, "its reports name 101 failure classes, where at most 100 are taken");
  EXPECT_EQ(s.levels()[0].parts.size(), 1u);
}

TEST(JobMachine, RecordsThatDoNotComeAreSaidAndTheLevelCounts) {
  JobScenario s(JobScenario::List({4}, 20));
  s.records_bytes = 1000;
  s.Mute("PULL").Join("a").Start().Wait(31);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].records_error,
            "records of agent a are missing: it did not send them in time");
}

TEST(JobMachine, MeasuresWhenTheWarmupDeadlineHasPassed) {
  JobSpec spec = JobScenario::List({4}, 20);
  spec.limits.total_ms = 50'000;
  JobScenario s(spec);
  s.Mute("WARM", "b").Join("a").Join("b").Start().Wait(53);
  EXPECT_EQ(s.Count("MEASURE"), 0u);
  s.Wait(2);
  EXPECT_EQ(s.Count("MEASURE"), 2u);
  EXPECT_EQ(s.Last("WARN"),
            "WARN no WARM from agent b by the warm-up's deadline: measures all the same");
  EXPECT_TRUE(s.levels().at(0).warmup_deadline_passed);
}

// ---- capacity ----

TEST(JobMachine, OneHostRefusesMoreThanItsCapacityAtOnce) {
  JobScenario s(JobScenario::List({4, 800}, 20), /*one_host=*/true);
  s.Join("a", 100).Start();
  ASSERT_TRUE(s.finished());
  EXPECT_TRUE(s.end()->refused);
  EXPECT_THAT(s.end()->reason, HasSubstr("concurrency 800 is more than the 100"));
  EXPECT_EQ(s.Count("PROBE"), 0u);
  EXPECT_EQ(s.end()->levels_not_run, (std::vector<uint32_t>{4, 800}));
}

TEST(JobMachine, AClusterWaitsForAgentsThenNamesHowManyAreMissing) {
  JobScenario s(JobScenario::List({250}, 300));
  s.Join("a").Start().Wait(59);
  EXPECT_FALSE(s.finished());
  s.Wait(1);
  ASSERT_TRUE(s.finished());
  EXPECT_FALSE(s.end()->refused);
  EXPECT_THAT(s.end()->reason, HasSubstr("needs 2 more agents"));
}

TEST(JobMachine, BeginsWhenTheAgentsHaveCome) {
  JobScenario s(JobScenario::List({150}, 300));
  s.Join("a").Start().Wait(30).Join("b").Wait(10);
  EXPECT_EQ(s.levels().size(), 1u);
}

TEST(JobMachine, FailsWhenNoAgentComes) {
  JobScenario s(TwoLevels());
  s.Start().Wait(61);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(
      s.end()->reason,
      "no agent came within 60 s: concurrency 8 has no agent to run on: needs at least 1 agent");
}

TEST(JobMachine, ASearchWithoutALimitIsLoweredToTheCapacityAndSaysSo) {
  JobScenario s(Search(1, 1000, false), /*one_host=*/true);
  s.Join("a", 40).Start().Wait(60);
  EXPECT_EQ(s.Count("SAY concurrency_max is lowered from 1000 to 40"), 1u);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->search_done->reason, "monotonic_no_failure_in_range");
  EXPECT_EQ(s.levels().back().plan.concurrency, 40u);
}

TEST(JobMachine, ASearchsGivenLimitIsNotLowered) {
  JobScenario s(Search(1, 1000, true), /*one_host=*/true);
  s.Join("a", 40).Start();
  EXPECT_TRUE(s.end()->refused);
}

TEST(JobMachine, ASearchFollowsThePlanner) {
  JobScenario s(Search(16, 100, true));
  s.judge = [](const LevelMeasurement& m) {
    return m.plan.concurrency <= 20 ? Verdict::kPass : Verdict::kFail;
  };
  s.Join("a").Start().Wait(600);
  std::string trace;
  for (const LevelMeasurement& m : s.levels()) absl::StrAppend(&trace, m.plan.concurrency, " ");
  EXPECT_EQ(trace, "16 32 24 20 22 21 ");
  EXPECT_EQ(s.end()->search_done->answer.feasible_max->level, 20u);
}

TEST(JobMachine, ALevelInvalidTwiceEndsTheSearchWithItsReason) {
  JobScenario s(Search(16, 100, true));
  s.judge = [](const LevelMeasurement&) { return Verdict::kInvalid; };
  s.Join("a").Start().Wait(600);
  ASSERT_TRUE(s.finished());
  EXPECT_TRUE(s.end()->impossible.has_value());
  EXPECT_EQ(s.levels().size(), 2u);
}

// ---- the probe ----

TEST(JobMachine, ARefusalOfTheProbeEndsTheJob) {
  JobScenario s(TwoLevels());
  v1::ProbeFailure* failure = s.probed.mutable_failure();
  failure->set_failure_class("http_401");
  failure->set_refusal(true);
  failure->set_status(401);
  failure->set_url("http://host/v1/chat/completions");
  failure->set_reason("not authorized");
  failure->set_excerpt("no key");
  failure->set_hint("Set --api-key-env.");
  s.Join("a").Start();
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->failure_class, "http_401");
  EXPECT_EQ(
      s.end()->reason,
      "http://host/v1/chat/completions answered 401: not authorized: no key. Set --api-key-env.");
  EXPECT_EQ(s.Count("PREPARE"), 0u);
}

TEST(JobMachine, AProbeThatTimesOutWarnsAndTheJobGoesOn) {
  JobSpec spec = JobScenario::List({4}, 20);
  spec.endpoint.model = "m";
  JobScenario s(spec);
  s.probed.mutable_failure()->set_failure_class("timeout_total");
  s.Join("a").Start();
  EXPECT_EQ(s.Count("WARN the probe failed, and the job goes on"), 1u);
  EXPECT_EQ(s.levels().size(), 1u);
}

TEST(JobMachine, SeveralModelsAndNoneNamedAreListed) {
  JobScenario s(TwoLevels());
  s.probed.clear_model();
  s.probed.add_models("x");
  s.probed.add_models("y");
  s.Join("a").Start();
  EXPECT_THAT(s.end()->reason, HasSubstr("offers 2 models: name one with --model: x, y"));
}

TEST(JobMachine, TheProbeFillsInModelCalibrationAndLengths) {
  JobScenario s(TwoLevels());
  s.probed.set_fixed_output_length(false);
  s.Join("a").Start();
  EXPECT_EQ(s.machine().spec().endpoint.model, "m");
  EXPECT_EQ(s.machine().spec().workload.calibration.slope, 1.3);
  EXPECT_FALSE(s.machine().spec().workload.fixed_output_length);
  EXPECT_EQ(s.machine().spec().workload.nonce, "nonce");
  EXPECT_EQ(s.Count("WARN the endpoint refuses ignore_eos"), 1u);
}

TEST(JobMachine, AnotherAgentProbesWhenTheFirstIsLost) {
  JobScenario s(TwoLevels());
  s.Mute("PROBE", "a").Join("a").Join("b").Start().Lose("a");
  EXPECT_EQ(s.Count("PROBE b"), 1u);
  EXPECT_EQ(s.levels().size(), 1u);
}

TEST(JobMachine, AProbeWithoutAnswerNamesTheAgent) {
  JobScenario s(TwoLevels());
  s.Mute("PROBE").Join("a").Start().Wait(6 * 600 + 31);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->reason, "no agent answered PROBE; the last asked was a");
}

// ---- losses (what happens to whom in which phase: loss_table_test.cc) ----

TEST(JobMachine, ALossBeforeArmSplitsAnewWithTheNextAttempt) {
  JobScenario s(JobScenario::List({7}, 53));
  s.Mute("PREPARE").Join("a").Join("b").Join("c").Start().Lose("b");
  s.Unmute("PREPARE").Answer();
  EXPECT_EQ(s.Count("PREPARE a level 0 attempt 2 slots 0+4 requests 0+30"), 1u);
  EXPECT_EQ(s.Count("PREPARE c level 0 attempt 2 slots 4+3 requests 30+23"), 1u);
}

TEST(JobMachine, SurvivorsHaveStoppedBeforeTheNextAttempt) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Mute("CANCEL").Join("a").Join("b").Start().Lose("a").Wait(10);
  EXPECT_EQ(s.Count("PREPARE b level 0 attempt 2"), 0u);
  EXPECT_GE(s.Count("CANCEL b level 0 attempt 1"), 5u);  // re-sent until STOPPED
  s.Unmute("MEASURE").Answer().Wait(3);
  EXPECT_EQ(s.Count("PREPARE b level 0 attempt 2"), 1u);
}

TEST(JobMachine, ALevelRunsAgainAtMostTwice) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Start();
  for (int i = 0; i < 3; ++i) s.Lose("a").Join("a").Wait(3);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->reason,
            "concurrency 4 could not be measured in 3 attempts; the last: agent a lost: its lease "
            "lapsed");
}

TEST(JobMachine, BelowTheNeededCapacityItWaitsThenNamesWhatIsMissing) {
  JobScenario s(JobScenario::List({150}, 200));
  s.Mute("MEASURE").Join("a").Join("b").Start().Lose("b").Wait(30);
  EXPECT_FALSE(s.finished());
  s.Wait(40);
  ASSERT_TRUE(s.finished());
  EXPECT_THAT(s.end()->reason, HasSubstr("needs 1 more agent of 100 each"));
}

TEST(JobMachine, AnAgentThatComesWhileItWaitsIsTaken) {
  JobScenario s(JobScenario::List({150}, 200));
  s.Mute("MEASURE").Join("a").Join("b").Start().Lose("b").Wait(30);
  s.Unmute("MEASURE").Join("c").Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].parts[1].agent, "c");
}

TEST(JobMachine, AnAgentThatJoinsTwiceAsTheSameProcessLosesNothing) {
  JobScenario s(TwoLevels());
  s.Mute("MEASURE").Join("a").Start().Join("a").Unmute("MEASURE").Answer().Wait(3);
  EXPECT_EQ(s.Count("WARN agent a is lost"), 0u);
  EXPECT_TRUE(s.finished());
}

TEST(JobMachine, ALateJoinerIsIdleUntilTheNextLevel) {
  JobScenario s(TwoLevels());
  s.Mute("MEASURE").Join("a").Start().Join("late");
  EXPECT_EQ(s.Count("PREPARE late"), 0u);
  s.Unmute("MEASURE").Answer().Wait(1);
  EXPECT_EQ(s.Count("PREPARE late level 1 attempt 1"), 1u);
}

TEST(JobMachine, AnAgentThatCannotRunItsShareFailsALoneHostWithItsWords) {
  JobScenario s(JobScenario::List({4}, 20), /*one_host=*/true);
  s.Mute("PREPARE").Join("a").Start();
  s.Say(AgentReady{"a", {"job", 0, 1}, "no address for host", {}});
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->reason,
            "concurrency 4 cannot be run: agent a cannot run its share: no address for host");
}

TEST(JobMachine, MessagesOfAVoidAttemptChangeNothing) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Join("b").Start().Lose("a").Unmute("MEASURE").Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].parts[0].facts.measured.sent, 20u);
  const size_t before = s.log().size();
  s.Answer();
  EXPECT_EQ(s.log().size(), before);
}

TEST(JobMachine, CountsThatDoNotAddUpVoidTheAttempt) {
  JobScenario s(JobScenario::List({4}, 20));
  s.tamper = [](AgentStopped* stopped) {
    if (stopped->key.attempt == 1) stopped->snapshot.measured.ok -= 1;
  };
  s.Join("a").Start().Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_THAT(s.levels()[0].voided.at(0).reason,
              HasSubstr("its counts do not add up: measured sent 20, ok 19"));
}

TEST(JobMachine, ALastWordThatDiffersFromTheReportsVoidsTheAttempt) {
  JobScenario s(JobScenario::List({4}, 20));
  s.tamper = [](AgentStopped* stopped) {
    if (stopped->key.attempt > 1) return;
    stopped->snapshot.unmeasured.sent = stopped->snapshot.unmeasured.ok = 3;
  };
  s.Join("a").Start().Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_THAT(s.levels()[0].voided.at(0).reason, HasSubstr("differs from its reports"));
}

TEST(JobMachine, ARequestTooFewVoidsTheAttempt) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Start();
  s.Say(AgentShareDone{"a", {"job", 0, 1}}).Unmute("MEASURE").Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_THAT(s.levels()[0].voided.at(0).reason,
              HasSubstr("measured 0 requests where its share is 20"));
}

TEST(JobMachine, ASilentLoopIsKeptWithItsAgent) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE")
      .Join("a")
      .Start()
      .Say(AgentLoopSilent{"a", 2500})
      .Say(AgentLoopSilent{"a", 100});
  s.Unmute("MEASURE").Answer();
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].parts[0].loop_silent_ms, 2500u);
}

// ---- stopping ----

TEST(JobMachine, TheFirstStopDrainsAndKeepsWhatWasMeasured) {
  JobScenario s(TwoLevels());
  s.Mute("DONE").Join("a").Start().Say(StopJob{"interrupted", false});
  EXPECT_EQ(s.Count("STOP a level 0 attempt 1 drain 600000000000"), 1u);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kStopped);
  EXPECT_EQ(s.end()->reason, "interrupted");
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_TRUE(s.levels()[0].stopped_early);
  EXPECT_EQ(s.end()->levels_not_run, (std::vector<uint32_t>{8}));
}

TEST(JobMachine, TheSecondStopCancels) {
  JobScenario s(TwoLevels());
  s.Mute("DONE").Mute("STOP").Join("a").Start().Say(StopJob{"interrupted", false});
  EXPECT_FALSE(s.finished());
  s.Say(StopJob{"again", true});
  EXPECT_EQ(s.Count("CANCEL a"), 1u);
  EXPECT_TRUE(s.finished());
  EXPECT_EQ(s.levels().size(), 1u);
}

TEST(JobMachine, AStopBeforeMeasuringReportsNoLevel) {
  JobScenario s(TwoLevels());
  s.Mute("WARM").Join("a").Start().Say(StopJob{"interrupted", false});
  EXPECT_EQ(s.Count("CANCEL a"), 1u);
  ASSERT_TRUE(s.finished());
  EXPECT_TRUE(s.levels().empty());
}

TEST(JobMachine, AStopNeverWaitsForAnAgentThatDoesNotAnswer) {
  JobScenario s(TwoLevels());
  s.Mute("WARM").Mute("CANCEL").Join("a").Start().Say(StopJob{"interrupted", false}).Wait(31);
  EXPECT_TRUE(s.finished());
}

TEST(JobMachine, AStopWhileAgentsAreWaitedForEndsAtOnce) {
  JobScenario s(TwoLevels());
  s.Start().Say(StopJob{"interrupted", false});
  EXPECT_EQ(s.end()->end, JobEnd::kStopped);
}

TEST(JobMachine, TheGracePeriodEndsALevelThatDoesNotDrain) {
  JobSpec spec = JobScenario::List({4}, 20);
  spec.grace_period_seconds = 5;
  JobScenario s(spec);
  s.Mute("DONE").Join("a").Start().Wait(4.9);
  EXPECT_EQ(s.Count("STOP"), 0u);
  s.Wait(0.2);
  EXPECT_EQ(s.Count("STOP a level 0 attempt 1 drain 0"), 1u);
  EXPECT_TRUE(s.levels().at(0).drain_deadline_passed);
  EXPECT_FALSE(s.levels().at(0).stopped_early);
}

// A level on agent "a" that is capped at 10 s, with 5 s of grace; nothing is answered to MEASURE, so that
// reports are said one by one.
JobSpec CappedLevel() {
  JobSpec spec = JobScenario::List({4}, 20);
  spec.request_count.reset();
  spec.level_cap_seconds = 10;
  spec.grace_period_seconds = 5;
  return spec;
}

AgentFacts Starts(uint64_t sent) {
  AgentFacts facts{"a", {"job", 0, 1}, {}};
  facts.facts.measured.sent = sent;
  return facts;
}

TEST(JobMachine, TheGraceOfACappedLevelRunsFromTheAgentsOwnCap) {
  JobScenario s(CappedLevel());
  s.Mute("MEASURE").Join("a").Start().Wait(8).Say(Starts(3));
  s.Wait(14.9);  // T0 was at 8 s, the cap at 18 s
  EXPECT_EQ(s.Count("STOP"), 0u);
  s.Wait(0.2);
  EXPECT_EQ(s.Count("STOP a"), 1u);
}

TEST(JobMachine, AMeasuredStartAfterTheCapsTimeMovesTheDrainDeadline) {
  JobScenario s(CappedLevel());
  s.Mute("MEASURE").Join("a").Start().Say(Starts(3)).Wait(12).Say(Starts(1)).Wait(4.9);
  EXPECT_EQ(s.Count("STOP"), 0u);
  s.Wait(0.2);
  EXPECT_EQ(s.Count("STOP a"), 1u);
}

TEST(JobMachine, ACappedLevelDoesNotDrainBeforeAMeasuredStart) {
  JobScenario s(CappedLevel());
  s.Mute("MEASURE").Join("a").Start().Wait(60);
  EXPECT_EQ(s.Count("STOP"), 0u);
}

TEST(JobMachine, WhatVoidAttemptsSentIsCountedWhenTheJobFails) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("DONE").Join("a").Join("b").Join("c").Join("d").Start();
  s.Lose("a").Wait(5).Lose("b").Wait(5).Lose("c").Wait(5);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kFailed);
  EXPECT_EQ(s.end()->sent_without_level.requests, 3u * 20);
}

TEST(JobMachine, WhatAnAbandonedLevelSentIsCounted) {
  JobScenario s(TwoLevels());
  AgentFacts facts{"a", {"job", 0, 1}, {}};
  facts.facts.unmeasured.sent = 4;
  facts.facts.sent_output_tokens = 100;
  s.Mute("WARM").Join("a").Start().Say(facts).Say(StopJob{"interrupted", false});
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->sent_without_level.requests, 4u);
  EXPECT_EQ(s.end()->sent_without_level.output_tokens, 100u);
}

// ---- replay ----

std::vector<std::string> Replay(const JobScenario& s, const JobSpec& spec) {
  JobMachineOptions options;
  options.job_id = "job";
  options.nonce = "nonce";
  options.one_host = false;
  JobMachine machine(spec, options);
  std::vector<std::string> log;
  for (const auto& [event, now] : s.events()) {
    for (const JobEffect& effect : machine.Handle(event, now)) log.push_back(Describe(effect));
  }
  return log;
}

TEST(JobMachine, ReplayingTheEventsGivesTheSameEffects) {
  const JobSpec spec = Search(16, 200, true);
  JobScenario s(spec);
  s.judge = [](const LevelMeasurement& m) {
    return m.plan.concurrency <= 83 ? Verdict::kPass : Verdict::kFail;
  };
  s.Mute("MEASURE", "b").Join("a").Join("b").Start().Lose("b").Unmute("MEASURE", "b");
  s.Join("b").Join("c").Wait(600);
  ASSERT_TRUE(s.finished());
  EXPECT_GT(s.levels().size(), 5u);
  EXPECT_EQ(Replay(s, spec), s.log());
}

}  // namespace
}  // namespace tidemark
