#ifndef TIDEMARK_COORDINATOR_CORE_JOB_JOB_JOURNAL_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_JOB_JOURNAL_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/core/job/job_machine.h"
#include "proto/tidemark/v1/journal.pb.h"

namespace tidemark {

// What a journal says of a job.
struct JobJournal {
  std::optional<JobResume> resume;      // nothing: it had not begun
  std::vector<v1::LevelResult> levels;  // finished, as they were kept
  std::vector<v1::Note> notes;
};

// Reads a journal, in the order in which it was written. An attempt that was begun and neither finished nor
// void was cut by the end of the coordinator: it is void. DataLoss: an entry that cannot be. Pure.
absl::StatusOr<JobJournal> ReadJournal(const std::vector<v1::JournalEntry>& entries);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_JOB_JOURNAL_H_
