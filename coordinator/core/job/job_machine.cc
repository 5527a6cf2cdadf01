#include "coordinator/core/job/job_machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "coordinator/core/job/job_figures.h"
#include "coordinator/core/job/level_machine.h"
#include "coordinator/core/job/level_planning.h"
#include "coordinator/core/job/probe_judgement.h"
#include "coordinator/core/job/spread.h"
#include "coordinator/core/splitter.h"

namespace tidemark {
namespace {

// A level is run again at most so often after its attempt was void under load.
constexpr int kMaxReruns = 2;
// And split anew so often before anything was sent: agents that come and go must not go on for
// ever.
constexpr int kMaxResplits = 10;
// The server still has the cancelled requests of a level that ended early.
constexpr int64_t kCooldownAfterCancel = 2 * kNanosPerSecond;
}  // namespace

class JobMachine::State {
 public:
  State(JobSpec spec, JobMachineOptions options)
      : spec_(std::move(spec)), options_(std::move(options)), planner_(PlannerOf(spec_)) {
    spec_.workload.nonce = options_.nonce;
  }

  JobEffects Handle(const JobEvent& event, int64_t now) {
    out_.clear();
    now_ = now;
    if (std::holds_alternative<TimerFired>(event)) timer_.reset();
    if (stage_ != Stage::kFinished) std::visit([this](const auto& e) { On(e); }, event);
    if (level_) FollowLevel();
    if (stage_ != Stage::kFinished) SetNextTimer();
    return std::move(out_);
  }

  bool CanSpread(const LevelOutcome& outcome) const { return tidemark::CanSpread(Infos(), history_, outcome); }
  bool finished() const { return stage_ == Stage::kFinished; }
  const JobSpec& spec() const { return spec_; }
  const std::optional<ProbeFindings>& probe() const { return probe_; }

 private:
  enum class Stage {
    kIdle,              // before StartJob
    kQuiet,             // until agents of an earlier start have stopped for sure
    kWaitingForAgents,  // for one at all, and on a cluster for the capacity that the job needs
    kProbing,
    kCooldown,            // between levels, or attempts
    kWaitingForCapacity,  // of the next attempt
    kLevel,
    kJudging,  // LevelFinished was said
    kFinished,
  };

  struct Member {
    AgentInfo info;
    bool unfit = false;     // for the current level
    bool no_probe = false;  // did not answer PROBE
  };

  // ---- agents ----

