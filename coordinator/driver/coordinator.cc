#include "coordinator/driver/coordinator.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/files/whole_file.h"
#include "common/log/log.h"
#include "common/overloaded.h"
#include "common/rng/random_id.h"
#include "common/thread/serial_worker.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/core/job/job_journal.h"
#include "coordinator/core/job_spec/job_yaml.h"
#include "coordinator/driver/job_messages.h"
#include "coordinator/driver/job_requests.h"
#include "coordinator/driver/job_run.h"
#include "coordinator/driver/job_table.h"
#include "coordinator/driver/level_messages.h"
#include "coordinator/driver/record_store.h"
#include "coordinator/driver/watchers.h"
#include "coordinator/report/files.h"

namespace tidemark {
namespace {

// Beyond the lease, until agents of an earlier start have stopped for sure.
constexpr int64_t kQuietMargin = kNanosPerSecond;
constexpr char kStoppedByUser[] = "stopped by the user";

absl::Status NoSuchJob(const std::string& job_id) {
  return absl::NotFoundError(absl::StrCat("there is no job ", job_id));
}

absl::Status NotEnded(const v1::Job& job) {
  return absl::FailedPreconditionError(
      absl::StrCat("job ", job.id(), " is ", v1::JobState_Name(job.state()), ": want one that has ended"));
}

void RemoveFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) Log(LogLevel::kWarning, "a deleted job's files stay", {{"folder", folder}, {"error", error.message()}});
}

}  // namespace

// Everything but Submit, TakeRecords and the watchers runs on `worker_`.
class Coordinator::Core {
 public:
  Core(CoordinatorOptions options, std::unique_ptr<JobStore> store, const Clock* clock)
      : options_(std::move(options)),
        store_(std::move(store)),
        clock_(clock),
        started_at_(clock->MonotonicNanos()),
        hub_(HubOptions()),
        worker_(clock),
        disk_(clock) {
    Run([this] { Load(); });
  }

  ~Core() {
    worker_.Stop();
    disk_.Stop();
    watchers_.EndEvery(absl::UnavailableError("the coordinator shuts down"));
  }

  // Runs `task` on the coordinator's thread, does what follows from it, and sets the next wake-up.
  void Run(std::function<void()> task) {
    worker_.Post([this, task = std::move(task)] {
      task();
      Settle();
    });
  }

  Watchers& watchers() { return watchers_; }

  // ---- streams ------------------------------------------------------------------------------------

  void Open(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) {
    const StreamId id = ++last_stream_;
    streams_[id] = stream;
    id_of_[stream.get()] = id;
    hub_.StreamOpened(id, agent_id, clock_->MonotonicNanos());
  }

  void Receive(const std::shared_ptr<AgentStream>& stream, const v1::AgentMessage& message) {
    const auto found = id_of_.find(stream.get());
    if (found != id_of_.end()) hub_.Received(found->second, message, clock_->MonotonicNanos());
  }

  void Closed(const std::shared_ptr<AgentStream>& stream) {
    const auto found = id_of_.find(stream.get());
    if (found == id_of_.end()) return;
    const StreamId id = found->second;
    id_of_.erase(found);
    streams_.erase(id);
    hub_.StreamClosed(id, clock_->MonotonicNanos());
  }

  // On gRPC's thread: it may write to disk.
  absl::StatusOr<uint64_t> TakeRecords(const v1::RecordChunk& chunk) {
    const std::shared_ptr<RecordStore> records = CurrentRecords();
    if (!records) return absl::FailedPreconditionError("no job runs that wants records");
    absl::StatusOr<uint64_t> kept = records->Append(chunk);
    const absl::StatusOr<LevelKey> key = DecodeKey(chunk.key());
    if (!key.ok() || (kept.ok() && !records->PartOf(chunk.agent_id()).second)) return kept;
    AgentRecordsStored stored{chunk.agent_id(), *key, kept.ok() ? *kept : 0,
                              kept.ok() ? "" : std::string(kept.status().message())};
    Run([this, stored = std::move(stored)] { Raise(stored); });
    return kept;
  }

  // ---- jobs ---------------------------------------------------------------------------------------

