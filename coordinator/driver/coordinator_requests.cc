// What the coordinator answers to the public API.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/job/job_state.h"
#include "common/log/log.h"
#include "common/rng/random_id.h"
#include "coordinator/core/job_spec/command_line.h"
#include "coordinator/core/job_spec/job_yaml.h"
#include "coordinator/driver/coordinator_core.h"
#include "coordinator/driver/job_messages.h"
#include "coordinator/driver/job_requests.h"

namespace tidemark {
namespace {

// In the place of a key that a job's command held.
constexpr char kKeyVariable[] = "KEY";

absl::Status NoSuchJob(const std::string& job_id) {
  return absl::NotFoundError(absl::StrCat("there is no job ", job_id));
}

absl::Status NotEnded(const v1::Job& job) {
  return absl::FailedPreconditionError(absl::StrCat(
      "job ", job.id(), " is ", v1::JobState_Name(job.state()), ": want one that has ended"));
}

void RemoveFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error)
    Log(LogLevel::kWarning, "a deleted job's files stay",
        {{"folder", folder}, {"error", error.message()}});
}

}  // namespace

// ---- jobs ---------------------------------------------------------------------------------------

void CoordinatorCore::Submit(const std::string& id, LocalJob job) {
  v1::StoredJob stored = NewJob(id, job.spec.name, std::move(job.job_yaml));
  for (std::string& word : job.command) stored.add_command(std::move(word));
  local_[id] = {std::move(job.spec), std::move(job.artifact_dir)};
  jobs_.Insert(std::move(stored));
  StartNext();
}

absl::StatusOr<v1::Job> CoordinatorCore::Create(const v1::CreateJobRequest& request,
                                                const std::string& created_by) {
  absl::StatusOr<JobSpec> spec = ParseClusterJob(request.job_yaml());
  if (!spec.ok()) return spec.status();
  const std::string yaml = ToYaml(*spec);
  if (v1::StoredJob* same = jobs_.FindByRequest(created_by, request.client_request_id())) {
    if (same->job().job_yaml() == yaml) return jobs_.Describe(*same);
    return absl::AlreadyExistsError(absl::StrCat("client_request_id is ",
                                                 request.client_request_id(), ": job ",
                                                 same->job().id(), " has it, and is another job"));
  }
  if (jobs_.size() >= options_.max_jobs) {
    return absl::ResourceExhaustedError(absl::StrCat(
        options_.max_jobs, " jobs are kept, as many as --max-jobs: delete some that have ended"));
  }
  v1::StoredJob stored = NewJob(RandomId(), spec->name, yaml);
  stored.mutable_job()->set_client_request_id(request.client_request_id());
  stored.mutable_job()->set_created_by(created_by);
  for (const auto& [name, value] : spec->labels)
    (*stored.mutable_job()->mutable_labels())[name] = value;
  // The command says it already so; others may not.
  for (const std::string& word : WithoutSecretArguments({request.command().begin(), request.command().end()}, kKeyVariable)) {
    stored.add_command(word);
  }
  v1::StoredJob& job = jobs_.Insert(std::move(stored));
  if (absl::Status kept = Keep(job); !kept.ok()) {
    jobs_.Remove(std::string(job.job().id()));
    return kept;
  }
  const std::string id = job.job().id();
  StartNext();
  return jobs_.Describe(*jobs_.Find(id));
}

absl::StatusOr<v1::Job> CoordinatorCore::Describe(const std::string& job_id) {
  const v1::StoredJob* job = jobs_.Find(job_id);
  if (job == nullptr) return NoSuchJob(job_id);
  return jobs_.Describe(*job);
}

absl::StatusOr<v1::ListJobsResponse> CoordinatorCore::List(
    const v1::ListJobsRequest& request) const {
  return jobs_.List(request);
}

absl::StatusOr<v1::Job> CoordinatorCore::Stop(const std::string& job_id, bool now) {
  v1::StoredJob* job = jobs_.Find(job_id);
  if (job == nullptr) return NoSuchJob(job_id);
  if (HasEnded(job->job())) return jobs_.Describe(*job);
  const bool running = run_ && running_ == job_id;
  if (!running && job->job().state() == v1::QUEUED) {
    EndUnrun(*job, v1::STOPPED, kStoppedByUser);
    return jobs_.Describe(*job);
  }
  job->set_stop_now(job->stop_now() || now);
  if (job->job().state() != v1::STOPPING) {
    job->mutable_job()->set_state(v1::STOPPING);
    Publish(*job);
  }
  LogIfBad("a stop cannot be kept", Keep(*job));
  if (running) run_->Handle(tidemark::StopJob{kStoppedByUser, now});
  return jobs_.Describe(*job);
}

