#include "coordinator/driver/job_table.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

v1::StoredJob JobOf(const std::string& id, v1::JobState state = v1::QUEUED) {
  v1::StoredJob job;
  job.mutable_job()->set_id(id);
  job.mutable_job()->set_state(state);
  return job;
}

v1::ListJobsRequest Page(uint32_t size, const std::string& token = "") {
  v1::ListJobsRequest request;
  request.set_page_size(size);
  request.set_page_token(token);
  return request;
}

TEST(JobTable, TheFirstThatHasNotEndedIsNext) {
  JobTable table;
  table.Insert(JobOf("a", v1::COMPLETED));
  table.Insert(JobOf("b"));
  table.Insert(JobOf("c"));
  EXPECT_EQ(table.Next()->job().id(), "b");
}

TEST(JobTable, ARequestIdIsItsCallersOwn) {
  JobTable table;
  v1::StoredJob job = JobOf("a");
  job.mutable_job()->set_created_by("alice");
  job.mutable_job()->set_client_request_id("r1");
  table.Insert(std::move(job));
  ASSERT_NE(table.FindByRequest("alice", "r1"), nullptr);
  EXPECT_EQ(table.FindByRequest("bob", "r1"), nullptr);
}

TEST(JobTable, ListsNewestFirstInPages) {
  JobTable table;
  for (const char* id : {"a", "b", "c"}) table.Insert(JobOf(id));
  const v1::ListJobsResponse first = *table.List(Page(2));
  ASSERT_EQ(first.jobs_size(), 2);
  EXPECT_EQ(first.jobs(0).id(), "c");
  const v1::ListJobsResponse second = *table.List(Page(2, first.next_page_token()));
  ASSERT_EQ(second.jobs_size(), 1);
  EXPECT_EQ(second.jobs(0).id(), "a");
  EXPECT_EQ(second.next_page_token(), "");
}

TEST(JobTable, APageGoesOnWhereItWasWhenJobsComeAndGo) {
  JobTable table;
  for (const char* id : {"a", "b", "c"}) table.Insert(JobOf(id));
  const v1::ListJobsResponse first = *table.List(Page(1));
  table.Remove("c");
  table.Insert(JobOf("d"));
  EXPECT_EQ(table.List(Page(1, first.next_page_token()))->jobs(0).id(), "b");
}

TEST(JobTable, APageThatIsTooLargeIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(JobTable().List(Page(101)).status()));
}

TEST(JobTable, AMadeUpPageTokenIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(JobTable().List(Page(1, "next")).status()));
}

TEST(JobTable, OfManyNotesTheLatestHundredAreKept) {
  v1::Job job;
  for (int i = 0; i < 101; ++i) AddNote(job, false, std::to_string(i));
  ASSERT_EQ(job.notes_size(), 100);
  EXPECT_EQ(job.notes(0).text(), "1");
  EXPECT_EQ(job.notes(99).text(), "100");
}

}  // namespace
}  // namespace tidemark