  void Submit(const std::string& id, LocalJob job) {
    v1::StoredJob stored = NewJob(id, job.spec.name, std::move(job.job_yaml));
    for (std::string& word : job.command) stored.add_command(std::move(word));
    local_[id] = {std::move(job.spec), std::move(job.artifact_dir)};
    jobs_.Insert(std::move(stored));
    StartNext();
  }

  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request, const std::string& created_by) {
    absl::StatusOr<JobSpec> spec = ParseClusterJob(request.job_yaml());
    if (!spec.ok()) return spec.status();
    const std::string yaml = ToYaml(*spec);
    if (v1::StoredJob* same = jobs_.FindByRequest(request.client_request_id())) {
      if (same->job().job_yaml() == yaml) return jobs_.Describe(*same);
      return absl::AlreadyExistsError(absl::StrCat("client_request_id is ", request.client_request_id(),
                                                   ": job ", same->job().id(), " has it, and is another job"));
    }
    if (jobs_.size() >= options_.max_jobs) {
      return absl::ResourceExhaustedError(
          absl::StrCat(options_.max_jobs, " jobs are kept, as many as --max-jobs: delete some that have ended"));
    }
    v1::StoredJob stored = NewJob(RandomId(), spec->name, yaml);
    stored.mutable_job()->set_client_request_id(request.client_request_id());
    stored.mutable_job()->set_created_by(created_by);
    for (const auto& [name, value] : spec->labels) (*stored.mutable_job()->mutable_labels())[name] = value;
    *stored.mutable_command() = request.command();
    v1::StoredJob& job = jobs_.Insert(std::move(stored));
    if (absl::Status kept = Keep(job); !kept.ok()) {
      jobs_.Remove(std::string(job.job().id()));
      return kept;
    }
    const std::string id = job.job().id();
    StartNext();
    return jobs_.Describe(*jobs_.Find(id));
  }

  absl::StatusOr<v1::Job> Describe(const std::string& job_id) {
    const v1::StoredJob* job = jobs_.Find(job_id);
    if (job == nullptr) return NoSuchJob(job_id);
    return jobs_.Describe(*job);
  }

  absl::StatusOr<v1::ListJobsResponse> List(const v1::ListJobsRequest& request) const { return jobs_.List(request); }

  absl::StatusOr<v1::Job> Stop(const std::string& job_id, bool now) {
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

  absl::StatusOr<v1::DeleteJobResponse> Delete(const std::string& job_id) {
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

  absl::StatusOr<v1::GetResultResponse> Result(const std::string& job_id) {
    v1::StoredJob* job = jobs_.Find(job_id);
    if (job == nullptr) return NoSuchJob(job_id);
    if (!HasEnded(job->job())) return NotEnded(job->job());
    v1::GetResultResponse response;
    absl::StatusOr<v1::Result> result = ResultOf(job_id);
    if (!result.ok()) return result.status();
    *response.mutable_result() = *std::move(result);
    return response;
  }

  absl::StatusOr<std::string> ArtifactFolder(const std::string& job_id) {
    v1::StoredJob* job = jobs_.Find(job_id);
    if (job == nullptr) return NoSuchJob(job_id);
    if (!HasEnded(job->job())) return NotEnded(job->job());
    return FolderOf(job_id);
  }

  v1::ListAgentsResponse Agents() const {
    v1::ListAgentsResponse out;
    for (const AgentStatus& agent : hub_.Agents()) *out.add_agents() = ToProto(agent);
    std::sort(out.mutable_agents()->begin(), out.mutable_agents()->end(),
              [](const v1::Agent& a, const v1::Agent& b) { return a.id() < b.id(); });
    out.set_capacity(hub_.TotalStreams());
    return out;
  }

  // What there is to know now, and then all that happens. Of a job that has ended the levels come first, for
  // nothing follows the word that it has ended.
  void Watch(uint64_t watcher, const v1::WatchJobRequest& request) {
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

  // Load stops at once; the lease would end it within seconds anyway.
  void BeginShutdown() {
    shutting_down_ = true;
    if (run_ && hub_.level()) {
      for (const AgentStatus& agent : hub_.Agents()) {
        if (!agent.in_level) continue;
        hub_.Tell(agent.info.id, CancelMessage({agent.info.id, *hub_.level(), "the coordinator shuts down"}));
      }
    }
    watchers_.EndEvery(absl::UnavailableError("the coordinator shuts down"));
  }

 private:
  struct Local {
    JobSpec spec;
    std::string artifact_dir;
  };

  AgentHubOptions HubOptions() const {
    AgentHubOptions options;
    options.epoch = store_ ? store_->epoch() : SessionEpoch{RandomId(), 1};
    options.lease = options_.lease;
    options.heartbeat = options_.heartbeat;
    options.max_agents = options_.max_agents;
    return options;
  }

  int64_t Now() const { return clock_->MonotonicNanos(); }
  std::string Calendar() const { return Rfc3339(clock_->WallNanos()); }

  static void LogIfBad(const char* what, const absl::Status& status) {
    if (!status.ok()) Log(LogLevel::kError, what, {{"error", std::string(status.message())}});
  }

  // ---- the store ----------------------------------------------------------------------------------

  absl::Status Keep(const v1::StoredJob& job) { return store_ ? store_->PutJob(job) : absl::OkStatus(); }

  void Load() {
    if (!store_) return;
    absl::StatusOr<std::vector<v1::StoredJob>> jobs = store_->Jobs();
    LogIfBad("the store's jobs cannot be read", jobs.status());
    if (!jobs.ok()) return;
    for (v1::StoredJob& job : *jobs) jobs_.Insert(std::move(job));
    StartNext();
  }

  v1::StoredJob NewJob(const std::string& id, const std::string& name, std::string yaml) const {
    v1::StoredJob stored;
    v1::Job& job = *stored.mutable_job();
    job.set_id(id);
    job.set_name(name);
    job.set_state(v1::QUEUED);
    job.set_created_at(Calendar());
    job.set_job_yaml(std::move(yaml));
    stored.set_nonce(RandomId());
    return stored;
  }

  std::string FolderOf(const std::string& job_id) const {
    const auto local = local_.find(job_id);
    return local != local_.end() ? local->second.artifact_dir : absl::StrCat(options_.results_dir, "/", job_id);
  }

  absl::StatusOr<v1::Result> ResultOf(const std::string& job_id) const {
    const auto kept = results_.find(job_id);
    if (kept != results_.end()) return kept->second;
    if (!store_) return absl::NotFoundError(absl::StrCat("job ", job_id, " has no result"));
    return store_->GetResult(job_id);
  }

  std::vector<v1::LevelResult> LevelsOf(const v1::StoredJob& job, uint32_t known) const {
    std::vector<v1::LevelResult> levels;
    if (run_ && running_ == job.job().id()) {
      levels = run_->levels();
    } else if (const absl::StatusOr<v1::Result> result = ResultOf(job.job().id()); result.ok()) {
      levels.assign(result->levels().begin(), result->levels().end());
    }
    levels.erase(levels.begin(), levels.begin() + std::min<size_t>(known, levels.size()));
    return levels;
  }

  // ---- the job that runs --------------------------------------------------------------------------

  void StartNext() {
    while (!run_ && !ending_ && !shutting_down_) {
      v1::StoredJob* job = jobs_.Next();
      if (job == nullptr) return;
      const absl::Status started = Start(*job);
      if (!started.ok()) EndUnrun(*job, v1::FAILED, std::string(started.message()));
    }
  }

  absl::Status Start(v1::StoredJob& job) {
    const std::string id = job.job().id();
    absl::StatusOr<JobSpec> spec = SpecOf(job);
    if (!spec.ok()) return spec.status();
    absl::StatusOr<JobJournal> journal = JournalOf(id);
    if (!journal.ok()) return journal.status();
    if (job.job().state() == v1::QUEUED) {
      job.mutable_job()->set_state(v1::RUNNING);
      job.mutable_job()->set_started_at(Calendar());
    } else {
      Log(LogLevel::kWarning, "goes on with a job of an earlier start", {{"job", id}});
    }
    absl::Status kept = Keep(job);
    if (!kept.ok()) return kept;
    for (const v1::Note& note : journal->notes) AddNote(*job.mutable_job(), note.warning(), note.text());
    SetRecords(std::make_shared<RecordStore>(FolderOf(id)));
    running_ = id;
    run_ = std::make_unique<JobRun>(RunOptions(job, *std::move(spec), *std::move(journal)), RunEvents(id),
                                    CurrentRecords(), &hub_, clock_);
    Publish(job);
    run_->Begin();
    if (job.job().state() == v1::STOPPING) run_->Handle(tidemark::StopJob{kStoppedByUser, job.stop_now()});
    return absl::OkStatus();
  }

  absl::StatusOr<JobSpec> SpecOf(const v1::StoredJob& job) const {
    const auto local = local_.find(job.job().id());
    if (local != local_.end()) return local->second.spec;
    return ParseClusterJob(job.job().job_yaml());
  }

  absl::StatusOr<JobJournal> JournalOf(const std::string& job_id) const {
    if (!store_) return JobJournal();
    const absl::StatusOr<std::vector<v1::JournalEntry>> entries = store_->Journal(job_id);
    if (!entries.ok()) return entries.status();
    return ReadJournal(*entries);
  }

  JobRunOptions RunOptions(const v1::StoredJob& job, JobSpec spec, JobJournal journal) const {
    JobRunOptions options;
    options.machine.job_id = job.job().id();
    options.machine.nonce = job.nonce();
    options.machine.one_host = options_.one_host;
    options.machine.agent_wait = options_.agent_wait;
    if (store_ && store_->epoch().counter > 1) options.machine.quiet_until = started_at_ + options_.lease + kQuietMargin;
    options.machine.resume = std::move(journal.resume);
    options.levels = std::move(journal.levels);
    options.record = RecordOf(job);
    for (const v1::Note& note : journal.notes) {
      if (note.warning()) options.record.warnings.push_back(note.text());
    }
    options.spec = std::move(spec);
    return options;
  }

  JobRecord RecordOf(const v1::StoredJob& job) const {
    JobRecord record;
    record.job_id = job.job().id();
    record.nonce = job.nonce();
    record.tool_version = options_.tool_version;
    record.started_at = job.job().started_at();
    record.job_yaml = job.job().job_yaml();
    record.command.assign(job.command().begin(), job.command().end());
    record.environment = options_.environment;
    return record;
  }

  JobRunEvents RunEvents(const std::string& id) {
    JobRunEvents events;
    if (store_) {
      events.journal = [this, id](const v1::JournalEntry& entry) { return store_->Append(id, entry); };
    }
    events.probed = [this, id](const JobSpec& spec, const v1::Probed& probe) { Note(id, false, DescribeProbe(spec, probe)); };
    events.live = [this, id](const LiveLevel& live, const MeasuredFacts&) { watchers_.TellAll(id, Progress(live)); };
    events.level_finished = [this, id](const v1::LevelResult& level) {
      if (v1::StoredJob* job = jobs_.Find(id)) job->mutable_job()->set_levels_done(job->job().levels_done() + 1);
      watchers_.TellAll(id, LevelDone(level));
    };
    events.say = [this, id](bool warning, const std::string& text) { Note(id, warning, text); };
    return events;
  }

  void Note(const std::string& job_id, bool warning, const std::string& text) {
    if (v1::StoredJob* job = jobs_.Find(job_id)) AddNote(*job->mutable_job(), warning, text);
    v1::JobUpdate update;
    update.mutable_note()->set_warning(warning);
    update.mutable_note()->set_text(text);
    watchers_.TellAll(job_id, update);
    Log(warning ? LogLevel::kWarning : LogLevel::kInfo, text, {{"job", job_id}});
  }

  void Publish(const v1::StoredJob& job) { watchers_.TellAll(job.job().id(), JobChanged(jobs_.Describe(job))); }

  // The files are written while agents are still heard, and the job ends when they are there.
  void EndRun() {
    JobRunEnd end = run_->TakeEnd();
    run_.reset();
    SetRecords(nullptr);
    ending_ = true;
    const std::string id = running_;
    if (local_.count(id) > 0) return Conclude(id, std::move(end), absl::OkStatus());
    disk_.Post([this, id, folder = FolderOf(id), end = std::move(end)]() mutable {
      absl::Status written = WriteFiles(folder, end.result);
      Run([this, id, end = std::move(end), written] { Conclude(id, end, written); });
    });
  }

  static absl::Status WriteFiles(const std::string& folder, const v1::Result& result) {
    for (const ReportFile& file : ResultFiles(result)) {
      absl::Status written = WriteWholeFile(absl::StrCat(folder, "/", file.path), file.content);
      if (!written.ok()) return written;
    }
    return absl::OkStatus();
  }

  void Conclude(const std::string& id, JobRunEnd end, const absl::Status& written) {
    ending_ = false;
    v1::StoredJob* job = jobs_.Find(id);
    if (job == nullptr) return StartNext();
    const v1::JobState states[] = {v1::COMPLETED, v1::STOPPED, v1::FAILED};
    SetEnded(*job, states[static_cast<int>(end.end)], end.reason);
    if (!written.ok()) SetEnded(*job, v1::FAILED, std::string(written.message()));
    *job->mutable_job()->mutable_answer() = end.result.answer();
    KeepEnd(*job, std::move(end.result));
    StartNext();
  }

  void SetEnded(v1::StoredJob& job, v1::JobState state, const std::string& reason) const {
    job.mutable_job()->set_state(state);
    job.mutable_job()->set_failure_reason(reason);
    job.mutable_job()->set_ended_at(Calendar());
  }

  // What the store has no room for is kept in memory at least.
  void KeepEnd(v1::StoredJob& job, v1::Result result) {
    absl::Status kept = store_ ? store_->Finish(job, result) : absl::OkStatus();
    if (!kept.ok()) {
      LogIfBad("the end of a job cannot be kept", kept);
      SetEnded(job, v1::FAILED, absl::StrCat("its result cannot be kept: ", kept.message()));
    }
    if (!store_ || !kept.ok()) results_[job.job().id()] = std::move(result);
    Publish(job);
    watchers_.EndAll(job.job().id(), absl::OkStatus());
  }

  // A job that never ran has a result too: of no level.
  void EndUnrun(v1::StoredJob& job, v1::JobState state, const std::string& reason) {
    SetEnded(job, state, reason);
    JobFinished finished;
    finished.end = state == v1::STOPPED ? JobEnd::kStopped : JobEnd::kFailed;
    finished.reason = reason;
    JobRecord record = RecordOf(job);
    record.ended_at = job.job().ended_at();
    const absl::StatusOr<JobSpec> spec = SpecOf(job);
    v1::Result result = ResultOfNoLevel(spec.ok() ? *spec : JobSpec(), record, finished);
    *job.mutable_job()->mutable_answer() = result.answer();
    KeepEnd(job, std::move(result));
  }

  // ---- what follows -------------------------------------------------------------------------------

  void Raise(const JobEvent& event) {
    if (run_) run_->Handle(event);
  }

  void Settle() {
    for (;;) {
      const std::vector<HubEffect> effects = hub_.TakeEffects();
      for (const HubEffect& effect : effects) Do(effect);
      if (run_ && run_->finished()) {
        EndRun();
      } else if (effects.empty()) {
        break;
      }
    }
    SetWakeUp();
  }

  void Do(const HubEffect& effect) {
    std::visit(Overloaded{
                   [this](const SendToAgent& e) {
                     if (const auto found = streams_.find(e.stream); found != streams_.end()) found->second->Send(e.message);
                   },
                   [this](const CloseAgentStream& e) {
                     if (const auto found = streams_.find(e.stream); found != streams_.end()) found->second->Close(e.reason);
                   },
                   [this](const RaiseJobEvent& e) { Raise(e.event); },
                   [](const HubLog& e) { Log(e.warning ? LogLevel::kWarning : LogLevel::kInfo, e.text); },
               },
               effect);
  }

  void SetWakeUp() {
    std::optional<int64_t> next = hub_.NextWake();
    if (run_) {
      if (const std::optional<int64_t> run = run_->NextWake()) next = next ? std::min(*next, *run) : *run;
    }
    if (!next) return;
    worker_.WakeAt(*next, [this] {
      hub_.OnTime(Now());
      if (run_) run_->OnTime();
      Settle();
    });
  }

  std::shared_ptr<RecordStore> CurrentRecords() {
    MutexLock lock(mutex_);
    return records_;
  }

  void SetRecords(std::shared_ptr<RecordStore> records) {
    MutexLock lock(mutex_);
    records_ = std::move(records);
  }

  const CoordinatorOptions options_;
  const std::unique_ptr<JobStore> store_;  // null: nothing outlives the process
  const Clock* const clock_;
  const int64_t started_at_;
  AgentHub hub_;
  StreamId last_stream_ = 0;
  std::map<StreamId, std::shared_ptr<AgentStream>> streams_;
  std::map<const AgentStream*, StreamId> id_of_;
  JobTable jobs_;
  std::map<std::string, Local> local_;
  std::map<std::string, v1::Result> results_;  // that the store does not have
  Watchers watchers_;
  std::string running_;          // id of run_'s job
  std::unique_ptr<JobRun> run_;  // null: none runs
  bool ending_ = false;          // the files of a job are written
  bool shutting_down_ = false;
  Mutex mutex_;
  std::shared_ptr<RecordStore> records_ TIDEMARK_GUARDED_BY(mutex_);  // of run_
  SerialWorker worker_;  // after all that it uses
  SerialWorker disk_;    // writes result files, so that agents need not wait for a disk
};

Coordinator::Coordinator(CoordinatorOptions options, std::unique_ptr<JobStore> store, const Clock* clock)
    : core_(std::make_unique<Core>(std::move(options), std::move(store), clock)) {}

Coordinator::~Coordinator() = default;

std::string Coordinator::Submit(LocalJob job) {
  const std::string id = RandomId();
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
  core_->Run([core = core_.get(), stream, message = std::move(message)] { core->Receive(stream, message); });
}

void Coordinator::OnClosed(const std::shared_ptr<AgentStream>& stream) {
  core_->Run([core = core_.get(), stream] { core->Closed(stream); });
}

absl::StatusOr<uint64_t> Coordinator::OnRecords(const v1::RecordChunk& chunk) { return core_->TakeRecords(chunk); }

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
