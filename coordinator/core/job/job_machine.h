#ifndef TIDEMARK_COORDINATOR_CORE_JOB_JOB_MACHINE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_JOB_MACHINE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "common/job/level_task.h"
#include "common/measurement/facts.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/core/registry.h"
#include "proto/tidemark/v1/agent_session.pb.h"

// The life of a job as a pure machine: (state, event, now) -> effects. The driver owns it, feeds it
// what agents say and what timers fire, and carries out the effects; replaying the same events
// gives the same effects. All times are the coordinator's CLOCK_MONOTONIC, ns. Thread-compatible.
namespace tidemark {

// The probe's findings, validated.
struct ProbeFindings {
  v1::Probed report;  // as the agent sent it
};

// ---- Events -------------------------------------------------------------------------------------

// The agents that are there already have joined: the job begins. Nothing happens before it.
struct StartJob {};
struct AgentJoined {
  AgentInfo agent;
};
// The same incarnation is back on a new stream: what it may have missed is said again.
struct AgentReturned {
  std::string agent;
};
struct AgentLost {
  std::string agent;
  std::string reason;
};
struct AgentProbed {
  std::string agent;
  ProbeFindings findings;
};
struct AgentReady {
  std::string agent;
  LevelKey key;
  std::string error;
  std::vector<std::string> addresses;
};
struct AgentStarted {
  std::string agent;
  LevelKey key;
  int64_t skew_ns = 0;
};
struct AgentWarm {
  std::string agent;
  LevelKey key;
  bool deadline_passed = false;
  uint64_t mean_latency_us = 0;
};
struct AgentFacts {
  std::string agent;
  LevelKey key;
  MeasuredFacts facts;
};  // fenced, in sequence, once
struct AgentShareDone {
  std::string agent;
  LevelKey key;
};
struct AgentStopped {
  std::string agent;
  LevelKey key;
  FinalSnapshot snapshot;
  std::string error;
};
// All records of the agent's part are in the artifact (or their loss is said).
struct AgentRecordsStored {
  std::string agent;
  LevelKey key;
  uint64_t bytes = 0;
  std::string error;
};
// A loop of the agent has not turned for too long.
struct AgentLoopSilent {
  std::string agent;
  uint64_t silent_ms = 0;
};
struct TimerFired {};
// The result of a finished level was built: the planner goes on with it.
struct LevelJudged {
  LevelKey key;
  LevelOutcome outcome;
};
struct StopJob {
  std::string reason;
  bool now = false;     // cancel measured requests too
  bool failed = false;  // nobody asked for it: the coordinator cannot go on (its store is full)
};

using JobEvent =
    std::variant<StartJob, AgentJoined, AgentReturned, AgentLost, AgentProbed, AgentReady,
                 AgentStarted, AgentWarm, AgentFacts, AgentShareDone, AgentStopped,
                 AgentRecordsStored, AgentLoopSilent, TimerFired, LevelJudged, StopJob>;

// ---- Effects ------------------------------------------------------------------------------------

struct SendProbe {
  std::string agent;
  ProbeTask task;
};
struct SendPrepare {
  std::string agent;
  LevelTask task;
};
struct SendArm {
  std::string agent;
  LevelKey key;
  int64_t start_at = 0;
  int64_t slice_origin = 0;
};
struct SendMeasure {
  std::string agent;
  LevelKey key;
  int64_t start_at = 0;
};
struct SendStop {
  std::string agent;
  LevelKey key;
  int64_t drain_ns = 0;
};
struct SendCancel {
  std::string agent;
  LevelKey key;
  std::string reason;
};
struct SendPullRecords {
  std::string agent;
  LevelKey key;
  uint64_t bytes = 0;  // that it has announced
};
// Wake the machine (TimerFired) at `at`; replaces the timer set before.
struct SetTimer {
  int64_t at = 0;
};

enum class LevelPhase { kPreparing, kRamp, kWarmup, kMeasuring, kStopping, kRecords };
// What a user sees of it: "preparing", "ramp", "warm-up", "measuring", "draining", "records".
const char* LevelPhaseName(LevelPhase phase);

// For the live view.
struct PhaseChanged {
  LevelKey key;
  LevelPhase phase;
  uint32_t concurrency = 0;
  uint64_t request_count = 0;
};

// One agent's part in a completed attempt.
struct AgentPart {
  std::string agent;
  Share share;
  MeasuredFacts facts;  // all its deltas merged
  FinalSnapshot snapshot;
  int64_t start_skew_ns = 0;
  std::vector<std::string> addresses;
  uint64_t loop_silent_ms = 0;  // the longest silence of a loop that was reported
};

// All that the endpoint was asked, measured or not: what a budget counts.
struct SentTotals {
  uint64_t requests = 0;
  uint64_t output_tokens = 0, input_tokens = 0;  // of those that ended and were reported

