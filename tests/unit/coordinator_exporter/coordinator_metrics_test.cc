#include "coordinator/exporter/coordinator_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/exposition.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using testing::Exposition;
using testing::LabelSet;
using ::testing::Not;

MeasuredFacts SomeFacts() {
  MeasuredFacts facts;
  facts.measured = {10, 7, 2, 1, 0};
  facts.unmeasured = {5, 3, 1, 1, 0};
  facts.failures = {{"http_429", 1}, {"timeout_total", 1}};
  facts.output_tokens = 700;
  facts.input_tokens = 70;
  facts.sent_output_tokens = 900;
  facts.sent_input_tokens = 90;
  facts.histogram(Metric::kTimeToFirstToken).Record(100'000, 7);
  facts.histogram(Metric::kInterTokenLatency).Record(2'000, 7);
  facts.histogram(Metric::kRequestLatency).Record(1'500'000, 7);
  return facts;
}

// A coordinator with job "j1" running, whose page is read after each step.
class CoordinatorMetricsTest : public ::testing::Test {
 protected:
  CoordinatorMetricsTest() { metrics_.StartJob("j1", "chat"); }

  void Run(uint32_t level, const MeasuredFacts* facts, uint32_t attempt = 1, LevelPhase phase = LevelPhase::kMeasuring) {
    LevelSnapshot snapshot;
    snapshot.key = {"j1", level, attempt};
    snapshot.phase = phase;
    snapshot.concurrency = 8 * (level + 1);
    snapshot.planned_requests = 100;
    snapshot.in_flight = 6;
    snapshot.facts = facts;
    metrics_.SetLevel(snapshot);
  }
  Exposition Page() const { return testing::ParseExposition(metrics_.Text()); }

  CoordinatorMetrics metrics_{"1.2.3"};
};

const LabelSet kLevel0 = {{"job_id", "j1"}, {"level", "0"}, {"attempt", "1"}, {"concurrency", "8"}};

LabelSet Level0(const LabelSet& more) {
  LabelSet labels = kLevel0;
  labels.insert(more.begin(), more.end());
  return labels;
}

TEST_F(CoordinatorMetricsTest, SaysItsVersionAndTheJob) {
  EXPECT_EQ(Page().Sum("tidemark_coordinator_build_info", {{"version", "1.2.3"}}), 1);
  EXPECT_EQ(Page().Sum("tidemark_job_info", {{"job_id", "j1"}, {"job_name", "chat"}}), 1);
}

TEST(CoordinatorMetrics, HasNoJobSeriesBeforeAJob) {
  const CoordinatorMetrics metrics("1");
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("job_id=")));
}

TEST_F(CoordinatorMetricsTest, ShowsTheRunningLevel) {
  Run(2, nullptr);
  EXPECT_EQ(Page().Sum("tidemark_level_index", {{"job_id", "j1"}}), 2);
  EXPECT_EQ(Page().Sum("tidemark_target_concurrency", {{"job_id", "j1"}}), 24);
  EXPECT_EQ(Page().Sum("tidemark_in_flight_requests", {{"job_id", "j1"}}), 6);
  EXPECT_EQ(Page().Sum("tidemark_level_phase", {{"phase", "measuring"}}), 1);
  EXPECT_EQ(Page().Sum("tidemark_level_phase"), 1) << "the others are 0";
  EXPECT_EQ(Page().Count("tidemark_level_phase"), 6u);
}

TEST_F(CoordinatorMetricsTest, CountsRequestsByPhaseAndOutcome) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  const Exposition page = Page();
  const auto requests = [&page](const char* phase, const char* outcome) {
    return page.Sum("tidemark_requests_total", Level0({{"phase", phase}, {"outcome", outcome}}));
  };
  EXPECT_EQ(requests("measure", "ok"), 7);
  EXPECT_EQ(requests("measure", "failed"), 2);
  EXPECT_EQ(requests("measure", "cancelled"), 1);
  EXPECT_EQ(requests("unmeasured", "ok"), 3);
  EXPECT_EQ(requests("unmeasured", "failed"), 1);
  EXPECT_EQ(requests("unmeasured", "cancelled"), 1);
  EXPECT_EQ(page.Sum("tidemark_requests_total"), 15);
}

