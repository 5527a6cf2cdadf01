#include "coordinator/driver/job_driver.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "common/log/log.h"
#include "common/overloaded.h"
#include "common/thread/serial_worker.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/core/result/level_result.h"
#include "coordinator/driver/level_messages.h"
#include "coordinator/driver/record_store.h"
#include "coordinator/report/answer.h"

namespace tidemark {
namespace {

constexpr int64_t kLivePeriod = kNanosPerSecond / 4;

AgentHubOptions HubOptions(const JobDriverOptions& options) {
  AgentHubOptions out;
  out.epoch = options.epoch;
  out.lease = options.lease;
  out.heartbeat = options.heartbeat;
  return out;
}

}  // namespace

// Everything but the handler's entry points runs on `worker_`.
class JobDriver::Core {
 public:
  Core(JobDriverOptions options, JobDriverEvents events, const Clock* clock)
      : options_(std::move(options)),
        events_(std::move(events)),
        clock_(clock),
        records_(options_.artifact_dir),
        hub_(HubOptions(options_)),
        machine_(options_.spec, options_.machine),
        worker_(clock) {
    options_.record.started_at = Rfc3339(clock->WallNanos());
    hub_.EnterJob(options_.machine.job_id);
    Run([this] { Handle(StartJob{}); });
  }

  ~Core() { worker_.Stop(); }

  // Runs `task` on the driver's thread and sets the next wake-up.
  void Run(std::function<void()> task) {
    worker_.Post([this, task = std::move(task)] {
      task();
      FollowHub();
      SetWakeUp();
    });
  }

  void Handle(const JobEvent& event) {
    for (const JobEffect& effect : machine_.Handle(event, Now())) Do(effect);
  }

  void Open(const std::shared_ptr<AgentStream>& stream, const std::string& bound_id) {
    const StreamId id = ++streams_opened_;
    streams_[id] = stream;
    ids_[stream.get()] = id;
    hub_.StreamOpened(id, bound_id, Now());
  }

  void Receive(const std::shared_ptr<AgentStream>& stream, const v1::AgentMessage& message) {
    const auto found = ids_.find(stream.get());
    if (found != ids_.end()) hub_.Received(found->second, message, Now());
  }

  void Forget(const std::shared_ptr<AgentStream>& stream) {
    const auto found = ids_.find(stream.get());
    if (found == ids_.end()) return;
    hub_.StreamClosed(found->second, Now());
    streams_.erase(found->second);
    ids_.erase(found);
  }

  absl::StatusOr<uint64_t> TakeRecords(const v1::RecordChunk& chunk) {
    absl::StatusOr<uint64_t> kept = records_.Append(chunk);
    const std::string& agent = chunk.agent_id();
    const std::string error = kept.ok() ? "" : std::string(kept.status().message());
    if (!kept.ok() || records_.PartOf(agent).second) {
      Run([this, agent, error, bytes = kept.ok() ? *kept : 0] {
        if (hub_.level()) Handle(AgentRecordsStored{agent, *hub_.level(), bytes, error});
      });
    }
    return kept;
  }

 private:
  int64_t Now() const { return clock_->MonotonicNanos(); }

  // ---- What agents say --------------------------------------------------------------------------

  // What the hub wants, until it wants nothing more: an event may make the machine talk to it.
  void FollowHub() {
    for (std::vector<HubEffect> effects = hub_.TakeEffects(); !effects.empty(); effects = hub_.TakeEffects()) {
      for (HubEffect& effect : effects) DoHub(effect);
    }
  }

  void DoHub(HubEffect& effect) {
    std::visit(Overloaded{
                   [this](SendToAgent& e) { StreamOf(e.stream).Send(std::move(e.message)); },
                   [this](const CloseAgentStream& e) { StreamOf(e.stream).Close(e.reason); },
                   [this](const RaiseJobEvent& e) { OnAgentEvent(e.event); },
                   [](const HubLog& e) { Log(e.warning ? LogLevel::kWarning : LogLevel::kDebug, e.text); },
               },
               effect);
  }

  // It is here until OnClosed, which comes after everything that the hub does with it.
  AgentStream& StreamOf(StreamId id) { return *streams_.at(id); }

  void OnAgentEvent(const JobEvent& event) {
    if (const auto* facts = std::get_if<AgentFacts>(&event)) live_.OnFacts(facts->agent, facts->facts);
    const auto* probed = std::get_if<AgentProbed>(&event);
    if (probed != nullptr) return Probed(*probed);
    Handle(event);
  }

  // The answer is said again at each reconnect; the machine takes one, and says itself when it failed.
  void Probed(const AgentProbed& event) {
    if (machine_.probe()) return;
    Handle(event);
    const v1::Probed& report = event.findings.report;
    if (!machine_.probe() || report.has_failure()) return;
    if (events_.probed) events_.probed(machine_.spec(), report, hub_.TotalStreams());
  }

  // ---- What the machine wants -------------------------------------------------------------------

  void Do(const JobEffect& effect) {
    std::visit(Overloaded{
                   [this](const SendProbe& e) { hub_.Tell(e.agent, ProbeMessage(e, options_.epoch)); },
                   [this](const SendPrepare& e) { Prepare(e); },
                   [this](const SendArm& e) { hub_.Tell(e.agent, ArmMessage(e, hub_.ClockOffsetOf(e.agent))); },
                   [this](const SendMeasure& e) { hub_.Tell(e.agent, MeasureMessage(e, hub_.ClockOffsetOf(e.agent))); },
                   [this](const SendStop& e) { hub_.Tell(e.agent, StopMessage(e)); },
                   [this](const SendCancel& e) { hub_.Tell(e.agent, CancelMessage(e)); },
                   [this](const SendPullRecords& e) { PullRecords(e); },
                   [this](const SetTimer& e) { machine_wake_ = e.at; },
                   [this](const PhaseChanged& e) { ShowPhase(e); },
                   [](const ProbeTaken&) {},
                   [](const AttemptVoided&) {},
                   [this](const LevelFinished& e) { Judge(*e.measurement); },
                   [this](const JobFinished& e) { Finish(e); },
                   [this](const Say& e) { Speak(e); },
               },
               effect);
  }

