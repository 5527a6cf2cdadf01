#ifndef TIDEMARK_COORDINATOR_DRIVER_JOB_TABLE_H_
#define TIDEMARK_COORDINATOR_DRIVER_JOB_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/journal.pb.h"

namespace tidemark {

// Every job that is kept, and the order in which those that wait are run. Pure. Thread-compatible.
class JobTable {
 public:
  // The job gets the next number unless it has one. REQUIRES: its id is new. The reference stays valid until Remove.
  v1::StoredJob& Insert(v1::StoredJob job);
  void Remove(const std::string& job_id);

  v1::StoredJob* Find(const std::string& job_id);  // nullptr: no such job
  // Of one caller: what others call theirs is no matter.
  v1::StoredJob* FindByRequest(absl::string_view created_by, absl::string_view client_request_id);
  // The first, by number, that has not ended; nullptr: none waits.
  v1::StoredJob* Next();

  size_t size() const { return jobs_.size(); }
  size_t CountIn(v1::JobState state) const;

  // The job as others see it: with its place in the queue, and at most the latest notes.
  v1::Job Describe(const v1::StoredJob& job) const;

  // Newest first. InvalidArgument: page_size or page_token.
  absl::StatusOr<v1::ListJobsResponse> List(const v1::ListJobsRequest& request) const;

 private:
  std::map<uint64_t, v1::StoredJob> jobs_;  // by number
  std::map<std::string, uint64_t> number_of_;
  uint64_t last_number_ = 0;
};

// Appends a note; of many the latest hundred are kept.
void AddNote(v1::Job& job, bool warning, const std::string& text);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_JOB_TABLE_H_