  Member* FindMember(const std::string& id) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&id](const Member& m) { return m.info.id == id; });
    return it == members_.end() ? nullptr : &*it;
  }

  std::vector<AgentInfo> Infos() const {
    std::vector<AgentInfo> out;
    for (const Member& member : members_) out.push_back(member.info);
    return out;
  }

  std::vector<AgentInfo> Fit() const {
    std::vector<AgentInfo> out;
    for (const Member& member : members_) {
      if (!member.unfit) out.push_back(member.info);
    }
    return out;
  }

  void On(const AgentJoined& e) {
    const Member* known = FindMember(e.agent.id);
    if (known != nullptr && known->info.incarnation == e.agent.incarnation) return;  // said twice
    if (known != nullptr) On(AgentLost{e.agent.id, "a new process took its place"});
    members_.push_back({e.agent, false, false});
    if (stage_ == Stage::kWaitingForAgents) TryBegin();
    if (stage_ == Stage::kWaitingForCapacity) TryAttempt();
  }

  void On(const AgentReturned& e) {
    if (stage_ == Stage::kProbing && e.agent == prober_) SendTheProbe();
    if (level_) return level_->Handle(e, now_, &out_);
    if (voided_.empty()) return;
    // It may not have heard that the attempt is void.
    const VoidedAttempt& last = voided_.back();
    out_.push_back(SendCancel{e.agent, {options_.job_id, level_index_, last.attempt}, last.reason});
  }

  void On(const AgentLost& e) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&e](const Member& m) { return m.info.id == e.agent; });
    if (it == members_.end()) return;
    members_.erase(it);
    out_.push_back(Say{true, absl::StrCat("agent ", e.agent, " is lost: ", e.reason)});
    if (level_) level_->Handle(e, now_, &out_);
    if (stage_ == Stage::kProbing && e.agent == prober_) WaitForAgents();
  }

  // ---- before the first level ----

  void On(const StartJob&) {
    if (stage_ != Stage::kIdle) return;
    if (options_.resume) Resume(*options_.resume);
    if (probe_ && !std::holds_alternative<RunLevel>(Decide())) return NextLevel();  // only its end was not kept
    if (now_ >= options_.quiet_until) return WaitForAgents();
    stage_ = Stage::kQuiet;
    deadline_ = options_.quiet_until;
  }

  // What was found and decided before is not asked or said again.
  void Resume(const JobResume& resume) {
    history_ = resume.history;
    level_index_ = static_cast<uint32_t>(history_.size());
    sent_without_level_ = resume.sent_without_level;
    if (!resume.probe) return;
    probe_ = ProbeFindings{resume.probe->report};
    ApplyProbe(probe_->report, &spec_);
    latency_ = LatencyOf(probe_->report);
    if (resume.latency > 0) {
      latency_ = resume.latency;
      latency_seen_at_ = resume.latency_seen_at;
    }
    if (spec_.search && resume.probe->search_max > 0) LowerMaxTo(resume.probe->search_max, spec_.search->spec);
  }

  void WaitForAgents() {
    stage_ = Stage::kWaitingForAgents;
    deadline_ = now_ + options_.agent_wait;
    TryBegin();
    if (stage_ != Stage::kWaitingForAgents) return;
    // On one host the agent is this very process: it is on its way.
    if (!options_.one_host) out_.push_back(Say{false, absl::StrCat("waits for agents: ", WhatIsMissing())});
  }

  std::string WhatIsMissing() const {
    const absl::Status enough = Enough();
    return enough.ok() ? "none is there that answers PROBE" : std::string(enough.message());
  }

  absl::Status Enough() const { return CheckCapacity(Fit(), NeededConcurrency(spec_)); }

  void TryBegin() {
    const bool any =
        std::any_of(members_.begin(), members_.end(), [](const Member& m) { return !m.no_probe; });
    if (!any) return;
    const absl::Status enough = Enough();
    if (enough.ok()) return probe_ ? NextLevel() : BeginProbe();
    if (options_.one_host) Fail(std::string(enough.message()), /*refused=*/true);
  }

  void BeginProbe() {
    const auto it =
        std::find_if(members_.begin(), members_.end(), [](const Member& m) { return !m.no_probe; });
    prober_ = it->info.id;
    stage_ = Stage::kProbing;
    deadline_ = now_ + ProbeLimit(spec_, options_);
    SendTheProbe();
  }

  void SendTheProbe() {
    ProbeTask task;
    task.job_id = options_.job_id;
    task.endpoint = spec_.endpoint;
    task.workload = spec_.workload;
    task.limits = spec_.limits;
    task.wait_ready_ms = static_cast<uint64_t>(spec_.wait_ready_seconds * 1000);
    out_.push_back(SendProbe{prober_, std::move(task)});
  }

  void On(const AgentProbed& e) {
    if (stage_ != Stage::kProbing || e.agent != prober_) return;
    probe_ = e.findings;
    const ProbeJudgement judgement = ApplyProbe(e.findings.report, &spec_);
    for (const Say& say : judgement.says) out_.push_back(say);
    if (judgement.refusal) {
      failure_class_ = judgement.refusal->failure_class;
      return Fail(judgement.refusal->reason);
    }
    latency_ = LatencyOf(e.findings.report);
    LowerMaxToCapacity();
    out_.push_back(ProbeTaken{e.findings.report, spec_.search ? spec_.search->spec.max : 0});
    NextLevel();
  }

  void LowerMaxToCapacity() {
    if (!spec_.search || spec_.search->max_given) return;
    SearchSpec& search = spec_.search->spec;
    const uint64_t capacity = TotalCapacity(Fit());
    if (search.max <= capacity) return;
    out_.push_back(Say{false, absl::StrCat("concurrency_max is lowered from ", search.max, " to ",
                                           capacity, ", what the agents carry")});
    LowerMaxTo(capacity, search);
  }

  // ---- levels ----

  Decision Decide() const { return planner_->Next(spec_.search ? spec_.search->spec : SearchSpec(), history_); }

  void NextLevel() {
    const Decision decision = Decide();
    if (const auto* run = std::get_if<RunLevel>(&decision)) return BeginLevel(run->level);
    JobFinished end;
    if (const auto* done = std::get_if<SearchDone>(&decision)) end.search_done = *done;
    if (const auto* impossible = std::get_if<SearchImpossible>(&decision)) {
      end.impossible = *impossible;
      end.reason = impossible->reason;
    }
    Finish(std::move(end));
  }


  void BeginLevel(uint64_t concurrency) {
    concurrency_ = static_cast<uint32_t>(concurrency);
    attempt_ = 1;
    reruns_ = resplits_ = 0;
    voided_.clear();
    if (options_.resume && level_index_ == options_.resume->history.size()) {
      attempt_ += options_.resume->attempts_begun;  // a key never comes back
      voided_ = options_.resume->voided;
    }
    for (Member& member : members_) member.unfit = false;
    CoolDownThenTry();
  }

  void CoolDownThenTry() {
    if (now_ >= rested_at_) return TryAttempt();
    stage_ = Stage::kCooldown;
    deadline_ = rested_at_;
  }

  void TryAttempt() {
    const uint64_t count = RequestCountAt(spec_, concurrency_);
    absl::StatusOr<std::vector<AgentShare>> shares =
        SplitLevel(LowerToCarried(Fit(), history_), concurrency_, count);
    // Not enough of what was seen to be carried: then as the agents say of themselves.
    if (!shares.ok()) shares = SplitLevel(Fit(), concurrency_, count);
    if (!shares.ok()) return WaitForCapacity(std::string(shares.status().message()));
    stage_ = Stage::kLevel;
    LevelTask task;
    task.key = {options_.job_id, level_index_, attempt_};
    task.endpoint = spec_.endpoint;
    task.workload = spec_.workload;
    const int64_t expected = ExpectedLatency(latency_, latency_seen_at_, concurrency_);
    task.plan = PlanLevel(spec_, concurrency_, expected);
    level_.emplace(std::move(task), *shares, TimesOf(spec_, options_));
    level_->Begin(now_, &out_);
  }

  void WaitForCapacity(const std::string& reason) {
    if (stage_ == Stage::kWaitingForCapacity) return;  // the deadline goes on
    const bool all_unfit = !members_.empty() && Fit().empty();
    if (options_.one_host && all_unfit) {
      return Fail(absl::StrCat("concurrency ", concurrency_, " cannot be run: agent ",
                               voided_.back().agent, " ", voided_.back().reason));
    }
    stage_ = Stage::kWaitingForCapacity;
    deadline_ = now_ + options_.agent_wait;
    out_.push_back(Say{true, absl::StrCat("waits for agents: ", reason)});
  }

  template <typename Event>
  void OnLevelEvent(const Event& e) {
    if (level_) level_->Handle(e, now_, &out_);
  }
  void On(const AgentReady& e) { OnLevelEvent(e); }
  void On(const AgentStarted& e) { OnLevelEvent(e); }
  void On(const AgentWarm& e) { OnLevelEvent(e); }
  void On(const AgentFacts& e) { OnLevelEvent(e); }
  void On(const AgentShareDone& e) { OnLevelEvent(e); }
  void On(const AgentStopped& e) { OnLevelEvent(e); }
  void On(const AgentRecordsStored& e) { OnLevelEvent(e); }
  void On(const AgentLoopSilent& e) { OnLevelEvent(e); }

  // What became of the attempt, after each event.
  void FollowLevel() {
    switch (level_->state()) {
      case LevelMachine::State::kRunning:
        return;
      case LevelMachine::State::kCompleted:
        return EndCompleted();
      case LevelMachine::State::kVoid:
        return EndVoid();
      case LevelMachine::State::kAbandoned:
        sent_without_level_.Add(level_->sent());
        level_.reset();
        return FinishStopped();
    }
  }

  void EndCompleted() {
    auto measurement = std::make_shared<LevelMeasurement>(level_->TakeMeasurement());
    level_.reset();
    measurement->voided = voided_;
    const std::optional<int64_t> latency = MeanLatency(*measurement);
    if (latency) {
      latency_ = *latency;
      latency_seen_at_ = concurrency_;
    }
    const auto cooldown = static_cast<int64_t>(spec_.level_cooldown_seconds * kNanosPerSecond);
    const bool cut = measurement->stopped_early || measurement->drain_deadline_passed;
    rested_at_ = measurement->ended_at +
                 (cut ? std::max(cooldown, kCooldownAfterCancel) : cooldown);
    stage_ = Stage::kJudging;
    out_.push_back(LevelFinished{std::move(measurement), latency.value_or(0)});
  }

  void EndVoid() {
    const VoidedAttempt voided = level_->voided();
    sent_without_level_.Add(voided.sent);
    const bool armed = level_->was_armed();
    out_.push_back(AttemptVoided{{options_.job_id, level_index_, attempt_}, concurrency_, voided});
    for (const std::string& id : level_->unfit()) {
      if (Member* member = FindMember(id)) member->unfit = true;
    }
    level_.reset();
    voided_.push_back(voided);
    out_.push_back(
        Say{true, absl::StrCat("concurrency ", concurrency_, ", attempt ", voided.attempt,
                               " is void: agent ", voided.agent, " ", voided.reason)});
    if (stopping_) return FinishStopped();
    if (armed ? ++reruns_ > kMaxReruns : ++resplits_ > kMaxResplits) return FailVoid();
    ++attempt_;
    if (armed) rested_at_ = now_ + kCooldownAfterCancel;
    CoolDownThenTry();
  }

  void FailVoid() {
    Fail(absl::StrCat("concurrency ", concurrency_, " could not be measured in ", voided_.size(),
                      " attempts; the last: agent ", voided_.back().agent, " ",
                      voided_.back().reason));
  }

  void On(const LevelJudged& e) {
    if (stage_ != Stage::kJudging || e.key.level != level_index_) return;
    history_.push_back(e.outcome);
    ++level_index_;
    if (!options_.one_host) SayLimit(e.outcome);
    if (stopping_) return FinishStopped();
    NextLevel();
  }

  void SayLimit(const LevelOutcome& outcome) {
    const std::string limit = DescribeLimit(outcome);
    if (limit.empty()) return;
    const std::string level = absl::StrCat("concurrency ", outcome.level, " is INVALID: ", limit);
    if (outcome.spread) {
      out_.push_back(Say{false, absl::StrCat(level, "; it is measured again, spread over more agents")});
      return;
    }
    const absl::Status enough = CheckCapacity(LowerToCarried(Infos(), history_), outcome.level);
    out_.push_back(Say{true, enough.ok() ? level : absl::StrCat(level, "; ", std::string(enough.message()))});
  }

  // ---- time ----

  void On(const TimerFired&) {
    if (level_) return level_->OnTime(now_, &out_);
    if (now_ < deadline_) return;
    switch (stage_) {
      case Stage::kQuiet:
        return WaitForAgents();
      case Stage::kWaitingForAgents:
        return Fail(absl::StrCat(
            members_.empty() ? "no agent came within " : "not enough agents came within ",
            options_.agent_wait / kNanosPerSecond, " s: ", WhatIsMissing()));
      case Stage::kProbing:
        return GiveUpProber();
      case Stage::kCooldown:
        return TryAttempt();
      case Stage::kWaitingForCapacity:
        return Fail(
            absl::StrCat("not enough agents came within ", options_.agent_wait / kNanosPerSecond,
                         " s: ", std::string(CheckCapacity(Fit(), concurrency_).message())));
      default:
        return;
    }
  }

  void GiveUpProber() {
    out_.push_back(Say{true, absl::StrCat("agent ", prober_, " has not answered PROBE within ",
                                          ProbeLimit(spec_, options_) / kNanosPerSecond, " s")});
    if (Member* member = FindMember(prober_)) member->no_probe = true;
    if (std::all_of(members_.begin(), members_.end(), [](const Member& m) { return m.no_probe; })) {
      return Fail(absl::StrCat("no agent answered PROBE; the last asked was ", prober_));
    }
    WaitForAgents();
  }

  void SetNextTimer() {
    std::optional<int64_t> at;
    if (level_) {
      at = level_->next_wake();
    } else if (stage_ != Stage::kIdle && stage_ != Stage::kJudging) {
      at = deadline_;
    }
    if (!at || at == timer_) return;
    timer_ = at;
    out_.push_back(SetTimer{*at});
  }

  // ---- the end ----

  void On(const StopJob& e) {
    stopping_ = true;
    store_failed_ |= e.failed;
    if (stop_reason_.empty() || e.failed) stop_reason_ = e.reason;
    if (level_) return level_->Stop(e.now, now_, &out_);
    if (stage_ != Stage::kJudging) FinishStopped();
  }

  void FinishStopped() {
    JobFinished end;
    end.end = store_failed_ ? JobEnd::kFailed : JobEnd::kStopped;
    end.reason = stop_reason_;
    Finish(std::move(end));
  }

  void Fail(const std::string& reason, bool refused = false) {
    JobFinished end;
    end.end = JobEnd::kFailed;
    end.reason = reason;
    end.refused = refused;
    end.failure_class = failure_class_;
    Finish(std::move(end));
  }

  void Finish(JobFinished end) {
    end.levels_not_run = LevelsNotRun(spec_, history_);
    end.sent_without_level = sent_without_level_;
    stage_ = Stage::kFinished;
    out_.push_back(std::move(end));
  }

  JobSpec spec_;
  const JobMachineOptions options_;
  const std::unique_ptr<Planner> planner_;

  Stage stage_ = Stage::kIdle;
  int64_t now_ = 0;
  int64_t deadline_ = 0;  // of the stage
  std::optional<int64_t> timer_;
  JobEffects out_;

  std::vector<Member> members_;  // alive, in the order in which they joined
  std::string prober_;
  std::optional<ProbeFindings> probe_;
  std::string failure_class_;
  int64_t latency_ = 0;  // mean, last seen, ns; the probe's before the first level
  uint32_t latency_seen_at_ = 0;  // concurrency; 0: the probe's, which stands for the first level

  std::vector<LevelOutcome> history_;
  uint32_t level_index_ = 0;
  uint32_t concurrency_ = 0;
  uint32_t attempt_ = 1;
  int reruns_ = 0, resplits_ = 0;
  int64_t rested_at_ = 0;  // no level starts before
  std::vector<VoidedAttempt> voided_;  // of the current level
  SentTotals sent_without_level_;
  std::optional<LevelMachine> level_;
  bool stopping_ = false;
  bool store_failed_ = false;  // of stopping_
  std::string stop_reason_;
};

JobMachine::JobMachine(JobSpec spec, JobMachineOptions options)
    : state_(std::make_unique<State>(std::move(spec), std::move(options))) {}
JobMachine::~JobMachine() = default;

JobEffects JobMachine::Handle(const JobEvent& event, int64_t now) {
  return state_->Handle(event, now);
}
bool JobMachine::CanSpread(const LevelOutcome& outcome) const { return state_->CanSpread(outcome); }
bool JobMachine::finished() const { return state_->finished(); }
const JobSpec& JobMachine::spec() const { return state_->spec(); }
const std::optional<ProbeFindings>& JobMachine::probe() const { return state_->probe(); }

}  // namespace tidemark
