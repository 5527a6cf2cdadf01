#include "tests/unit/session_property/coordinator_node.h"

#include <algorithm>
#include <utility>

#include "common/overloaded.h"
#include "coordinator/core/job/job_journal.h"
#include "coordinator/core/job/journal_codec.h"
#include "coordinator/driver/level_messages.h"

namespace tidemark {
namespace {

constexpr int64_t kMargin = kNanosPerSecond;  // beyond the lease, before a restarted coordinator asks for anything

AgentHubOptions HubOptions(uint64_t start) {
  AgentHubOptions options;
  options.epoch = {"store", start};
  return options;
}

}  // namespace

JobMachineOptions CoordinatorNode::Options(int64_t now, uint64_t start, const std::vector<v1::JournalEntry>& journal) {
  JobMachineOptions options;
  options.job_id = "job";
  options.nonce = "nonce";
  options.one_host = false;
  options.agent_wait = 20 * kNanosPerSecond;
  options.barrier_deadline = 10 * kNanosPerSecond;
  if (start == 1) return options;
  options.quiet_until = now + kDefaultLease + kMargin;
  const absl::StatusOr<JobJournal> read = ReadJournal(journal);
  if (read.ok()) options.resume = read->resume;
  return options;
}

CoordinatorNode::CoordinatorNode(SimulatedTime* time, uint64_t start, const JobSpec& spec,
                                 std::vector<v1::JournalEntry>* journal, Rng rng, CoordinatorHooks hooks)
    : time_(time),
      journal_(journal),
      rng_(rng),
      hooks_(std::move(hooks)),
      hub_(HubOptions(start)),
      machine_(std::make_unique<JobMachine>(spec, Options(time->now(), start, *journal))) {
  hub_.EnterJob("job");
  Handle(StartJob{});
  FollowHub();
}

void CoordinatorNode::Opened(StreamId stream) {
  hub_.StreamOpened(stream, "", time_->now());
  FollowHub();
}

void CoordinatorNode::Received(StreamId stream, const v1::AgentMessage& message) {
  hub_.Received(stream, message, time_->now());
  FollowHub();
}

void CoordinatorNode::Closed(StreamId stream) {
  hub_.StreamClosed(stream, time_->now());
  FollowHub();
}

void CoordinatorNode::RecordsStored(const std::string& agent, const LevelKey& key) {
  Handle(AgentRecordsStored{agent, key, 100, ""});
  FollowHub();
}

void CoordinatorNode::Stop(bool now) {
  Handle(StopJob{"stopped by the user", now});
  FollowHub();
}

void CoordinatorNode::Lose(const std::string& agent) {
  hub_.Lose(agent, "its report is not valid");
  FollowHub();
}

void CoordinatorNode::Handle(const JobEvent& event) {
  for (const JobEffect& effect : machine_->Handle(event, time_->now())) Do(effect);
}

void CoordinatorNode::FollowHub() {
  for (auto effects = hub_.TakeEffects(); !effects.empty(); effects = hub_.TakeEffects()) {
    for (HubEffect& effect : effects) {
      std::visit(Overloaded{
                     [this](SendToAgent& e) { hooks_.send(e.stream, std::move(e.message)); },
                     [this](const CloseAgentStream& e) { hooks_.close(e.stream, e.reason); },
                     [this](const RaiseJobEvent& e) {
                       hooks_.event(e.event);
                       Handle(e.event);
                     },
                     [](const HubLog&) {},
                 },
                 effect);
    }
  }
  SetWake();
}

void CoordinatorNode::Do(const JobEffect& effect) {
  hooks_.effect(effect);
  const SessionEpoch& epoch = hub_.epoch();
  std::visit(Overloaded{
                 [&](const SendProbe& e) { hub_.Tell(e.agent, ProbeMessage(e, epoch)); },
                 [&](const SendPrepare& e) { Prepare(e); },
                 [&](const SendArm& e) { hub_.Tell(e.agent, ArmMessage(e, hub_.ClockOffsetOf(e.agent))); },
                 [&](const SendMeasure& e) { hub_.Tell(e.agent, MeasureMessage(e, hub_.ClockOffsetOf(e.agent))); },
                 [&](const SendStop& e) { hub_.Tell(e.agent, StopMessage(e)); },
                 [&](const SendCancel& e) { hub_.Tell(e.agent, CancelMessage(e)); },
                 [&](const SendPullRecords& e) { hub_.Tell(e.agent, PullRecordsMessage(e)); },
                 [&](const SetTimer& e) { machine_wake_ = e.at; },
                 [&](const PhaseChanged&) {},
                 [&](const ProbeTaken& e) {
                   v1::JournalEntry entry;
                   *entry.mutable_probed()->mutable_report() = e.report;
                   entry.mutable_probed()->set_search_max(e.search_max);
                   Keep(std::move(entry));
                 },
                 [&](const AttemptVoided& e) {
                   v1::JournalEntry entry;
                   *entry.mutable_attempt_void() = EncodeVoid(e);
                   Keep(std::move(entry));
                 },
                 [&](const LevelFinished& e) { Finish(e); },
                 [&](const JobFinished&) {
                   machine_wake_.reset();
                   hub_.LeaveJob();
                 },
                 [&](const Say&) {},
             },
             effect);
}

void CoordinatorNode::Prepare(const SendPrepare& e) {
  if (!hub_.level() || !(*hub_.level() == e.task.key)) {
    v1::JournalEntry entry;
    *entry.mutable_attempt_begun() = EncodeAttempt(e.task.key, e.task.plan.concurrency);
    Keep(std::move(entry));
    hub_.EnterLevel(e.task.key, e.task.plan.slas.size());
  }
  hub_.AddToLevel(e.agent);
  hub_.Tell(e.agent, PrepareMessage(e, hub_.epoch()));
}

void CoordinatorNode::Finish(const LevelFinished& e) {
  hub_.LeaveLevel();
  LevelOutcome outcome;
  outcome.level = e.measurement->plan.concurrency;
  outcome.verdict = rng_.Below(2) == 0 ? Verdict::kPass : Verdict::kFail;
  v1::JournalEntry entry;
  *entry.mutable_level_done()->mutable_outcome() = EncodeOutcome(outcome);
  entry.mutable_level_done()->set_latency_us(static_cast<uint64_t>(e.mean_latency / kNanosPerMicro));
  Keep(std::move(entry));
  Handle(LevelJudged{e.measurement->key, outcome});
}

void CoordinatorNode::SetWake() {
  std::optional<int64_t> wake = machine_wake_;
  if (hub_.NextWake()) wake = wake ? std::min(*wake, *hub_.NextWake()) : *hub_.NextWake();
  if (!wake || wake == wake_) return;
  wake_ = wake;
  time_->At(*wake, [this, at = *wake, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired() || wake_ != at) return;
    wake_.reset();
    hub_.OnTime(time_->now());
    FollowHub();
    if (machine_wake_ && *machine_wake_ <= time_->now()) {
      machine_wake_.reset();
      Handle(TimerFired{});
    }
    FollowHub();
  });
}

}  // namespace tidemark
