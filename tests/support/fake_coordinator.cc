#include "tests/support/fake_coordinator.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "common/job/job_state.h"

namespace tidemark::testing {

FakeCoordinator::~FakeCoordinator() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void FakeCoordinator::LoseCreateAnswers(int count) {
  MutexLock lock(mutex_);
  lose_ = count;
}

std::string FakeCoordinator::Add(const std::string& name) {
  MutexLock lock(mutex_);
  v1::CreateJobRequest request;
  request.set_client_request_id(absl::StrCat("request-", made_ + 1));
  request.set_job_yaml(absl::StrCat("name: ", name, "\n"));
  const std::string id = AddLocked(request, "test");
  Find(id)->job.set_name(name);
  return id;
}

std::string FakeCoordinator::AddLocked(const v1::CreateJobRequest& request, const std::string& created_by) {
  auto job = std::make_unique<FakeJob>();
  job->job.set_id(absl::StrCat("job-", ++made_));
  job->job.set_name(job->job.id());
  job->job.set_state(v1::RUNNING);
  job->job.set_created_at("2026-11-30T17:52:43.120Z");
  job->job.set_started_at("2026-11-30T17:52:44.120Z");
  job->job.set_client_request_id(request.client_request_id());
  job->job.set_created_by(created_by);
  job->job.set_job_yaml(request.job_yaml());
  jobs_.push_back(std::move(job));
  return jobs_.back()->job.id();
}

FakeCoordinator::FakeJob* FakeCoordinator::Find(const std::string& job_id) {
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->job.id() == job_id; });
  return found == jobs_.end() ? nullptr : found->get();
}

FakeCoordinator::FakeJob* FakeCoordinator::FindByRequest(const std::string& client_request_id) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const auto& job) { return job->job.client_request_id() == client_request_id; });
  return found == jobs_.end() ? nullptr : found->get();
}

void FakeCoordinator::Tell(const std::string& job_id, const v1::JobUpdate& update) {
  for (const auto& [number, watcher] : watchers_) {
    if (watcher.job_id == job_id) watcher.update(update);
  }
}

void FakeCoordinator::Say(const std::string& job_id, const v1::JobUpdate& update) {
  MutexLock lock(mutex_);
  Tell(job_id, update);
}

void FakeCoordinator::Level(const std::string& job_id, uint32_t concurrency) {
  MutexLock lock(mutex_);
  FakeJob& job = *Find(job_id);
  v1::JobUpdate update;
  update.mutable_level()->set_concurrency(concurrency);
  update.mutable_level()->mutable_measured()->set_ok(concurrency * 5);
  job.levels.push_back(update.level());
  job.job.set_levels_done(static_cast<uint32_t>(job.levels.size()));
  Tell(job_id, update);
}

void FakeCoordinator::Note(const std::string& job_id, const std::string& text, bool warning) {
  MutexLock lock(mutex_);
  v1::JobUpdate update;
  update.mutable_note()->set_text(text);
  update.mutable_note()->set_warning(warning);
  *Find(job_id)->job.add_notes() = update.note();
  Tell(job_id, update);
}

void FakeCoordinator::End(const std::string& job_id, v1::JobState state, const v1::Result& result) {
  MutexLock lock(mutex_);
  FakeJob& job = *Find(job_id);
  if (HasEnded(job.job)) return;
  job.job.set_state(state);
  job.job.set_ended_at("2026-11-30T17:53:00.000Z");
  if (state != v1::COMPLETED)
    job.job.set_failure_reason(state == v1::STOPPED ? "stopped by the user" : result.error().message());
  *job.job.mutable_answer() = result.answer();
  job.result = result;
  v1::JobUpdate update;
  *update.mutable_job() = job.job;
  Tell(job_id, update);
  for (const auto& [number, watcher] : watchers_) {
    if (watcher.job_id == job_id) watcher.ended(absl::OkStatus());
  }
}

void FakeCoordinator::SetArtifacts(const std::string& folder) {
  MutexLock lock(mutex_);
  artifacts_ = folder;
}

void FakeCoordinator::SetAgents(const v1::ListAgentsResponse& agents) {
  MutexLock lock(mutex_);
  agents_ = agents;
}

std::vector<v1::CreateJobRequest> FakeCoordinator::creates() {
  MutexLock lock(mutex_);
  return creates_;
}

std::vector<v1::StopJobRequest> FakeCoordinator::stops() {
  MutexLock lock(mutex_);
  return stops_;
}

std::vector<v1::WatchJobRequest> FakeCoordinator::watches() {
  MutexLock lock(mutex_);
  return watches_;
}

int FakeCoordinator::jobs() {
  MutexLock lock(mutex_);
  return static_cast<int>(jobs_.size());
}

int FakeCoordinator::watchers() {
  MutexLock lock(mutex_);
  return static_cast<int>(watchers_.size());
}

