#ifndef TIDEMARK_COORDINATOR_STORE_JOB_STORE_H_
#define TIDEMARK_COORDINATOR_STORE_JOB_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/session/fencing.h"
#include "proto/tidemark/v1/journal.pb.h"

namespace tidemark {

// The coordinator's memory on disk: one SQLite file (tidemark.db) in the data directory. What a call
// has written is there after a crash of the machine (WAL, synchronous FULL). While it is open, no other program can read
// the file. Thread-safe.
//
// Errors: ResourceExhausted "the disk is full: …" when a write found no room (nothing of it was kept; what was there
// is unharmed), DataLoss for a file that is damaged, Internal for the rest. All name the file.
class JobStore {
 public:
  // Makes the directory (0700) and the file when they are not there, locks the directory for the life of the store,
  // and bumps the epoch's counter. Errors: AlreadyExists naming the process that holds the directory (its pid);
  // FailedPrecondition for a schema newer than this build's, naming both versions; InvalidArgument for a path
  // that is no directory or cannot be written.
  static absl::StatusOr<std::unique_ptr<JobStore>> Open(const std::string& data_dir);
  virtual ~JobStore() = default;

  // The store's UUID and this start's counter (1 at the first).
  virtual const SessionEpoch& epoch() const = 0;

  // Inserts the job, or replaces what is kept of it (by job().id()).
  virtual absl::Status PutJob(const v1::StoredJob& job) = 0;
  // By their numbers.
  virtual absl::StatusOr<std::vector<v1::StoredJob>> Jobs() const = 0;

  // Adds to the job's journal. NotFound: no such job.
  virtual absl::Status Append(const std::string& job_id, const v1::JournalEntry& entry) = 0;
  // In the order in which they were appended.
  virtual absl::StatusOr<std::vector<v1::JournalEntry>> Journal(const std::string& job_id) const = 0;

  // The result and the job's last state, in one transaction.
  virtual absl::Status Finish(const v1::StoredJob& job, const v1::Result& result) = 0;
  // NotFound: the job has no result (yet).
  virtual absl::StatusOr<v1::Result> GetResult(const std::string& job_id) const = 0;

  // The job, its journal and its result. NotFound: no such job.
  virtual absl::Status Delete(const std::string& job_id) = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_STORE_JOB_STORE_H_
