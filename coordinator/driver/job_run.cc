#include "coordinator/driver/job_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/overloaded.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/core/job/journal_codec.h"
#include "coordinator/core/result/level_result.h"
#include "coordinator/driver/level_messages.h"
#include "coordinator/report/answer.h"

namespace tidemark {
namespace {

constexpr int64_t kLivePeriod = kNanosPerSecond / 4;

// Agents told what they had written; what did not come, or found no disk here, is lost all the same.
void CountRecords(const absl::StatusOr<uint64_t>& kept, v1::LevelResult& level) {
  if (!kept.ok()) level.add_notes(std::string(kept.status().message()));
  const uint64_t written = level.records_written();
  level.set_records_written(std::min(written, kept.value_or(0)));
  level.set_records_lost(level.records_lost() + written - level.records_written());
}

}  // namespace

JobRun::JobRun(JobRunOptions options, JobRunEvents events, std::shared_ptr<RecordStore> records, AgentHub* hub,
               const Clock* clock)
    : options_(std::move(options)),
      events_(std::move(events)),
      records_(std::move(records)),
      hub_(hub),
      clock_(clock),
      machine_(options_.spec, options_.machine),
      levels_(std::exchange(options_.levels, {})) {
  hub_->EnterJob(options_.machine.job_id);
}

JobRun::~JobRun() { hub_->LeaveJob(); }

void JobRun::Begin() {
  for (const AgentStatus& agent : hub_->Agents()) Handle(AgentJoined{agent.info});
  Handle(StartJob{});
}

void JobRun::Handle(const JobEvent& event) {
  if (const auto* facts = std::get_if<AgentFacts>(&event)) live_.OnFacts(facts->agent, facts->facts);
  for (const JobEffect& effect : machine_.Handle(event, Now())) Do(effect);
  if (!journal_error_.empty() && !std::exchange(gave_up_, true)) Handle(StopJob{journal_error_, true, true});
}

void JobRun::OnTime() {
  if (machine_wake_ && *machine_wake_ <= Now()) {
    machine_wake_.reset();
    Handle(TimerFired{});
  }
  if (level_runs_ && live_wake_ <= Now()) ShowLive();
}

std::optional<int64_t> JobRun::NextWake() const {
  if (!level_runs_) return machine_wake_;
  return machine_wake_ ? std::min(*machine_wake_, live_wake_) : live_wake_;
}

// ---- What the machine wants -----------------------------------------------------------------------

void JobRun::Do(const JobEffect& effect) {
  std::visit(Overloaded{
                 [this](const SendProbe& e) { hub_->Tell(e.agent, ProbeMessage(e, hub_->epoch())); },
                 [this](const SendPrepare& e) { Prepare(e); },
                 [this](const SendArm& e) { hub_->Tell(e.agent, ArmMessage(e, hub_->ClockOffsetOf(e.agent))); },
                 [this](const SendMeasure& e) {
                   hub_->Tell(e.agent, MeasureMessage(e, hub_->ClockOffsetOf(e.agent)));
                 },
                 [this](const SendStop& e) { hub_->Tell(e.agent, StopMessage(e)); },
                 [this](const SendCancel& e) { hub_->Tell(e.agent, CancelMessage(e)); },
                 [this](const SendPullRecords& e) { PullRecords(e); },
                 [this](const SetTimer& e) { machine_wake_ = e.at; },
                 [this](const PhaseChanged& e) { ShowPhase(e); },
                 [this](const ProbeTaken& e) { TakeProbe(e); },
                 [this](const AttemptVoided& e) { Void(e); },
                 [this](const LevelFinished& e) { Judge(e); },
                 [this](const JobFinished& e) { Finish(e); },
                 [this](const Say& e) { Speak(e); },
             },
             effect);
}

void JobRun::Prepare(const SendPrepare& e) {
  if (!hub_->level() || !(*hub_->level() == e.task.key)) EnterLevel(e.task);
  if (level_agents_.insert(e.agent).second) hub_->AddToLevel(e.agent);
  hub_->Tell(e.agent, PrepareMessage(e, hub_->epoch()));
}

// The attempt's number is kept before any agent hears of it: after a restart it never comes back.
void JobRun::EnterLevel(const LevelTask& task) {
  v1::JournalEntry entry;
  *entry.mutable_attempt_begun() = EncodeAttempt(task.key, task.plan.concurrency);
  Journal(entry);
  hub_->EnterLevel(task.key, task.plan.slas.size());
  level_agents_.clear();
  level_begun_wall_ = clock_->WallNanos();
}

void JobRun::PullRecords(const SendPullRecords& e) {
  records_->Expect(e.key, e.agent, e.bytes);
  hub_->Tell(e.agent, PullRecordsMessage(e));
}

void JobRun::ShowPhase(const PhaseChanged& e) {
  live_.OnPhase(e, Now());
  level_runs_ = true;
  ShowLive();
}

void JobRun::ShowLive() {
  if (events_.live) events_.live(live_.At(Now()), live_.facts());
  live_wake_ = Now() + kLivePeriod;
}

void JobRun::TakeProbe(const ProbeTaken& e) {
  v1::JournalEntry entry;
  *entry.mutable_probed()->mutable_report() = e.report;
  entry.mutable_probed()->set_search_max(e.search_max);
  Journal(entry);
  if (events_.probed && !e.report.has_failure()) events_.probed(machine_.spec(), e.report);
}

void JobRun::Void(const AttemptVoided& e) {
  level_runs_ = false;
  v1::JournalEntry entry;
  *entry.mutable_attempt_void() = EncodeVoid(e);
  Journal(entry);
  if (events_.attempt_voided) events_.attempt_voided(e.key);
}

// The records of a level may take longer to join than a lease lasts. The machine waits for its LevelJudged.
void JobRun::Judge(const LevelFinished& finished) {
  const LevelMeasurement& measurement = *finished.measurement;
  level_runs_ = false;
  const LevelTimes times{Rfc3339(level_begun_wall_), Rfc3339(clock_->WallNanos())};
  LevelJudgement judgement = JudgeMeasurement(machine_.spec(), measurement, times);
  judgement.outcome.spread = machine_.CanSpread(judgement.outcome);
  if (judgement.outcome.spread) judgement.result.add_notes("measured again, spread over more agents");
  AddClockErrors(judgement.result);
  hub_->LeaveLevel();
  v1::JournalLevel level;
  *level.mutable_result() = std::move(judgement.result);
  *level.mutable_outcome() = EncodeOutcome(judgement.outcome);
  level.set_latency_us(static_cast<uint64_t>(finished.mean_latency / kNanosPerMicro));
  LevelJudged judged{measurement.key, std::move(judgement.outcome)};
  events_.on_disk(
      [records = records_, concurrency = measurement.plan.concurrency] { return records->Assemble(concurrency); },
      [this, level = std::move(level), judged = std::move(judged)](const absl::StatusOr<uint64_t>& kept) mutable {
        CountRecords(kept, *level.mutable_result());
        KeepLevel(std::move(level), judged);
      });
}

// The level is kept before the planner decides by it.
void JobRun::KeepLevel(v1::JournalLevel level, const LevelJudged& judged) {
  levels_.push_back(level.result());
  v1::JournalEntry entry;
  *entry.mutable_level_done() = std::move(level);
  if (Journal(entry) && events_.level_finished) events_.level_finished(levels_.back());
  Handle(judged);
}

void JobRun::AddClockErrors(v1::LevelResult& level) const {
  for (v1::AgentShare& share : *level.mutable_agents()) {
    share.set_clock_error_ms(static_cast<double>(hub_->ClockErrorOf(share.agent())) / kNanosPerMilli);
  }
}

void JobRun::Finish(const JobFinished& e) {
  machine_wake_.reset();
  level_runs_ = false;
  options_.record.ended_at = Rfc3339(clock_->WallNanos());
  options_.record.late_messages = hub_->stale_messages();
  end_.emplace();
  end_->end = e.end;
  end_->reason = e.reason;
  end_->result = BuildResult(machine_.spec(), options_.record, machine_.probe(), std::move(levels_), e);
  *end_->result.mutable_answer() = AnswerFor(end_->result);
}

void JobRun::Speak(const Say& e) {
  if (e.warning) options_.record.warnings.push_back(e.text);
  v1::JournalEntry entry;
  entry.mutable_note()->set_warning(e.warning);
  entry.mutable_note()->set_text(e.text);
  Journal(entry);
  if (events_.say) events_.say(e.warning, e.text);
}

// False: the store did not take it, and the job ends with the reason. What was kept before stays.
bool JobRun::Journal(const v1::JournalEntry& entry) {
  if (!journal_error_.empty()) return false;
  if (!events_.journal) return true;
  const absl::Status status = events_.journal(entry);
  if (!status.ok()) journal_error_ = absl::StrCat("the job cannot be kept: ", status.message());
  return status.ok();
}

}  // namespace tidemark