void FakeCoordinator::CreateJob(v1::CreateJobRequest request, std::string created_by, Answer<v1::Job> answer) {
  absl::StatusOr<v1::Job> made = absl::UnavailableError("the answer was lost");
  {
    MutexLock lock(mutex_);
    creates_.push_back(request);
    FakeJob* job = FindByRequest(request.client_request_id());
    if (job == nullptr) {
      job = Find(AddLocked(request, created_by));
      if (created) threads_.emplace_back([this, id = job->job.id()] { created(id); });
    }
    if (lose_ > 0) {
      --lose_;
    } else {
      made = job->job;
    }
  }
  answer(std::move(made));
}

void FakeCoordinator::DescribeJob(std::string job_id, Answer<v1::Job> answer) {
  absl::StatusOr<v1::Job> found = absl::NotFoundError(absl::StrCat("there is no job ", job_id));
  {
    MutexLock lock(mutex_);
    if (const FakeJob* job = Find(job_id)) found = job->job;
  }
  answer(std::move(found));
}

// The page token is the number of jobs that earlier pages had.
void FakeCoordinator::ListJobs(v1::ListJobsRequest request, Answer<v1::ListJobsResponse> answer) {
  v1::ListJobsResponse response;
  {
    MutexLock lock(mutex_);
    const size_t size = request.page_size() == 0 ? 50 : request.page_size();
    const size_t begin = request.page_token().empty() ? 0 : std::stoul(request.page_token());
    for (size_t i = begin; i < jobs_.size() && i < begin + size; ++i) {
      *response.add_jobs() = jobs_[jobs_.size() - 1 - i]->job;
    }
    if (begin + size < jobs_.size()) response.set_next_page_token(absl::StrCat(begin + size));
  }
  answer(std::move(response));
}

void FakeCoordinator::StopJob(v1::StopJobRequest request, Answer<v1::Job> answer) {
  {
    MutexLock lock(mutex_);
    if (Find(request.job_id()) != nullptr) stops_.push_back(request);
  }
  DescribeJob(request.job_id(), std::move(answer));
  if (stopped) {
    stopped(request.job_id(), request.now());
  } else {
    End(request.job_id(), v1::STOPPED);
  }
}

void FakeCoordinator::DeleteJob(std::string job_id, Answer<v1::DeleteJobResponse> answer) {
  absl::StatusOr<v1::DeleteJobResponse> deleted = absl::NotFoundError(absl::StrCat("there is no job ", job_id));
  {
    MutexLock lock(mutex_);
    const size_t before = jobs_.size();
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->job.id() == job_id; }),
                jobs_.end());
    if (jobs_.size() < before) deleted = v1::DeleteJobResponse();
  }
  answer(std::move(deleted));
}

void FakeCoordinator::GetResult(std::string job_id, Answer<v1::GetResultResponse> answer) {
  absl::StatusOr<v1::GetResultResponse> found = absl::NotFoundError(absl::StrCat("there is no job ", job_id));
  {
    MutexLock lock(mutex_);
    if (const FakeJob* job = Find(job_id)) {
      found = v1::GetResultResponse();
      *found->mutable_result() = job->result;
      if (!HasEnded(job->job)) found = absl::FailedPreconditionError(absl::StrCat(job_id, " is RUNNING"));
    }
  }
  answer(std::move(found));
}

void FakeCoordinator::ListAgents(Answer<v1::ListAgentsResponse> answer) {
  v1::ListAgentsResponse agents;
  {
    MutexLock lock(mutex_);
    agents = agents_;
  }
  answer(std::move(agents));
}

void FakeCoordinator::ArtifactFolder(std::string job_id, Answer<std::string> answer) {
  absl::StatusOr<std::string> folder = absl::NotFoundError(absl::StrCat("there is no job ", job_id));
  {
    MutexLock lock(mutex_);
    if (Find(job_id) != nullptr) folder = artifacts_;
  }
  answer(std::move(folder));
}

uint64_t FakeCoordinator::Watch(v1::WatchJobRequest request, std::function<void(const v1::JobUpdate&)> update,
                                std::function<void(absl::Status)> ended) {
  MutexLock lock(mutex_);
  watches_.push_back(request);
  const FakeJob* job = Find(request.job_id());
  if (job == nullptr) {
    ended(absl::NotFoundError(absl::StrCat("there is no job ", request.job_id())));
    return 0;
  }
  v1::JobUpdate first;
  *first.mutable_job() = job->job;
  update(first);
  for (size_t i = request.levels_known(); i < job->levels.size(); ++i) {
    v1::JobUpdate level;
    *level.mutable_level() = job->levels[i];
    update(level);
  }
  if (HasEnded(job->job)) {
    ended(absl::OkStatus());
    return 0;
  }
  watchers_[++last_watcher_] = {request.job_id(), std::move(update), std::move(ended)};
  return last_watcher_;
}

void FakeCoordinator::Unwatch(uint64_t watcher) {
  MutexLock lock(mutex_);
  watchers_.erase(watcher);
}

BenchmarkServer::BenchmarkServer(BenchmarkHandler* handler, Authorizer* authorizer, int port)
    : service_(NewBenchmarkService(handler, authorizer)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
}

BenchmarkServer::~BenchmarkServer() {
  if (server_) server_->Shutdown(std::chrono::system_clock::now());
}

}  // namespace tidemark::testing
