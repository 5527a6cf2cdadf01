#include "coordinator/driver/coordinator_core.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/files/whole_file.h"
#include "common/log/log.h"
#include "common/overloaded.h"
#include "common/rng/random_id.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/driver/job_messages.h"
#include "coordinator/driver/job_requests.h"
#include "coordinator/driver/level_messages.h"
#include "coordinator/report/files.h"

namespace tidemark {
namespace {

// Beyond the lease, until agents of an earlier start have stopped for sure.
constexpr int64_t kQuietMargin = kNanosPerSecond;

// The journal knows them all; what the store has of the job itself is as old as the last change of its state.
void TakeProgress(const JobJournal& journal, v1::Job& job) {
  job.set_levels_done(static_cast<uint32_t>(journal.levels.size()));
  job.clear_notes();
  for (const v1::Note& note : journal.notes) AddNote(job, note.warning(), note.text());
}

}  // namespace

CoordinatorCore::CoordinatorCore(CoordinatorOptions options, std::unique_ptr<JobStore> store,
                                 std::vector<v1::StoredJob> jobs, CoordinatorMetrics* metrics,
                                 const Clock* clock)
    : options_(std::move(options)),
      store_(std::move(store)),
      clock_(clock),
      started_at_(clock->MonotonicNanos()),
      hub_(HubOptions()),
      meter_(metrics, &hub_, &jobs_),
      worker_(clock),
      disk_(clock) {
  for (v1::StoredJob& job : jobs) jobs_.Insert(std::move(job));
  Run([this] { StartNext(); });
}

CoordinatorCore::~CoordinatorCore() {
  worker_.Stop();
  disk_.Stop();
  watchers_.EndEvery(absl::UnavailableError(kShutsDown));
}

void CoordinatorCore::Run(std::function<void()> task) {
  worker_.Post([this, task = std::move(task)] {
    task();
    Settle();
  });
}

// ---- streams ------------------------------------------------------------------------------------

void CoordinatorCore::Open(const std::shared_ptr<AgentStream>& stream,
                           const std::string& agent_id) {
  const StreamId id = ++last_stream_;
  streams_[id] = stream;
  id_of_[stream.get()] = id;
  hub_.StreamOpened(id, agent_id, clock_->MonotonicNanos());
}

void CoordinatorCore::Receive(const std::shared_ptr<AgentStream>& stream,
                              const v1::AgentMessage& message) {
  const auto found = id_of_.find(stream.get());
  if (found != id_of_.end()) hub_.Received(found->second, message, clock_->MonotonicNanos());
}

void CoordinatorCore::Closed(const std::shared_ptr<AgentStream>& stream) {
  const auto found = id_of_.find(stream.get());
  if (found == id_of_.end()) return;
  const StreamId id = found->second;
  id_of_.erase(found);
  streams_.erase(id);
  hub_.StreamClosed(id, clock_->MonotonicNanos());
}

void CoordinatorCore::TakeRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept) {
  std::shared_ptr<RecordStore> records = CurrentRecords();
  if (!records) return kept(absl::FailedPreconditionError("no job runs that wants records"));
  if (const absl::Status admitted = records->Admit(chunk); !admitted.ok()) return kept(admitted);
  disk_.Post([this, records = std::move(records), chunk = std::move(chunk), kept = std::move(kept)] {
    kept(Store(*records, chunk));
  });
}

// On the disk's thread.
absl::StatusOr<uint64_t> CoordinatorCore::Store(RecordStore& records, const v1::RecordChunk& chunk) {
  absl::StatusOr<uint64_t> stored = records.Append(chunk);
  const absl::StatusOr<LevelKey> key = DecodeKey(chunk.key());
  if (!key.ok() || (stored.ok() && !records.IsComplete(chunk.agent_id()))) return stored;
  AgentRecordsStored event{chunk.agent_id(), *key, stored.value_or(0), std::string(stored.status().message())};
  Run([this, event = std::move(event)] { Raise(event); });
  return stored;
}

// ---- jobs ---------------------------------------------------------------------------------------

void CoordinatorCore::BeginShutdown() {
  shutting_down_ = true;
  if (run_ && hub_.level()) {
    for (const AgentStatus& agent : hub_.Agents()) {
      if (!agent.in_level) continue;
      hub_.Tell(agent.info.id,
                CancelMessage({agent.info.id, *hub_.level(), kShutsDown}));
    }
  }
  // What agents say of the cancelled attempt must neither make it theirs nor begin another: the next start finds it
  // cut, and goes on from there.
  run_.reset();
  SetRecords(nullptr);
  watchers_.EndEvery(absl::UnavailableError(kShutsDown));
}

