#include "coordinator/driver/job_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/job/job_state.h"

namespace tidemark {
namespace {

constexpr uint32_t kPage = 50;
constexpr uint32_t kLargestPage = 100;
constexpr int kMostNotes = 100;

bool IsAsked(const v1::ListJobsRequest& request, v1::JobState state) {
  return request.states().empty() ||
         std::find(request.states().begin(), request.states().end(), state) != request.states().end();
}

}  // namespace

void AddNote(v1::Job& job, bool warning, const std::string& text) {
  if (job.notes_size() == kMostNotes) job.mutable_notes()->erase(job.notes().begin());
  v1::Note* note = job.add_notes();
  note->set_warning(warning);
  note->set_text(text);
}

v1::StoredJob& JobTable::Insert(v1::StoredJob job) {
  if (job.number() == 0) job.set_number(last_number_ + 1);
  const uint64_t number = job.number();
  last_number_ = std::max(last_number_, number);
  number_of_[job.job().id()] = number;
  return jobs_[number] = std::move(job);
}

void JobTable::Remove(const std::string& job_id) {
  const auto found = number_of_.find(job_id);
  if (found == number_of_.end()) return;
  jobs_.erase(found->second);
  number_of_.erase(found);
}

v1::StoredJob* JobTable::Find(const std::string& job_id) {
  const auto found = number_of_.find(job_id);
  return found == number_of_.end() ? nullptr : &jobs_.at(found->second);
}

v1::StoredJob* JobTable::FindByRequest(absl::string_view created_by, absl::string_view client_request_id) {
  if (client_request_id.empty()) return nullptr;
  for (auto& [number, job] : jobs_) {
    if (job.job().client_request_id() == client_request_id && job.job().created_by() == created_by) return &job;
  }
  return nullptr;
}

v1::StoredJob* JobTable::Next() {
  for (auto& [number, job] : jobs_) {
    if (!HasEnded(job.job())) return &job;
  }
  return nullptr;
}

size_t JobTable::CountIn(v1::JobState state) const {
  return static_cast<size_t>(std::count_if(jobs_.begin(), jobs_.end(), [state](const auto& entry) {
    return entry.second.job().state() == state;
  }));
}

v1::Job JobTable::Describe(const v1::StoredJob& job) const {
  v1::Job out = job.job();
  if (out.state() != v1::QUEUED) return out;
  uint32_t position = 1;
  for (const auto& [number, other] : jobs_) {
    if (number >= job.number()) break;
    if (other.job().state() == v1::QUEUED) ++position;
  }
  out.set_queue_position(position);
  return out;
}

absl::StatusOr<v1::ListJobsResponse> JobTable::List(const v1::ListJobsRequest& request) const {
  if (request.page_size() > kLargestPage) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size is ", request.page_size(), ": want 1 to ", kLargestPage, ", or 0 for ", kPage));
  }
  const uint32_t size = request.page_size() == 0 ? kPage : request.page_size();
  uint64_t below = UINT64_MAX;
  if (!request.page_token().empty() && !absl::SimpleAtoi(request.page_token(), &below)) {
    return absl::InvalidArgumentError("page_token is not one that an earlier answer gave");
  }
  v1::ListJobsResponse out;
  for (auto at = jobs_.rbegin(); at != jobs_.rend(); ++at) {
    if (at->first >= below || !IsAsked(request, at->second.job().state())) continue;
    if (static_cast<uint32_t>(out.jobs_size()) == size) {
      out.set_next_page_token(absl::StrCat(below));
      break;
    }
    v1::Job* job = out.add_jobs();
    *job = Describe(at->second);
    job->clear_job_yaml();
    job->clear_notes();
    below = at->first;
  }
  return out;
}

}  // namespace tidemark