TEST_F(CoordinatorMetricsTest, CountsFailuresByClass) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  EXPECT_EQ(Page().Sum("tidemark_request_failures_total", Level0({{"failure_class", "http_429"}})), 1);
  EXPECT_EQ(Page().Sum("tidemark_request_failures_total", Level0({{"failure_class", "timeout_total"}})), 1);
}

TEST_F(CoordinatorMetricsTest, GivesRareStatusesOneSeries) {
  MeasuredFacts facts;
  for (int status = 400; status < 600; ++status) facts.failures[absl::StrCat("http_", status)] = 1;
  Run(0, &facts);
  EXPECT_EQ(Page().Count("tidemark_request_failures_total"), 15u);
  EXPECT_EQ(Page().Sum("tidemark_request_failures_total"), 200);
  EXPECT_EQ(Page().Sum("tidemark_request_failures_total", {{"failure_class", "http_other"}}), 186);
}

TEST_F(CoordinatorMetricsTest, CountsTokens) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total", Level0({{"phase", "measure"}})), 700);
  EXPECT_EQ(Page().Sum("tidemark_input_tokens_total", Level0({{"phase", "measure"}})), 70);
  EXPECT_EQ(Page().Sum("tidemark_sent_output_tokens_total", kLevel0), 900);
  EXPECT_EQ(Page().Sum("tidemark_sent_input_tokens_total", kLevel0), 90);
}

TEST_F(CoordinatorMetricsTest, HasHistogramsInSeconds) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  const Exposition page = Page();
  EXPECT_EQ(page.Sum("tidemark_time_to_first_token_seconds_count", Level0({{"phase", "measure"}})), 7);
  EXPECT_DOUBLE_EQ(page.Sum("tidemark_time_to_first_token_seconds_sum", kLevel0), 0.7);
  EXPECT_DOUBLE_EQ(page.Sum("tidemark_inter_token_latency_seconds_sum", kLevel0), 0.014);
  EXPECT_DOUBLE_EQ(page.Sum("tidemark_request_latency_seconds_sum", kLevel0), 10.5);
  EXPECT_EQ(page.Sum("tidemark_request_latency_seconds_bucket", Level0({{"le", "1.310719"}})), 0);
  EXPECT_EQ(page.Sum("tidemark_request_latency_seconds_bucket", Level0({{"le", "1.572863"}})), 7);
}

TEST_F(CoordinatorMetricsTest, ShowsTheLatestFactsOnly) {
  MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  facts.Merge(SomeFacts());
  Run(0, &facts);
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total"), 1'400);
}

TEST_F(CoordinatorMetricsTest, KeepsFinishedLevels) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  metrics_.SetVerdict({"j1", 0, 1}, 8, v1::PASS, v1::VALID);
  Run(1, &facts);
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total"), 1'400);
  EXPECT_EQ(Page().Sum("tidemark_level_verdict_info", Level0({{"verdict", "PASS"}, {"validity", "valid"}})), 1);
  EXPECT_EQ(Page().Count("tidemark_level_verdict_info"), 1u);
}

TEST_F(CoordinatorMetricsTest, RunsNothingAfterTheVerdict) {
  Run(0, nullptr);
  metrics_.SetVerdict({"j1", 0, 1}, 8, v1::VERDICT_UNSPECIFIED, v1::SUSPECT);
  EXPECT_EQ(Page().Sum("tidemark_target_concurrency"), 0);
  EXPECT_EQ(Page().Sum("tidemark_in_flight_requests"), 0);
  EXPECT_EQ(Page().Sum("tidemark_level_phase"), 0);
  EXPECT_EQ(Page().Count("tidemark_level_index"), 0u);
  EXPECT_EQ(Page().Sum("tidemark_level_verdict_info", {{"verdict", "none"}, {"validity", "suspect"}}), 1);
}

TEST_F(CoordinatorMetricsTest, ShowsTheVerdictOfALevelItNeverSawRun) {
  metrics_.SetVerdict({"j1", 0, 1}, 8, v1::FAIL, v1::VALID);
  EXPECT_EQ(Page().Sum("tidemark_level_verdict_info", Level0({{"verdict", "FAIL"}})), 1);
}

TEST_F(CoordinatorMetricsTest, DropsAVoidAttemptWhole) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  metrics_.DropLevel({"j1", 0, 1});
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("attempt=")));
  EXPECT_EQ(Page().Sum("tidemark_in_flight_requests"), 0);
}

