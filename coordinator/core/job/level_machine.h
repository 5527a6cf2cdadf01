#ifndef TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_MACHINE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/splitter.h"

namespace tidemark {

struct LevelTimes {  // ns
  int64_t start_lead = 20'000'000;
  int64_t barrier_deadline = 30'000'000'000;
  int64_t resend_every = 1'000'000'000;     // STOP and CANCEL, until STOPPED
  int64_t request_limit = 600'000'000'000;  // timeout_total: no request is open for longer
  std::optional<int64_t> grace;             // of measured requests after the last measured start
};

// One attempt of a level, from PREPARE to its records: pure, like JobMachine, whose events it
// takes. Every wait has a deadline that names who is missing. Whatever goes wrong makes the attempt
// void: the agents that are left are cancelled, and it ends once they have stopped, so that the
// next attempt finds them idle. Thread-compatible.
class LevelMachine {
 public:
  enum class State {
    kRunning,
    kCompleted,  // TakeMeasurement
    kVoid,       // voided()
    kAbandoned,  // stopped by the user before anything was measured
  };

  // `task` without its share; `shares` as SplitLevel gave them.
  LevelMachine(LevelTask task, const std::vector<AgentShare>& shares, LevelTimes times);

  void Begin(int64_t now, JobEffects* out);

  // Events of other levels, attempts, or agents without a part change nothing.
  void Handle(const AgentReady& e, int64_t now, JobEffects* out);
  void Handle(const AgentStarted& e, int64_t now, JobEffects* out);
  void Handle(const AgentWarm& e, int64_t now, JobEffects* out);
  void Handle(const AgentFacts& e, int64_t now, JobEffects* out);
  void Handle(const AgentShareDone& e, int64_t now, JobEffects* out);
  void Handle(const AgentStopped& e, int64_t now, JobEffects* out);
  void Handle(const AgentRecordsStored& e, int64_t now, JobEffects* out);
  void Handle(const AgentLoopSilent& e, int64_t now, JobEffects* out);
  void Handle(const AgentLost& e, int64_t now, JobEffects* out);
  void Handle(const AgentReturned& e, int64_t now, JobEffects* out);
  void OnTime(int64_t now, JobEffects* out);

  // The user's wish: measured requests may end (and partial results are kept), or `at_once`.
  void Stop(bool at_once, int64_t now, JobEffects* out);

  SentTotals sent() const;  // so far
  State state() const { return state_; }
  LevelPhase phase() const { return phase_; }
  int64_t next_wake() const;  // REQUIRES: kRunning
  bool was_armed() const { return armed_; }

  // REQUIRES: kVoid. Agents that are alive but must not be asked again for this level.
  const VoidedAttempt& voided() const { return *voided_; }
  const std::vector<std::string>& unfit() const { return unfit_; }

  // REQUIRES: kCompleted. `voided` of the measurement is left to the caller.
  LevelMeasurement TakeMeasurement();

 private:
  struct Participant {
    AgentPart part;
    bool idle() const { return part.share.slots == 0; }
    bool gone = false;
    bool ready = false, started = false, warm = false, share_done = false, stopped = false;
    bool records_due = false;  // asked for, not stored
    int64_t last_news = 0;
    // Receipt of the first and the latest report that counted a measured start.
    std::optional<int64_t> first_start;
    int64_t last_start = 0;
  };
  using Flag = bool Participant::*;

  Participant* Find(const std::string& agent, const LevelKey& key);
  bool All(Flag flag) const;  // of those that are not gone
  std::vector<std::string> Missing(Flag flag) const;

  void Enter(LevelPhase phase, JobEffects* out);
  void Advance(int64_t now, JobEffects* out);
  void Arm(int64_t now, JobEffects* out);
  void Measure(int64_t now, JobEffects* out);
  void StopAll(int64_t drain, int64_t now, JobEffects* out);
  void CancelAll(const std::string& reason, int64_t now, JobEffects* out);
  void SendStops(JobEffects* out) const;
  void SendStopTo(const Participant& p, JobEffects* out) const;
  void CancelAgain(const std::string& agent, JobEffects* out) const;
  void Void(const std::string& agent, const std::string& reason, int64_t now, JobEffects* out);
  void GiveUpOn(Participant& p, const std::string& reason, JobEffects* out);
  void GiveUpOnMissing(Flag flag, absl::string_view barrier, int64_t now, JobEffects* out);
  void EndStopping(int64_t now, JobEffects* out);
  void PullRecords(int64_t now, JobEffects* out);
  void LoseRecords(const std::string& agent, absl::string_view why);
  std::string ConservationBreach(const Participant& p) const;
  static void CountStarts(const MeasuredFacts& facts, int64_t now, Participant& p);

  void OnTimeRamp(int64_t now, JobEffects* out);
  void OnTimeMeasuring(int64_t now, JobEffects* out);
  void OnTimeRecords(int64_t now, JobEffects* out);
  int64_t WarmDeadline() const;
  int64_t StallDeadline() const;  // of the agent that was silent for longest, of those not done
  std::optional<int64_t> DrainDeadline() const;

  LevelTask task_;
  LevelTimes times_;
  std::vector<Participant> participants_;
  State state_ = State::kRunning;
  LevelPhase phase_ = LevelPhase::kPreparing;
  int64_t deadline_ = 0;  // of the phase
  int64_t begun_at_ = 0, start_at_ = 0, measure_at_ = 0, ended_at_ = 0;
  int64_t resend_at_ = 0;  // of STOP or CANCEL
  int64_t drain_ = 0;
  bool armed_ = false, measuring_ = false, cancelling_ = false;
  bool warmup_deadline_passed_ = false, drain_deadline_passed_ = false;
  bool stopped_early_ = false, abandoned_ = false;  // by the user
  std::string cancel_reason_;
  std::optional<VoidedAttempt> voided_;
  std::vector<std::string> unfit_;
  uint64_t records_bytes_ = 0;
  std::string records_error_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_LEVEL_MACHINE_H_
