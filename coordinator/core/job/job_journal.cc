#include "coordinator/core/job/job_journal.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "coordinator/core/job/journal_codec.h"

namespace tidemark {
namespace {

class JournalReader {
 public:
  absl::Status Read(const v1::JournalEntry& entry) {
    switch (entry.kind_case()) {
      case v1::JournalEntry::kProbed:
        resume_.probe = ProbeTaken{entry.probed().report(), entry.probed().search_max()};
        return absl::OkStatus();
      case v1::JournalEntry::kAttemptBegun: return Begin(entry.attempt_begun());
      case v1::JournalEntry::kAttemptVoid: return Void(entry.attempt_void());
      case v1::JournalEntry::kLevelDone: return Finish(entry.level_done());
      case v1::JournalEntry::kNote:
        out_.notes.push_back(entry.note());
        return absl::OkStatus();
      default: return absl::DataLossError("journal: an entry of no known kind; was it written by a later version?");
    }
  }

  JobJournal Take(bool begun) {
    VoidWhatWasCut();
    if (begun) out_.resume = std::move(resume_);
    return std::move(out_);
  }

 private:
  // What follows an attempt that has no end yet was written by a later start.
  void VoidWhatWasCut() {
    if (open_) resume_.voided.push_back({*open_, "", "the coordinator was started anew; what it had sent until then is not known", {}});
    open_.reset();
  }

  absl::Status Begin(const v1::JournalAttempt& attempt) {
    if (attempt.level() != resume_.history.size()) {
      return absl::DataLossError(
          absl::StrCat("journal: an attempt of level ", attempt.level(), " after ", resume_.history.size(), " levels"));
    }
    if (attempt.attempt() <= resume_.attempts_begun) {
      return absl::DataLossError(absl::StrCat("journal: attempt ", attempt.attempt(), " of level ", attempt.level(),
                                              " after attempt ", resume_.attempts_begun));
    }
    VoidWhatWasCut();
    open_ = attempt.attempt();
    resume_.attempts_begun = attempt.attempt();
    return absl::OkStatus();
  }

  absl::Status Void(const v1::JournalVoid& entry) {
    open_.reset();
    resume_.voided.push_back(DecodeVoid(entry));
    resume_.sent_without_level.Add(resume_.voided.back().sent);
    return absl::OkStatus();
  }

  absl::Status Finish(const v1::JournalLevel& entry) {
    absl::StatusOr<LevelOutcome> outcome = DecodeOutcome(entry.outcome());
    if (!outcome.ok()) return outcome.status();
    open_.reset();
    resume_.attempts_begun = 0;
    resume_.voided.clear();
    if (entry.latency_us() > 0) {
      resume_.latency = static_cast<int64_t>(entry.latency_us()) * kNanosPerMicro;
      resume_.latency_seen_at = static_cast<uint32_t>(outcome->level);
    }
    resume_.history.push_back(*std::move(outcome));
    out_.levels.push_back(entry.result());
    return absl::OkStatus();
  }

  JobJournal out_;
  JobResume resume_;
  std::optional<uint32_t> open_;  // the attempt that was begun and has no end yet
};

}  // namespace

absl::StatusOr<JobJournal> ReadJournal(const std::vector<v1::JournalEntry>& entries) {
  JournalReader reader;
  for (const v1::JournalEntry& entry : entries) {
    absl::Status read = reader.Read(entry);
    if (!read.ok()) return read;
  }
  return reader.Take(!entries.empty());
}

}  // namespace tidemark