  void Add(const SentTotals& other) {
    requests += other.requests;
    output_tokens += other.output_tokens;
    input_tokens += other.input_tokens;
  }
};

struct VoidedAttempt {
  uint32_t attempt = 0;
  std::string agent;  // empty: no agent's fault
  std::string reason;
  SentTotals sent;
};

// A completed attempt: everything a LevelResult is built from.
struct LevelMeasurement {
  LevelKey key;
  LevelPlan plan;
  std::vector<AgentPart> parts;  // agents with slots, by share.first_slot
  std::vector<VoidedAttempt> voided;
  bool warmup_deadline_passed = false;
  // Measured requests were still open when the grace period was over: they failed (timeout_drain).
  bool drain_deadline_passed = false;
  bool stopped_early = false;  // by the user: nothing can be judged
  int64_t begun_at = 0;        // PREPARE
  int64_t ended_at = 0;
  uint64_t records_bytes = 0;
  std::string records_error;
};
struct LevelFinished {
  std::shared_ptr<const LevelMeasurement> measurement;
  int64_t mean_latency = 0;  // of its successes, ns; 0: there was none
};  // answer with LevelJudged

// The probe was taken: what a restart needs in its place.
struct ProbeTaken {
  v1::Probed report;
  uint64_t search_max = 0;  // of a search, as lowered to the agents' capacity
};
struct AttemptVoided {
  LevelKey key;
  uint32_t concurrency = 0;
  VoidedAttempt attempt;
};

enum class JobEnd { kCompleted, kStopped, kFailed };
struct JobFinished {
  JobEnd end = JobEnd::kCompleted;
  std::string reason;         // of kStopped and kFailed: one sentence
  bool refused = false;       // of kFailed: cannot run as asked, whatever is tried (exit 2)
  std::string failure_class;  // of a probe's refusal
  std::optional<SearchDone> search_done;  // of the planner
  std::optional<SearchImpossible> impossible;
  std::vector<uint32_t> levels_not_run;
  SentTotals sent_without_level;  // by attempts that were void or abandoned, of every level
};
struct Say {
  bool warning = false;
  std::string text;
};  // for the log, the result's warnings and the terminal

using JobEffect =
    std::variant<SendProbe, SendPrepare, SendArm, SendMeasure, SendStop, SendCancel,
                 SendPullRecords, SetTimer, PhaseChanged, ProbeTaken, AttemptVoided, LevelFinished,
                 JobFinished, Say>;
using JobEffects = std::vector<JobEffect>;

// How far a job was when its coordinator ended, from the journal.
struct JobResume {
  std::optional<ProbeTaken> probe;    // nothing: the job is probed (again)
  std::vector<LevelOutcome> history;  // of the finished levels
  int64_t latency = 0;                // mean of the last finished level's successes, ns; 0: not known
  uint32_t latency_seen_at = 0;       // that level's concurrency
  uint32_t attempts_begun = 0;        // of the level that was not finished
  std::vector<VoidedAttempt> voided;  // of that level, the one that the end cut included
  SentTotals sent_without_level;
};

struct JobMachineOptions {
  std::string job_id;
  std::string nonce;                    // of the job; level and visit are mixed in by the agent
  bool one_host = true;                 // more than the capacity is refused at once
  int64_t agent_wait = 60'000'000'000;  // ns
  int64_t start_lead = 20'000'000;      // ns between sending ARM or MEASURE and its start_at
  int64_t barrier_deadline =
      30'000'000'000;  // of READY, STARTED, STOPPED beyond what the phase itself needs
  // Agents of an earlier start of the coordinator may still send: nothing is asked of any before.
  int64_t quiet_until = 0;
  std::optional<JobResume> resume;
};

class JobMachine {
 public:
  JobMachine(JobSpec spec, JobMachineOptions options);
  ~JobMachine();

  // Takes one event and returns what to do, in order.
  JobEffects Handle(const JobEvent& event, int64_t now);

  // Whether a level that was judged so is to be measured again, spread over more of the agents there are. To be
  // asked before LevelJudged, and kept with the outcome.
  bool CanSpread(const LevelOutcome& outcome) const;

  bool finished() const;
  const JobSpec& spec() const;  // with what the probe found filled in
  const std::optional<ProbeFindings>& probe() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_JOB_MACHINE_H_
