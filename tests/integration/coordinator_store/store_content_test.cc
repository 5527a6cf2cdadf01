// What is put into a store is what comes out of it, in this process and after the next start.
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/coordinator_store/store_fixture.h"

namespace tidemark::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreContent : public StoreTest {
 protected:
  StoreContent() { Open(); }
  void Reopen() {
    Close();
    Open();
  }
};

TEST_F(StoreContent, KeepsEveryFieldOfAJob) {
  v1::StoredJob job = MakeJob("a", 7, "nightly");
  (*job.mutable_job()->mutable_labels())["team"] = "search";
  (*job.mutable_job()->mutable_labels())["gpu"] = "h100";
  job.mutable_job()->add_notes()->set_text("warm");
  job.set_nonce("n0nce");
  job.add_command("tidemark");
  job.add_command("sweep");
  job.set_stop_now(true);
  ASSERT_TRUE(store_->PutJob(job).ok());
  Reopen();
  const auto jobs = store_->Jobs();
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().DebugString(), job.DebugString());
}

TEST_F(StoreContent, KeepsTextThatHoldsZeroBytes) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1, std::string("x\0y", 3))).ok());
  EXPECT_EQ(store_->Jobs()->front().job().name(), std::string("x\0y", 3));
}

TEST_F(StoreContent, GivesJobsByTheirNumbers) {
  for (const auto& [id, number] : {std::pair("c", 10), std::pair("a", 9), std::pair("b", 100)}) {
    ASSERT_TRUE(store_->PutJob(MakeJob(id, number)).ok());
  }
  EXPECT_THAT(JobIds(*store_), ElementsAre("a", "c", "b"));
}

TEST_F(StoreContent, ReplacesAJobByItsId) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1, "before")).ok());
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 2, "after")).ok());
  const auto jobs = store_->Jobs();
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().job().name(), "after");
  EXPECT_EQ(jobs->front().number(), 2u);
}

TEST_F(StoreContent, ReplacingAJobKeepsItsJournalAndItsResult) {
  ASSERT_TRUE(store_->Finish(MakeJob("a", 1), MakeResult("r")).ok());
  ASSERT_TRUE(store_->Append("a", MakeEntry("one")).ok());
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1, "after")).ok());
  EXPECT_THAT(JournalTexts(*store_, "a"), ElementsAre("one"));
  EXPECT_EQ(store_->GetResult("a")->name(), "r");
}

TEST_F(StoreContent, GivesAJournalInTheOrderOfItsEntries) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1)).ok());
  ASSERT_TRUE(store_->PutJob(MakeJob("b", 2)).ok());
  for (const char* text : {"z", "a", "m"}) {
    ASSERT_TRUE(store_->Append("a", MakeEntry(text)).ok());
    ASSERT_TRUE(store_->Append("b", MakeEntry("other")).ok());
  }
  Reopen();
  ASSERT_TRUE(store_->Append("a", MakeEntry("b")).ok());
  EXPECT_THAT(JournalTexts(*store_, "a"), ElementsAre("z", "a", "m", "b"));
}

TEST_F(StoreContent, AppendsToNoJobThatIsNotThere) {
  const absl::Status status = store_->Append("nobody", MakeEntry("x"));
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("nobody"));
  EXPECT_THAT(JournalTexts(*store_, "nobody"), IsEmpty());
}

TEST_F(StoreContent, FinishKeepsTheResultAndTheJobsLastState) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1)).ok());
  v1::StoredJob job = MakeJob("a", 1);
  job.mutable_job()->set_state(v1::COMPLETED);
  ASSERT_TRUE(store_->Finish(job, MakeResult("r")).ok());
  Reopen();
  EXPECT_EQ(store_->Jobs()->front().job().state(), v1::COMPLETED);
  EXPECT_EQ(store_->GetResult("a")->name(), "r");
}

TEST_F(StoreContent, FinishReplacesAnEarlierResult) {
  ASSERT_TRUE(store_->Finish(MakeJob("a", 1), MakeResult("before")).ok());
  ASSERT_TRUE(store_->Finish(MakeJob("a", 1), MakeResult("after")).ok());
  EXPECT_EQ(store_->GetResult("a")->name(), "after");
}

TEST_F(StoreContent, HasNoResultOfAJobThatRuns) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1)).ok());
  const absl::Status status = store_->GetResult("a").status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("job a"));
}

TEST_F(StoreContent, DeletesAJobWithItsJournalAndItsResult) {
  for (const char* id : {"a", "b"}) {
    ASSERT_TRUE(store_->Finish(MakeJob(id, 1), MakeResult(id)).ok());
    ASSERT_TRUE(store_->Append(id, MakeEntry(id)).ok());
  }
  ASSERT_TRUE(store_->Delete("a").ok());
  Reopen();
  EXPECT_THAT(JobIds(*store_), ElementsAre("b"));
  EXPECT_THAT(JournalTexts(*store_, "a"), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->GetResult("a").status()));
  EXPECT_THAT(JournalTexts(*store_, "b"), ElementsAre("b"));
  EXPECT_EQ(store_->GetResult("b")->name(), "b");
}

TEST_F(StoreContent, AJobThatTakesADeletedOnesIdStartsEmpty) {
  ASSERT_TRUE(store_->Finish(MakeJob("a", 1), MakeResult("r")).ok());
  ASSERT_TRUE(store_->Append("a", MakeEntry("old")).ok());
  ASSERT_TRUE(store_->Delete("a").ok());
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 2)).ok());
  EXPECT_THAT(JournalTexts(*store_, "a"), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->GetResult("a").status()));
}

TEST_F(StoreContent, DeletesNoJobThatIsNotThere) {
  const absl::Status status = store_->Delete("nobody");
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("nobody"));
}

TEST_F(StoreContent, TakesCallsOfManyThreads) {
  constexpr int kThreads = 4, kEntries = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      const std::string id = absl::StrCat("job", t);
      EXPECT_TRUE(store_->PutJob(MakeJob(id, static_cast<uint64_t>(t))).ok());
      for (int i = 0; i < kEntries; ++i) {
        EXPECT_TRUE(store_->Append(id, MakeEntry(absl::StrCat(i))).ok());
        EXPECT_TRUE(store_->Jobs().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> wanted;
  for (int i = 0; i < kEntries; ++i) wanted.push_back(absl::StrCat(i));
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(JournalTexts(*store_, absl::StrCat("job", t)), wanted);
}

}  // namespace
}  // namespace tidemark::testing
