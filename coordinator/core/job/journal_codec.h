#ifndef TIDEMARK_COORDINATOR_CORE_JOB_JOURNAL_CODEC_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_JOURNAL_CODEC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/job/level_task.h"
#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/search/planner.h"
#include "proto/tidemark/v1/journal.pb.h"

// The job machine's values as journal.proto keeps them. Pure functions: thread-safe. Errors of decoding: DataLoss
// naming the field.
namespace tidemark {

v1::JournalAttempt EncodeAttempt(const LevelKey& key, uint32_t concurrency);

v1::JournalVoid EncodeVoid(const AttemptVoided& voided);
VoidedAttempt DecodeVoid(const v1::JournalVoid& entry);

v1::JournalOutcome EncodeOutcome(const LevelOutcome& outcome);
absl::StatusOr<LevelOutcome> DecodeOutcome(const v1::JournalOutcome& entry);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_JOURNAL_CODEC_H_
