#include "coordinator/driver/coordinator.h"

#include <utility>

#include "common/rng/random_id.h"
#include "coordinator/driver/coordinator_core.h"

namespace tidemark {

absl::StatusOr<std::unique_ptr<Coordinator>> Coordinator::Start(CoordinatorOptions options,
                                                               std::unique_ptr<JobStore> store,
                                                               CoordinatorMetrics* metrics, const Clock* clock) {
  std::vector<v1::StoredJob> jobs;
  if (store) {
    absl::StatusOr<std::vector<v1::StoredJob>> kept = store->Jobs();
    if (!kept.ok()) return kept.status();
    jobs = *std::move(kept);
  }
  return std::unique_ptr<Coordinator>(new Coordinator(std::make_unique<CoordinatorCore>(
      std::move(options), std::move(store), std::move(jobs), metrics, clock)));
}

Coordinator::Coordinator(std::unique_ptr<CoordinatorCore> core) : core_(std::move(core)) {}

Coordinator::~Coordinator() = default;

std::string Coordinator::Submit(LocalJob job) {
  std::string id = RandomId();
  core_->Run([core = core_.get(), id, job = std::move(job)]() mutable { core->Submit(id, std::move(job)); });
  return id;
}

void Coordinator::Shutdown() {
  core_->Run([core = core_.get()] { core->BeginShutdown(); });
}

void Coordinator::OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) {
  core_->Run([core = core_.get(), stream, agent_id] { core->Open(stream, agent_id); });
}

void Coordinator::OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) {
  core_->Run([core = core_.get(), stream, message = std::move(message)] {
    core->Receive(stream, message);
    stream->ReadNext();
  });
}

void Coordinator::OnClosed(const std::shared_ptr<AgentStream>& stream) {
  core_->Run([core = core_.get(), stream] { core->Closed(stream); });
}

void Coordinator::OnRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) {
  core_->TakeRecords(std::move(chunk), std::move(kept));
}

void Coordinator::CreateJob(v1::CreateJobRequest request, std::string created_by, Answer<v1::Job> answer) {
  core_->Run([core = core_.get(), request = std::move(request), created_by = std::move(created_by),
              answer = std::move(answer)] { answer(core->Create(request, created_by)); });
}

void Coordinator::DescribeJob(std::string job_id, Answer<v1::Job> answer) {
  core_->Run([core = core_.get(), job_id = std::move(job_id), answer = std::move(answer)] {
    answer(core->Describe(job_id));
  });
}

void Coordinator::ListJobs(v1::ListJobsRequest request, Answer<v1::ListJobsResponse> answer) {
  core_->Run([core = core_.get(), request = std::move(request), answer = std::move(answer)] {
    answer(core->List(request));
  });
}

void Coordinator::StopJob(v1::StopJobRequest request, Answer<v1::Job> answer) {
  core_->Run([core = core_.get(), request = std::move(request), answer = std::move(answer)] {
    answer(core->Stop(request.job_id(), request.now()));
  });
}

void Coordinator::DeleteJob(std::string job_id, Answer<v1::DeleteJobResponse> answer) {
  core_->Run([core = core_.get(), job_id = std::move(job_id), answer = std::move(answer)] {
    answer(core->Delete(job_id));
  });
}

void Coordinator::GetResult(std::string job_id, Answer<v1::GetResultResponse> answer) {
  core_->Run([core = core_.get(), job_id = std::move(job_id), answer = std::move(answer)] {
    answer(core->Result(job_id));
  });
}

void Coordinator::ListAgents(Answer<v1::ListAgentsResponse> answer) {
  core_->Run([core = core_.get(), answer = std::move(answer)] { answer(core->Agents()); });
}

void Coordinator::ArtifactFolder(std::string job_id, Answer<std::string> answer) {
  core_->Run([core = core_.get(), job_id = std::move(job_id), answer = std::move(answer)] {
    answer(core->ArtifactFolder(job_id));
  });
}

uint64_t Coordinator::Watch(v1::WatchJobRequest request, std::function<void(const v1::JobUpdate&)> update,
                            std::function<void(absl::Status)> ended) {
  const uint64_t watcher = core_->watchers().Add(request.job_id(), std::move(update), std::move(ended));
  core_->Run([core = core_.get(), watcher, request = std::move(request)] { core->Watch(watcher, request); });
  return watcher;
}

void Coordinator::Unwatch(uint64_t watcher) { core_->watchers().Remove(watcher); }

}  // namespace tidemark