absl::StatusOr<v1::DeleteJobResponse> CoordinatorCore::Delete(const std::string& job_id) {
  v1::StoredJob* job = jobs_.Find(job_id);
  if (job == nullptr) return NoSuchJob(job_id);
  if (!HasEnded(job->job())) return NotEnded(job->job());
  if (store_) {
    absl::Status deleted = store_->Delete(job_id);
    if (!deleted.ok() && !absl::IsNotFound(deleted)) return deleted;
  }
  results_.erase(job_id);
  jobs_.Remove(job_id);
  if (local_.count(job_id) == 0) disk_.Post([folder = FolderOf(job_id)] { RemoveFolder(folder); });
  return v1::DeleteJobResponse();
}

absl::StatusOr<v1::GetResultResponse> CoordinatorCore::Result(const std::string& job_id) {
  v1::StoredJob* job = jobs_.Find(job_id);
  if (job == nullptr) return NoSuchJob(job_id);
  if (!HasEnded(job->job())) return NotEnded(job->job());
  v1::GetResultResponse response;
  absl::StatusOr<v1::Result> result = ResultOf(job_id);
  if (!result.ok()) return result.status();
  *response.mutable_result() = *std::move(result);
  return response;
}

absl::StatusOr<std::string> CoordinatorCore::ArtifactFolder(const std::string& job_id) {
  v1::StoredJob* job = jobs_.Find(job_id);
  if (job == nullptr) return NoSuchJob(job_id);
  if (!HasEnded(job->job())) return NotEnded(job->job());
  return FolderOf(job_id);
}

v1::ListAgentsResponse CoordinatorCore::Agents() const {
  v1::ListAgentsResponse out;
  for (const AgentStatus& agent : hub_.Agents()) *out.add_agents() = ToProto(agent);
  std::sort(out.mutable_agents()->begin(), out.mutable_agents()->end(),
            [](const v1::Agent& a, const v1::Agent& b) { return a.id() < b.id(); });
  out.set_capacity(hub_.TotalStreams());
  return out;
}

void CoordinatorCore::Watch(uint64_t watcher, const v1::WatchJobRequest& request) {
  if (shutting_down_) return watchers_.End(watcher, absl::UnavailableError(kShutsDown));
  const v1::StoredJob* job = jobs_.Find(request.job_id());
  if (job == nullptr) return watchers_.End(watcher, NoSuchJob(request.job_id()));
  const bool ended = HasEnded(job->job());
  if (!ended) watchers_.Tell(watcher, JobChanged(jobs_.Describe(*job)));
  for (const v1::LevelResult& level : LevelsOf(*job, request.levels_known())) {
    watchers_.Tell(watcher, LevelDone(level));
  }
  if (!ended) return watchers_.Follow(watcher);
  watchers_.Tell(watcher, JobChanged(jobs_.Describe(*job)));
  watchers_.End(watcher, absl::OkStatus());
}

// ---- the store ----------------------------------------------------------------------------------

absl::StatusOr<v1::Result> CoordinatorCore::ResultOf(const std::string& job_id) const {
  const auto kept = results_.find(job_id);
  if (kept != results_.end()) return kept->second;
  if (!store_) return absl::NotFoundError(absl::StrCat("job ", job_id, " has no result"));
  return store_->GetResult(job_id);
}

std::vector<v1::LevelResult> CoordinatorCore::LevelsOf(const v1::StoredJob& job,
                                                       uint32_t known) const {
  std::vector<v1::LevelResult> levels;
  if (run_ && running_ == job.job().id()) {
    levels = run_->levels();
  } else if (const absl::StatusOr<v1::Result> result = ResultOf(job.job().id()); result.ok()) {
    levels.assign(result->levels().begin(), result->levels().end());
  }
  levels.erase(levels.begin(), levels.begin() + std::min<size_t>(known, levels.size()));
  return levels;
}

}  // namespace tidemark
