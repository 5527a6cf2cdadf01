#include "coordinator/core/job/job_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/core/job/journal_codec.h"

namespace tidemark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A journal, entry by entry.
class Journal {
 public:
  Journal& Probed(uint64_t search_max = 0) {
    v1::JournalProbe& probe = *Add().mutable_probed();
    probe.mutable_report()->set_model("m");
    probe.set_search_max(search_max);
    return *this;
  }
  Journal& Begun(uint32_t level, uint32_t attempt) {
    *Add().mutable_attempt_begun() = EncodeAttempt({"job", level, attempt}, 8);
    return *this;
  }
  Journal& Void(uint32_t level, uint32_t attempt, SentTotals sent = {}) {
    *Add().mutable_attempt_void() = EncodeVoid({{"job", level, attempt}, 8, {attempt, "b", "lost", sent}});
    return *this;
  }
  Journal& Done(uint64_t concurrency, uint64_t latency_us = 0) {
    LevelOutcome outcome;
    outcome.level = concurrency;
    outcome.verdict = Verdict::kPass;
    v1::JournalLevel& level = *Add().mutable_level_done();
    *level.mutable_outcome() = EncodeOutcome(outcome);
    level.mutable_result()->set_concurrency(static_cast<uint32_t>(concurrency));
    level.set_latency_us(latency_us);
    return *this;
  }
  Journal& Note(const std::string& text) {
    Add().mutable_note()->set_text(text);
    return *this;
  }
  v1::JournalEntry& Add() { return entries_.emplace_back(); }

  JobJournal Read() const {
    const absl::StatusOr<JobJournal> journal = ReadJournal(entries_);
    EXPECT_TRUE(journal.ok()) << journal.status();
    return journal.ok() ? *journal : JobJournal();
  }
  JobResume Resume() const { return Read().resume.value_or(JobResume()); }
  std::string Error() const {
    const absl::Status status = ReadJournal(entries_).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    return std::string(status.message());
  }

 private:
  std::vector<v1::JournalEntry> entries_;
};

TEST(JobJournal, OfAJobThatHadNotBegunIsEmpty) {
  const JobJournal journal = Journal().Read();
  EXPECT_FALSE(journal.resume.has_value());
  EXPECT_THAT(journal.levels, IsEmpty());
}

TEST(JobJournal, AJobThatWasNotProbedIsToBeProbed) {
  const JobJournal journal = Journal().Note("waits for agents").Read();
  ASSERT_TRUE(journal.resume.has_value());
  EXPECT_FALSE(journal.resume->probe.has_value());
}

TEST(JobJournal, HoldsWhatTheProbeFound) {
  const JobResume resume = Journal().Probed(48).Resume();
  EXPECT_EQ(resume.probe->report.model(), "m");
  EXPECT_EQ(resume.probe->search_max, 48u);
}

TEST(JobJournal, HoldsTheFinishedLevelsInTheirOrder) {
  const JobJournal journal = Journal().Probed().Begun(0, 1).Done(16).Begun(1, 1).Done(4).Read();
  ASSERT_THAT(journal.levels, SizeIs(2));
  EXPECT_EQ(journal.levels[1].concurrency(), 4u);
  ASSERT_THAT(journal.resume->history, SizeIs(2));
  EXPECT_EQ(journal.resume->history[0].level, 16u);
  EXPECT_EQ(journal.resume->history[1].level, 4u);
}

TEST(JobJournal, HoldsItsNotes) {
  const JobJournal journal = Journal().Note("one").Probed().Note("two").Read();
  ASSERT_THAT(journal.notes, SizeIs(2));
  EXPECT_EQ(journal.notes[1].text(), "two");
}

TEST(JobJournal, AnAttemptThatTheEndCutIsVoid) {
  const JobResume resume = Journal().Probed().Begun(0, 1).Resume();
  EXPECT_EQ(resume.attempts_begun, 1u);
  ASSERT_THAT(resume.voided, SizeIs(1));
  EXPECT_EQ(resume.voided[0].attempt, 1u);
  EXPECT_THAT(resume.voided[0].reason, HasSubstr("started anew"));
}

TEST(JobJournal, EachAttemptThatAnEndCutIsVoid) {
  const JobResume resume = Journal().Probed().Begun(0, 1).Begun(0, 2).Resume();
  EXPECT_EQ(resume.attempts_begun, 2u);
  ASSERT_THAT(resume.voided, SizeIs(2));
  EXPECT_EQ(resume.voided[0].attempt, 1u);
  EXPECT_EQ(resume.voided[1].attempt, 2u);
}

TEST(JobJournal, AVoidAttemptIsVoidOnce) {
  const JobResume resume = Journal().Probed().Begun(0, 1).Void(0, 1).Begun(0, 2).Void(0, 2).Resume();
  ASSERT_THAT(resume.voided, SizeIs(2));
  EXPECT_EQ(resume.voided[1].agent, "b");
  EXPECT_EQ(resume.attempts_begun, 2u);
}

TEST(JobJournal, AFinishedLevelLeavesNothingOfItsAttempts) {
  const JobResume resume = Journal().Probed().Begun(0, 1).Void(0, 1).Begun(0, 2).Done(8).Resume();
  EXPECT_THAT(resume.voided, IsEmpty());
  EXPECT_EQ(resume.attempts_begun, 0u);
}

TEST(JobJournal, SumsWhatVoidAttemptsOfEveryLevelSent) {
  const JobResume resume =
      Journal().Probed().Begun(0, 1).Void(0, 1, {1, 20, 300}).Begun(0, 2).Done(8).Begun(1, 1).Void(1, 1, {4, 50, 600})
          .Resume();
  EXPECT_EQ(resume.sent_without_level.requests, 5u);
  EXPECT_EQ(resume.sent_without_level.output_tokens, 70u);
  EXPECT_EQ(resume.sent_without_level.input_tokens, 900u);
}

TEST(JobJournal, HoldsTheLatencyOfTheLastLevelThatHadOne) {
  const JobResume resume = Journal().Probed().Begun(0, 1).Done(4, 3'000'000).Begun(1, 1).Done(8, 0).Resume();
  EXPECT_EQ(resume.latency, 3'000'000'000);
  EXPECT_EQ(resume.latency_seen_at, 4u);
}

TEST(JobJournal, AnAttemptOfAnotherLevelIsRefused) {
  EXPECT_THAT(Journal().Probed().Begun(1, 1).Error(), HasSubstr("level 1 after 0 levels"));
}

TEST(JobJournal, AnAttemptThatComesBackIsRefused) {
  EXPECT_THAT(Journal().Probed().Begun(0, 2).Begun(0, 2).Error(), HasSubstr("attempt 2 of level 0 after attempt 2"));
  EXPECT_THAT(Journal().Probed().Begun(0, 0).Error(), HasSubstr("attempt 0 of level 0"));
}

TEST(JobJournal, AnEntryOfNoKnownKindIsRefused) {
  Journal journal;
  journal.Add();
  EXPECT_THAT(journal.Error(), HasSubstr("no known kind"));
}

}  // namespace
}  // namespace tidemark