AgentHubOptions CoordinatorCore::HubOptions() const {
  AgentHubOptions options;
  options.epoch = store_ ? store_->epoch() : SessionEpoch{RandomId(), 1};
  options.lease = options_.lease;
  options.heartbeat = options_.heartbeat;
  options.max_agents = options_.max_agents;
  return options;
}

int64_t CoordinatorCore::Now() const { return clock_->MonotonicNanos(); }

std::string CoordinatorCore::Calendar() const { return Rfc3339(clock_->WallNanos()); }

void CoordinatorCore::LogIfBad(const char* what, const absl::Status& status) {
  if (!status.ok()) Log(LogLevel::kError, what, {{"error", std::string(status.message())}});
}

// ---- the store ----------------------------------------------------------------------------------

absl::Status CoordinatorCore::Keep(const v1::StoredJob& job) {
  return store_ ? store_->PutJob(job) : absl::OkStatus();
}

v1::StoredJob CoordinatorCore::NewJob(const std::string& id, const std::string& name,
                                      std::string yaml) const {
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

std::string CoordinatorCore::FolderOf(const std::string& job_id) const {
  const auto local = local_.find(job_id);
  return local != local_.end() ? local->second.artifact_dir
                               : absl::StrCat(options_.results_dir, "/", job_id);
}

// ---- the job that runs --------------------------------------------------------------------------

void CoordinatorCore::StartNext() {
  while (!run_ && !ending_ && !shutting_down_) {
    v1::StoredJob* job = jobs_.Next();
    if (job == nullptr) return;
    const absl::Status started = Start(*job);
    if (!started.ok()) EndUnrun(*job, v1::FAILED, std::string(started.message()));
  }
}

absl::Status CoordinatorCore::Start(v1::StoredJob& job) {
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
  TakeProgress(*journal, *job.mutable_job());
  SetRecords(std::make_shared<RecordStore>(FolderOf(id)));
  disk_.Post([folder = FolderOf(id)] { RecordStore::RemoveStrayParts(folder); });
  running_ = id;
  run_ = std::make_unique<JobRun>(RunOptions(job, *std::move(spec), *std::move(journal)),
                                  RunEvents(id), CurrentRecords(), &hub_, clock_);
  meter_.StartJob(job.job(), run_->levels());
  Publish(job);
  run_->Begin();
  if (job.job().state() == v1::STOPPING)
    run_->Handle(tidemark::StopJob{kStoppedByUser, job.stop_now()});
  return absl::OkStatus();
}

absl::StatusOr<JobSpec> CoordinatorCore::SpecOf(const v1::StoredJob& job) const {
  const auto local = local_.find(job.job().id());
  if (local != local_.end()) return local->second.spec;
  return ParseClusterJob(job.job().job_yaml());
}

absl::StatusOr<JobJournal> CoordinatorCore::JournalOf(const std::string& job_id) const {
  if (!store_) return JobJournal();
  const absl::StatusOr<std::vector<v1::JournalEntry>> entries = store_->Journal(job_id);
  if (!entries.ok()) return entries.status();
  return ReadJournal(*entries);
}

JobRunOptions CoordinatorCore::RunOptions(const v1::StoredJob& job, JobSpec spec,
                                          JobJournal journal) const {
  JobRunOptions options;
  options.machine.job_id = job.job().id();
  options.machine.nonce = job.nonce();
  options.machine.one_host = options_.one_host;
  options.machine.agent_wait = options_.agent_wait;
  if (spec.agent_wait_seconds) options.machine.agent_wait = static_cast<int64_t>(*spec.agent_wait_seconds * kNanosPerSecond);
  if (store_ && store_->epoch().counter > 1)
    options.machine.quiet_until = started_at_ + options_.lease + kQuietMargin;
  options.machine.resume = std::move(journal.resume);
  options.levels = std::move(journal.levels);
  options.record = RecordOf(job);
  for (const v1::Note& note : journal.notes) {
    if (note.warning()) options.record.warnings.push_back(note.text());
  }
  options.spec = std::move(spec);
  return options;
}

JobRecord CoordinatorCore::RecordOf(const v1::StoredJob& job) const {
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

JobRunEvents CoordinatorCore::RunEvents(const std::string& id) {
  JobRunEvents events;
  if (store_) {
    events.journal = [this, id](const v1::JournalEntry& entry) {
      return store_->Append(id, entry);
    };
  }
  events.probed = [this, id](const JobSpec& spec, const v1::Probed& probe) {
    Note(id, false, DescribeProbe(spec, probe));
  };
  events.live = [this, id](const LiveLevel& live, const MeasuredFacts& facts) {
    meter_.Show(live, facts);
    watchers_.TellAll(id, Progress(live));
  };
  events.attempt_voided = [this](const LevelKey& key) { meter_.Void(key); };
  events.level_finished = [this, id](const v1::LevelResult& level) {
    meter_.Finish(id, level);
    if (v1::StoredJob* job = jobs_.Find(id))
      job->mutable_job()->set_levels_done(job->job().levels_done() + 1);
    watchers_.TellAll(id, LevelDone(level));
  };
  events.say = [this, id](bool warning, const std::string& text) { Note(id, warning, text); };
  events.on_disk = [this, id](JobRunEvents::DiskWork work,
                              std::function<void(const absl::StatusOr<uint64_t>&)> then) {
    disk_.Post([this, id, work = std::move(work), then = std::move(then)] {
      Run([this, id, then, status = work()] {
        if (run_ && running_ == id) then(status);
      });
    });
  };
  return events;
}

void CoordinatorCore::Note(const std::string& job_id, bool warning, const std::string& text) {
  if (v1::StoredJob* job = jobs_.Find(job_id)) AddNote(*job->mutable_job(), warning, text);
  v1::JobUpdate update;
  update.mutable_note()->set_warning(warning);
  update.mutable_note()->set_text(text);
  watchers_.TellAll(job_id, update);
  // On one host the command says it.
  const LogLevel level = options_.one_host ? LogLevel::kDebug : warning ? LogLevel::kWarning : LogLevel::kInfo;
  Log(level, text, {{"job", job_id}});
}

void CoordinatorCore::Publish(const v1::StoredJob& job) {
  meter_.ShowJobs();
  watchers_.TellAll(job.job().id(), JobChanged(jobs_.Describe(job)));
}

void CoordinatorCore::EndRun() {
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

absl::Status CoordinatorCore::WriteFiles(const std::string& folder, const v1::Result& result) {
  for (const ReportFile& file : ResultFiles(result)) {
    absl::Status written = WriteWholeFile(absl::StrCat(folder, "/", file.path), file.content);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

void CoordinatorCore::Conclude(const std::string& id, JobRunEnd end, const absl::Status& written) {
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

void CoordinatorCore::SetEnded(v1::StoredJob& job, v1::JobState state,
                               const std::string& reason) const {
  job.mutable_job()->set_state(state);
  job.mutable_job()->set_failure_reason(reason);
  job.mutable_job()->set_ended_at(Calendar());
}

void CoordinatorCore::KeepEnd(v1::StoredJob& job, v1::Result result) {
  absl::Status kept = store_ ? store_->Finish(job, result) : absl::OkStatus();
  if (!kept.ok()) {
    LogIfBad("the end of a job cannot be kept", kept);
    SetEnded(job, v1::FAILED, absl::StrCat("its result cannot be kept: ", kept.message()));
  }
  if (!store_ || !kept.ok()) results_[job.job().id()] = std::move(result);
  meter_.EndJob(job.job());
  Publish(job);
  watchers_.EndAll(job.job().id(), absl::OkStatus());
}

void CoordinatorCore::EndUnrun(v1::StoredJob& job, v1::JobState state, const std::string& reason) {
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

void CoordinatorCore::Raise(const JobEvent& event) {
  if (run_) run_->Handle(event);
}

void CoordinatorCore::Settle() {
  for (;;) {
    const std::vector<HubEffect> effects = hub_.TakeEffects();
    for (const HubEffect& effect : effects) {
      meter_.See(effect);
      Do(effect);
    }
    if (run_ && run_->finished()) {
      EndRun();
    } else if (effects.empty()) {
      break;
    }
  }
  meter_.Settle();
  SetWakeUp();
}

void CoordinatorCore::Do(const HubEffect& effect) {
  std::visit(
      Overloaded{
          [this](const SendToAgent& e) {
            if (const auto found = streams_.find(e.stream); found != streams_.end())
              found->second->Send(e.message);
          },
          [this](const CloseAgentStream& e) {
            if (const auto found = streams_.find(e.stream); found != streams_.end())
              found->second->Close(e.reason);
          },
          [this](const RaiseJobEvent& e) { Raise(e.event); },
          [](const HubLog& e) { Log(e.warning ? LogLevel::kWarning : LogLevel::kInfo, e.text); },
      },
      effect);
}

void CoordinatorCore::SetWakeUp() {
  std::optional<int64_t> next = hub_.NextWake();
  if (run_) {
    if (const std::optional<int64_t> run = run_->NextWake())
      next = next ? std::min(*next, *run) : *run;
  }
  if (!next) return;
  worker_.WakeAt(*next, [this] {
    hub_.OnTime(Now());
    if (run_) run_->OnTime();
    Settle();
  });
}

std::shared_ptr<RecordStore> CoordinatorCore::CurrentRecords() {
  MutexLock lock(mutex_);
  return records_;
}

void CoordinatorCore::SetRecords(std::shared_ptr<RecordStore> records) {
  MutexLock lock(mutex_);
  records_ = std::move(records);
}

}  // namespace tidemark