  void Prepare(const SendPrepare& e) {
    if (!hub_.level() || !(*hub_.level() == e.task.key)) EnterLevel(e.task);
    hub_.AddToLevel(e.agent);
    level_agents_.insert(e.agent);
    hub_.Tell(e.agent, PrepareMessage(e, options_.epoch));
  }

  void EnterLevel(const LevelTask& task) {
    hub_.EnterLevel(task.key, task.plan.slas.size());
    level_agents_.clear();
    records_expected_ = false;
    level_begun_wall_ = clock_->WallNanos();
  }

  void PullRecords(const SendPullRecords& e) {
    if (!std::exchange(records_expected_, true)) records_.Expect(e.key, level_agents_);
    hub_.Tell(e.agent, PullRecordsMessage(e));
  }

  void ShowPhase(const PhaseChanged& e) {
    live_.OnPhase(e, Now());
    level_runs_ = true;
    ShowLive();
  }

  void ShowLive() {
    if (events_.live) events_.live(live_.At(Now()));
    live_wake_ = Now() + kLivePeriod;
  }

  void Judge(const LevelMeasurement& measurement) {
    level_runs_ = false;
    const LevelTimes times{Rfc3339(level_begun_wall_), Rfc3339(clock_->WallNanos())};
    LevelJudgement judgement = JudgeMeasurement(machine_.spec(), measurement, times);
    AddClockErrors(judgement.result);
    const absl::Status stored = records_.Assemble(measurement.plan.concurrency);
    if (!stored.ok()) judgement.result.add_notes(std::string(stored.message()));
    hub_.LeaveLevel();
    levels_.push_back(judgement.result);
    if (events_.level_finished) events_.level_finished(levels_.back());
    Handle(LevelJudged{measurement.key, std::move(judgement.outcome)});
  }

  void AddClockErrors(v1::LevelResult& level) {
    for (v1::AgentShare& share : *level.mutable_agents()) {
      const auto error = static_cast<double>(hub_.ClockErrorOf(share.agent()));
      share.set_clock_error_ms(error / kNanosPerMilli);
    }
  }

  void Finish(const JobFinished& e) {
    machine_wake_.reset();
    level_runs_ = false;
    options_.record.ended_at = Rfc3339(clock_->WallNanos());
    options_.record.late_messages = hub_.stale_messages();
    v1::Result result =
        BuildResult(machine_.spec(), options_.record, machine_.probe(), std::move(levels_), e);
    *result.mutable_answer() = AnswerFor(result);
    if (events_.finished) events_.finished(std::move(result));
  }

  void Speak(const Say& e) {
    if (e.warning) options_.record.warnings.push_back(e.text);
    if (events_.say) events_.say(e.warning, e.text);
  }

  // ---- Time -------------------------------------------------------------------------------------

  void SetWakeUp() {
    std::optional<int64_t> next = machine_wake_;
    const auto sooner = [&next](int64_t at) { next = next ? std::min(*next, at) : at; };
    if (const std::optional<int64_t> wake = hub_.NextWake()) sooner(*wake);
    if (level_runs_) sooner(live_wake_);
    if (next) {
      worker_.WakeAt(*next, [this] {
        WakeUp();
        FollowHub();
        SetWakeUp();
      });
    }
  }

  void WakeUp() {
    hub_.OnTime(Now());
    FollowHub();
    if (machine_wake_ && *machine_wake_ <= Now()) {
      machine_wake_.reset();
      Handle(TimerFired{});
    }
    if (level_runs_ && live_wake_ <= Now()) ShowLive();
  }

  JobDriverOptions options_;
  const JobDriverEvents events_;
  const Clock* const clock_;
  RecordStore records_;
  AgentHub hub_;
  JobMachine machine_;
  uint64_t streams_opened_ = 0;
  std::map<StreamId, std::shared_ptr<AgentStream>> streams_;
  std::map<const AgentStream*, StreamId> ids_;
  std::vector<v1::LevelResult> levels_;
  LiveView live_;
  bool level_runs_ = false;
  int64_t live_wake_ = 0;
  std::optional<int64_t> machine_wake_;
  int64_t level_begun_wall_ = 0;
  std::set<std::string> level_agents_;
  bool records_expected_ = false;
  SerialWorker worker_;  // last: it uses all of the above
};

JobDriver::JobDriver(JobDriverOptions options, JobDriverEvents events, const Clock* clock)
    : core_(std::make_unique<Core>(std::move(options), std::move(events), clock)) {}

JobDriver::~JobDriver() = default;

void JobDriver::Stop(const std::string& reason, bool now) {
  core_->Run([core = core_.get(), reason, now] { core->Handle(StopJob{reason, now}); });
}

void JobDriver::OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) {
  core_->Run([core = core_.get(), stream, agent_id] { core->Open(stream, agent_id); });
}

void JobDriver::OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) {
  core_->Run([core = core_.get(), stream, message = std::move(message)] { core->Receive(stream, message); });
}

void JobDriver::OnClosed(const std::shared_ptr<AgentStream>& stream) {
  core_->Run([core = core_.get(), stream] { core->Forget(stream); });
}

absl::StatusOr<uint64_t> JobDriver::OnRecords(const v1::RecordChunk& chunk) { return core_->TakeRecords(chunk); }

}  // namespace tidemark
