#ifndef TIDEMARK_COORDINATOR_DRIVER_JOB_RUN_H_
#define TIDEMARK_COORDINATOR_DRIVER_JOB_RUN_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock/clock.h"
#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/result/job_result.h"
#include "coordinator/driver/live_view.h"
#include "coordinator/driver/record_store.h"
#include "proto/tidemark/v1/journal.pb.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct JobRunOptions {
  JobSpec spec;
  JobMachineOptions machine;
  JobRecord record;                     // ended_at is filled in
  std::vector<v1::LevelResult> levels;  // finished before a restart
};

// What others hear of it. Called on the owner's thread: quick.
struct JobRunEvents {
  // Keeps an entry before anything follows from it. An error ends the job.
  std::function<absl::Status(const v1::JournalEntry&)> journal;
  // The probe was taken just now: the spec with what it found.
  std::function<void(const JobSpec& resolved, const v1::Probed& probe)> probed;
  // At each change of phase and at most four times a second. The facts are all that agents have reported
  // of the attempt.
  std::function<void(const LiveLevel&, const MeasuredFacts&)> live;
  std::function<void(const v1::LevelResult&)> level_finished;
  std::function<void(const LevelKey&)> attempt_voided;
  std::function<void(bool warning, const std::string& text)> say;
  // Does `work`, which waits for the disk, on another thread, and then `then` with what came of it on the owner's,
  // unless the run is gone.
  using DiskWork = std::function<absl::StatusOr<uint64_t>()>;
  std::function<void(DiskWork work, std::function<void(const absl::StatusOr<uint64_t>&)> then)> on_disk;
};

struct JobRunEnd {
  JobEnd end = JobEnd::kCompleted;
  std::string reason;  // of kStopped and kFailed: one sentence
  v1::Result result;   // with its answer
};

// The job that runs: its machine, its levels, its records, and what is to be seen of it. Feeds the machine,
// carries out its effects through the hub, and journals. Times: CLOCK_MONOTONIC ns. Thread-compatible (the record
// store is thread-safe by itself: gRPC's threads append to it).
class JobRun {
 public:
  // `hub` and `clock` must outlive it. `records` are the job's.
  JobRun(JobRunOptions options, JobRunEvents events, std::shared_ptr<RecordStore> records, AgentHub* hub,
         const Clock* clock);
  ~JobRun();

  // The agents that the hub knows join, and the job begins.
  void Begin();
  void Handle(const JobEvent& event);
  void OnTime();
  std::optional<int64_t> NextWake() const;

  const std::vector<v1::LevelResult>& levels() const { return levels_; }  // finished so far
  bool finished() const { return end_.has_value(); }
  // REQUIRES: finished(). Once.
  JobRunEnd TakeEnd() { return *std::exchange(end_, std::nullopt); }

 private:
  int64_t Now() const { return clock_->MonotonicNanos(); }
  void Do(const JobEffect& effect);
  void Prepare(const SendPrepare& e);
  void EnterLevel(const LevelTask& task);
  void PullRecords(const SendPullRecords& e);
  void ShowPhase(const PhaseChanged& e);
  void ShowLive();
  void TakeProbe(const ProbeTaken& e);
  void Void(const AttemptVoided& e);
  void Judge(const LevelFinished& finished);
  void KeepLevel(v1::JournalLevel level, const LevelJudged& judged);
  void AddClockErrors(v1::LevelResult& level) const;
  void Finish(const JobFinished& e);
  void Speak(const Say& e);
  bool Journal(const v1::JournalEntry& entry);

  JobRunOptions options_;
  const JobRunEvents events_;
  const std::shared_ptr<RecordStore> records_;
  AgentHub* const hub_;
  const Clock* const clock_;
  JobMachine machine_;
  std::vector<v1::LevelResult> levels_;
  LiveView live_;
  bool level_runs_ = false;
  int64_t live_wake_ = 0;
  std::optional<int64_t> machine_wake_;
  int64_t level_begun_wall_ = 0;
  std::set<std::string> level_agents_;
  std::string journal_error_;  // not empty: the job ends
  bool gave_up_ = false;       // because of it
  std::optional<JobRunEnd> end_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_JOB_RUN_H_