TEST_F(CoordinatorMetricsTest, ReplacesTheAttemptBeforeByTheNext) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  Run(0, nullptr, 2, LevelPhase::kPreparing);
  EXPECT_EQ(Page().Count("tidemark_requests_total"), 0u);
  EXPECT_EQ(Page().Count("tidemark_level_planned_requests", {{"attempt", "2"}}), 1u);
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("attempt=\"1\"")));
}

TEST_F(CoordinatorMetricsTest, DropsNoOtherAttempt) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts, 2);
  metrics_.DropLevel({"j1", 0, 1});
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total"), 700);
}

TEST_F(CoordinatorMetricsTest, KeepsTheLastJobUntilTheNextStarts) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  metrics_.EndJob("j1");
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total"), 700);
  EXPECT_EQ(Page().Sum("tidemark_in_flight_requests"), 0);
  metrics_.StartJob("j2", "next");
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("j1")));
}

TEST_F(CoordinatorMetricsTest, AnotherJobsEndLeavesTheGaugesOfTheOneThatRuns) {
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  const double in_flight = Page().Sum("tidemark_in_flight_requests");
  ASSERT_GT(in_flight, 0);
  metrics_.EndJob("a queued one");
  EXPECT_EQ(Page().Sum("tidemark_in_flight_requests"), in_flight);
}

TEST_F(CoordinatorMetricsTest, ARestoredLevelHasItsSeriesAndDoesNotRun) {
  const MeasuredFacts facts = SomeFacts();
  LevelSnapshot level;
  level.key = {"j1", 0, 1};
  level.facts = &facts;
  metrics_.RestoreLevel(level);
  EXPECT_EQ(Page().Sum("tidemark_output_tokens_total"), 700);
  EXPECT_EQ(Page().Count("tidemark_level_index"), 0u);
}

TEST_F(CoordinatorMetricsTest, TakesNothingOfAnotherJob) {
  metrics_.StartJob("j2", "next");
  const MeasuredFacts facts = SomeFacts();
  Run(0, &facts);
  metrics_.SetVerdict({"j1", 0, 1}, 8, v1::PASS, v1::VALID);
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("j1")));
}

TEST_F(CoordinatorMetricsTest, HasABoundedNumberOfLevels) {
  const MeasuredFacts facts = SomeFacts();
  for (uint32_t level = 0; level < 200; ++level) Run(level, &facts);
  EXPECT_EQ(Page().Count("tidemark_output_tokens_total"), CoordinatorMetrics::kLevelsShown);
  EXPECT_EQ(Page().Count("tidemark_output_tokens_total", {{"level", "199"}}), 1u);
}

TEST_F(CoordinatorMetricsTest, CountsJobsAgentsAndEvents) {
  metrics_.SetJobs({3, 1});
  metrics_.CountJobEnd(JobEndState::kFailed);
  metrics_.SetAgents({4, 2, 1, 700});
  metrics_.Count(CoordinatorEvent::kAgentLost);
  metrics_.Count(CoordinatorEvent::kAttemptVoid, 2);
  metrics_.Count(CoordinatorEvent::kStaleMessage, 3);
  metrics_.Count(CoordinatorEvent::kHelloRefused, 4);
  const Exposition page = Page();
  EXPECT_EQ(page.Sum("tidemark_jobs", {{"state", "queued"}}), 3);
  EXPECT_EQ(page.Sum("tidemark_jobs", {{"state", "running"}}), 1);
  EXPECT_EQ(page.Sum("tidemark_jobs_ended_total", {{"state", "failed"}}), 1);
  EXPECT_EQ(page.Sum("tidemark_jobs_ended_total"), 1);
  EXPECT_EQ(page.Sum("tidemark_agents", {{"state", "idle"}}), 4);
  EXPECT_EQ(page.Sum("tidemark_agents", {{"state", "busy"}}), 2);
  EXPECT_EQ(page.Sum("tidemark_agents", {{"state", "cut_off"}}), 1);
  EXPECT_EQ(page.Sum("tidemark_capacity_requests"), 700);
  EXPECT_EQ(page.Sum("tidemark_agents_lost_total"), 1);
  EXPECT_EQ(page.Sum("tidemark_attempts_void_total"), 2);
  EXPECT_EQ(page.Sum("tidemark_stale_messages_total"), 3);
  EXPECT_EQ(page.Sum("tidemark_hellos_refused_total"), 4);
}

}  // namespace
}  // namespace tidemark
