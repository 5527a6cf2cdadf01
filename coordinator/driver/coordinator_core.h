#ifndef TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_CORE_H_
#define TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_CORE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "common/thread/serial_worker.h"
#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/core/job/job_journal.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/driver/coordinator_meter.h"
#include "coordinator/driver/job_run.h"
#include "coordinator/driver/job_table.h"
#include "coordinator/driver/record_store.h"
#include "coordinator/driver/watchers.h"

namespace tidemark {

// What the coordinator's thread owns. Public functions run on it (they are posted with Run), but
// for Run itself, TakeRecords and watchers(), which are thread-safe.
class CoordinatorCore {
 public:
  // `jobs` are the store's.
  CoordinatorCore(CoordinatorOptions options, std::unique_ptr<JobStore> store,
                  std::vector<v1::StoredJob> jobs, CoordinatorMetrics* metrics, const Clock* clock);
  ~CoordinatorCore();

  // Runs `task` on the coordinator's thread, does what follows from it, and sets the next wake-up.
  void Run(std::function<void()> task);
  Watchers& watchers() { return watchers_; }

  // ---- streams ----------------------------------------------------------------------------------

  void Open(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id);
  void Receive(const std::shared_ptr<AgentStream>& stream, const v1::AgentMessage& message);
  void Closed(const std::shared_ptr<AgentStream>& stream);

  // SessionHandler::OnRecords. Does not wait for the disk.
  void TakeRecords(v1::RecordChunk chunk, std::function<void(const absl::StatusOr<uint64_t>&)> kept);

  // ---- jobs -------------------------------------------------------------------------------------

  void Submit(const std::string& id, LocalJob job);
  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request,
                                 const std::string& created_by);
  absl::StatusOr<v1::Job> Describe(const std::string& job_id);
  absl::StatusOr<v1::ListJobsResponse> List(const v1::ListJobsRequest& request) const;
  absl::StatusOr<v1::Job> Stop(const std::string& job_id, bool now);
  absl::StatusOr<v1::DeleteJobResponse> Delete(const std::string& job_id);
  absl::StatusOr<v1::GetResultResponse> Result(const std::string& job_id);
  absl::StatusOr<std::string> ArtifactFolder(const std::string& job_id);
  v1::ListAgentsResponse Agents() const;

  // What there is to know now, and then all that happens. Of a job that has ended the levels come
  // first, for nothing follows the word that it has ended.
  void Watch(uint64_t watcher, const v1::WatchJobRequest& request);

  // Load stops at once (the lease would end it within seconds anyway), and the job that runs stays in the store as it
  // is: nothing more is written of it.
  void BeginShutdown();

 private:
  static constexpr char kStoppedByUser[] = "stopped by the user";
  static constexpr char kShutsDown[] = "the coordinator shuts down";

  struct Local {
    JobSpec spec;
    std::string artifact_dir;
  };

  AgentHubOptions HubOptions() const;
  int64_t Now() const;
  std::string Calendar() const;
  static void LogIfBad(const char* what, const absl::Status& status);

  // ---- the store --------------------------------------------------------------------------------

  absl::Status Keep(const v1::StoredJob& job);
  v1::StoredJob NewJob(const std::string& id, const std::string& name, std::string yaml) const;
  std::string FolderOf(const std::string& job_id) const;
  absl::StatusOr<v1::Result> ResultOf(const std::string& job_id) const;
  std::vector<v1::LevelResult> LevelsOf(const v1::StoredJob& job, uint32_t known) const;

  // ---- the job that runs ------------------------------------------------------------------------

  void StartNext();
  absl::Status Start(v1::StoredJob& job);
  absl::StatusOr<JobSpec> SpecOf(const v1::StoredJob& job) const;
  absl::StatusOr<JobJournal> JournalOf(const std::string& job_id) const;
  JobRunOptions RunOptions(const v1::StoredJob& job, JobSpec spec, JobJournal journal) const;
  JobRecord RecordOf(const v1::StoredJob& job) const;
  JobRunEvents RunEvents(const std::string& id);
  void Note(const std::string& job_id, bool warning, const std::string& text);
  void Publish(const v1::StoredJob& job);

  // The files are written while agents are still heard, and the job ends when they are there.
  void EndRun();
  static absl::Status WriteFiles(const std::string& folder, const v1::Result& result);
  void Conclude(const std::string& id, JobRunEnd end, const absl::Status& written);
  void SetEnded(v1::StoredJob& job, v1::JobState state, const std::string& reason) const;

  // What the store has no room for is kept in memory at least.
  void KeepEnd(v1::StoredJob& job, v1::Result result);

  // A job that never ran has a result too: of no level.
  void EndUnrun(v1::StoredJob& job, v1::JobState state, const std::string& reason);

  // ---- what follows -----------------------------------------------------------------------------

  void Raise(const JobEvent& event);
  void Settle();
  void Do(const HubEffect& effect);
  void SetWakeUp();
  absl::StatusOr<uint64_t> Store(RecordStore& records, const v1::RecordChunk& chunk);
  std::shared_ptr<RecordStore> CurrentRecords();
  void SetRecords(std::shared_ptr<RecordStore> records);

  const CoordinatorOptions options_;
  const std::unique_ptr<JobStore> store_;  // null: nothing outlives the process
  const Clock* const clock_;
  const int64_t started_at_;
  AgentHub hub_;
  StreamId last_stream_ = 0;
  std::map<StreamId, std::shared_ptr<AgentStream>> streams_;
  std::map<const AgentStream*, StreamId> id_of_;
  JobTable jobs_;
  CoordinatorMeter meter_;
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
  SerialWorker disk_;  // writes records and result files, so that agents need not wait for a disk
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_CORE_H_
