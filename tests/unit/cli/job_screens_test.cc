#include "cli/job_screens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/job_view.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::Job SomeJob() {
  v1::Job job;
  job.set_id("job-1");
  job.set_name("llama");
  job.set_state(v1::COMPLETED);
  job.set_created_at("2026-11-30T17:52:43.120Z");
  job.set_created_by("alice");
  job.set_levels_done(3);
  job.mutable_answer()->set_headline("64 concurrent requests meet the SLAs");
  return job;
}

TEST(JobsTable, HasARowForEachJob) {
  v1::Job queued = SomeJob();
  queued.set_id("job-2");
  queued.set_state(v1::QUEUED);
  queued.set_queue_position(2);
  queued.clear_answer();
  EXPECT_EQ(JobsTable({SomeJob(), queued}, 200),
            "ID     NAME   STATE       LEVELS  CREATED (UTC)        BY     ANSWER\n"
            "job-1  llama  completed        3  2026-11-30 17:52:43  alice  64 concurrent requests meet the SLAs\n"
            "job-2  llama  queued (2)       3  2026-11-30 17:52:43  alice  -\n");
}

TEST(JobsTable, SaysThatThereAreNone) { EXPECT_EQ(JobsTable({}, 80), "no jobs\n"); }

TEST(JobsTable, AFailedJobShowsWhy) {
  v1::Job job = SomeJob();
  job.set_state(v1::FAILED);
  job.set_failure_reason("dns: no such host");
  EXPECT_THAT(JobsTable({job}, 200), HasSubstr("dns: no such host"));
}

TEST(JobText, HasNotesAndNoControlCharacters) {
  v1::Job job = SomeJob();
  v1::Note* note = job.add_notes();
  note->set_warning(true);
  note->set_text("agent a1 \x1b[2J was lost");
  (*job.mutable_labels())["team"] = "a";
  EXPECT_THAT(JobText(job),
              AllOf(HasSubstr("  Warning    agent a1"), HasSubstr("Labels     team=a"), Not(HasSubstr("\x1b"))));
}

TEST(AgentsTable, EndsWithTheSum) {
  v1::ListAgentsResponse agents;
  agents.set_capacity(1500);
  v1::Agent* agent = agents.add_agents();
  agent->set_id("a1");
  agent->set_state(v1::CUT_OFF);
  agent->set_capacity(1500);
  agent->set_capacity_source("open files");
  agent->set_weight(4);
  agent->set_cores(4);
  agent->set_clock_error_ms(0.25);
  EXPECT_THAT(AgentsTable(agents, 200), AllOf(HasSubstr("a1  cut off     1,500  open files"), HasSubstr("±0.250 ms"),
                                              HasSubstr("1 agent, up to 1,500 concurrent requests\n")));
  EXPECT_EQ(AgentsSummary(agents, "prod"), "1 agent of prod, up to 1,500 concurrent requests");
}

TEST(AgentsTable, WithoutAgentsSaysHowToGetThem) {
  EXPECT_THAT(AgentsTable(v1::ListAgentsResponse(), 80), HasSubstr("start tidemark-agent"));
}

TEST(WatchedSpec, ComesFromTheJobsOwnFile) {
  v1::Job job;
  job.set_job_yaml("{concurrency: [1, 2, 3], accept_undecided: true}");
  EXPECT_EQ(WatchedSpecOf(job).levels_planned, 3u);
  EXPECT_TRUE(WatchedSpecOf(job).accept_undecided);
  job.set_job_yaml("{of_a_later_version: 1}");
  EXPECT_EQ(WatchedSpecOf(job).levels_planned, 0u);
}

TEST(LiveProgressOfACluster, LeavesOutWhatIsNotKnown) {
  v1::LevelProgress progress;
  progress.set_level(2);
  progress.set_phase("measuring");
  const LiveProgress live = ToLiveProgress(progress, 7);
  EXPECT_EQ(live.level_number, 3u);
  EXPECT_EQ(live.levels_planned, 7u);
  EXPECT_FALSE(live.tokens_per_second || live.p99_ms || live.seconds_left);
}

}  // namespace
}  // namespace tidemark
