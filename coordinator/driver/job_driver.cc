#include "coordinator/driver/job_driver.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/measurement/facts_codec.h"
#include "common/overloaded.h"
#include "common/session/delta_sequence.h"
#include "common/thread/serial_worker.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/core/clock_offset.h"
#include "coordinator/core/registry.h"
#include "coordinator/core/result/level_result.h"
#include "coordinator/driver/level_messages.h"
#include "coordinator/driver/record_store.h"
#include "coordinator/report/answer.h"

namespace tidemark {
namespace {

constexpr int64_t kLivePeriod = kNanosPerSecond / 4;
constexpr uint64_t kLoopSilentMs = 2'000;
constexpr int64_t kHelloDeadline = 10 * kNanosPerSecond;

// An agent as the driver sees it: who it is, its stream, its clock, and what it has reported.
struct AgentLink {
  AgentInfo info;
  std::shared_ptr<AgentStream> stream;  // null while it is cut off
  ClockOffset clock;
  uint64_t pings = 0;
  DeltaReceiver deltas;  // of the current attempt
};

}  // namespace

// Everything but the handler's entry points runs on `worker_`.
class JobDriver::Core {
 public:
  Core(JobDriverOptions options, JobDriverEvents events, const Clock* clock)
      : options_(std::move(options)),
        events_(std::move(events)),
        clock_(clock),
        records_(options_.artifact_dir),
        registry_(options_.lease),
        machine_(options_.spec, options_.machine),
        worker_(clock) {
    options_.record.started_at = Rfc3339(clock->WallNanos());
    fence_.Adopt(options_.epoch);
    Run([this] { Handle(StartJob{}); });
  }

  ~Core() { worker_.Stop(); }

  // Runs `task` on the driver's thread and sets the next wake-up.
  void Run(std::function<void()> task) {
    worker_.Post([this, task = std::move(task)] {
      task();
      SetWakeUp();
    });
  }

  void Handle(const JobEvent& event) {
    for (const JobEffect& effect : machine_.Handle(event, Now())) Do(effect);
  }

  void Receive(const std::shared_ptr<AgentStream>& stream, const v1::AgentMessage& message) {
    if (message.has_hello()) {
      nameless_.erase(stream);
      Greet(stream, message.hello());
      return;
    }
    const auto found = agent_of_.find(stream.get());
    if (found == agent_of_.end()) {
      stream->Close("say Hello first");
      return;
    }
    Receive(agents_.at(found->second), message);
  }

  void Expect(const std::shared_ptr<AgentStream>& stream) { nameless_[stream] = Now() + kHelloDeadline; }

  void Forget(const std::shared_ptr<AgentStream>& stream) {
    nameless_.erase(stream);
    const auto found = agent_of_.find(stream.get());
    if (found == agent_of_.end()) return;
    const auto agent = agents_.find(found->second);
    if (agent != agents_.end() && agent->second.stream == stream) agent->second.stream = nullptr;
    agent_of_.erase(found);
  }

  absl::StatusOr<uint64_t> TakeRecords(const v1::RecordChunk& chunk) {
    absl::StatusOr<uint64_t> kept = records_.Append(chunk);
    const std::string& agent = chunk.agent_id();
    const std::string error = kept.ok() ? "" : std::string(kept.status().message());
    if (!kept.ok() || records_.PartOf(agent).second) {
      Run([this, agent, error, bytes = kept.ok() ? *kept : 0] {
        if (fence_.key()) Handle(AgentRecordsStored{agent, *fence_.key(), bytes, error});
      });
    }
    return kept;
  }

 private:
  int64_t Now() const { return clock_->MonotonicNanos(); }

  // ---- What agents say --------------------------------------------------------------------------

  void Greet(const std::shared_ptr<AgentStream>& stream, const v1::Hello& hello) {
    const absl::StatusOr<AgentInfo> info = DecodeHello(hello);
    if (!info.ok()) {
      Refuse(stream, info.status(), true);
      return;
    }
    const absl::StatusOr<Registry::Admission> admission = registry_.Admit(*info, Now());
    if (!admission.ok()) {
      Refuse(stream, admission.status(), false);
      return;
    }
    Welcome(stream, *info, *admission);
  }

  void Refuse(const std::shared_ptr<AgentStream>& stream, const absl::Status& reason, bool permanent) {
    v1::CoordinatorMessage message;
    message.mutable_refused()->set_reason(std::string(reason.message()));
    message.mutable_refused()->set_permanent(permanent);
    stream->Send(std::move(message));
    stream->Close("refused");
    Log(LogLevel::kWarning, "agent refused", {{"reason", std::string(reason.message())}});
  }

  void Welcome(const std::shared_ptr<AgentStream>& stream, const AgentInfo& info,
               Registry::Admission admission) {
    if (admission == Registry::Admission::kReplaced) {
      Lose(info.id, "its process was started anew");
    }
    AgentLink& link = agents_[info.id];
    if (link.stream && link.stream != stream) {
      agent_of_.erase(link.stream.get());
      link.stream->Close("the agent came back on a new stream");
    }
    link.info = info;
    link.stream = stream;
    agent_of_[stream.get()] = info.id;
    v1::CoordinatorMessage message;
    *message.mutable_welcome()->mutable_epoch() = EncodeEpoch(options_.epoch);
    message.mutable_welcome()->set_lease_ms(static_cast<uint64_t>(options_.lease / kNanosPerMilli));
    message.mutable_welcome()->set_heartbeat_ms(static_cast<uint64_t>(options_.heartbeat / kNanosPerMilli));
    stream->Send(std::move(message));
    SendPing(link);
    if (admission == Registry::Admission::kReturned) {
      Handle(AgentReturned{info.id});
    } else {
      Handle(AgentJoined{info});
    }
  }

  void Receive(AgentLink& link, const v1::AgentMessage& message) {
    switch (message.kind_case()) {
      case v1::AgentMessage::kHeartbeat: Beat(link, message.heartbeat()); break;
      case v1::AgentMessage::kPong:
        link.clock.Add(static_cast<int64_t>(message.pong().sent_ns()),
                       static_cast<int64_t>(message.pong().agent_ns()), Now());
        break;
      case v1::AgentMessage::kProbed: Probed(link, message.probed()); break;
      case v1::AgentMessage::kReport: Count(link, message.report()); break;
      case v1::AgentMessage::kStopped: Stopped(link, message.stopped()); break;
      default: Passed(link, message); break;
    }
  }

  void Beat(AgentLink& link, const v1::Heartbeat& heartbeat) {
    if (!fence_.AdmitEpoch(DecodeEpoch(heartbeat.epoch()))) return;
    if (!registry_.Heartbeat(link.info.id, link.info.incarnation, Now())) {
      if (link.stream) link.stream->Close("the lease has lapsed: say Hello anew");
      return;
    }
    v1::CoordinatorMessage message;
    message.mutable_heartbeat_ack()->set_number(heartbeat.number());
    Tell(link, std::move(message));
    SendPing(link);
    for (const v1::LoopPulse& loop : heartbeat.loops()) {
      if (loop.silent_ms() > kLoopSilentMs) Handle(AgentLoopSilent{link.info.id, loop.silent_ms()});
    }
  }

  void SendPing(AgentLink& link) {
    v1::CoordinatorMessage message;
    message.mutable_ping()->set_number(++link.pings);
    message.mutable_ping()->set_sent_ns(static_cast<uint64_t>(Now()));
    Tell(link, std::move(message));
  }

  // The answer is said again at each reconnect; the machine takes one, and says itself when it failed.
  void Probed(AgentLink& link, const v1::Probed& report) {
    if (report.job_id() != options_.machine.job_id || !fence_.AdmitEpoch(DecodeEpoch(report.epoch()))) return;
    if (machine_.probe()) return;
    Handle(AgentProbed{link.info.id, ProbeFindings{report}});
    if (!machine_.probe() || report.has_failure()) return;
    uint64_t capacity = 0;
    for (const AgentInfo& agent : registry_.Agents()) capacity += agent.capacity;
    if (events_.probed) events_.probed(machine_.spec(), report, capacity);
  }

  // The key of a message about the current level; nothing, and counted, for another one.
  std::optional<LevelKey> Current(const v1::LevelKey& key) {
    absl::StatusOr<LevelKey> decoded = DecodeKey(key);
    if (!decoded.ok() || !fence_.Admit(*decoded)) return std::nullopt;
    return *std::move(decoded);
  }

  void Count(AgentLink& link, const v1::Report& report) {
    const absl::StatusOr<LevelKey> key = DecodeKey(report.key());
    if (!key.ok() || !fence_.Admit(*key, DecodeEpoch(report.epoch()))) return;
    const absl::StatusOr<bool> fresh = link.deltas.Receive(report.delta().sequence());
    if (!fresh.ok()) {
      if (link.stream) link.stream->Close(std::string(fresh.status().message()));
      return;
    }
    if (*fresh) {
      absl::StatusOr<MeasuredFacts> facts = DecodeDelta(report.delta(), sla_count_);
      if (!facts.ok()) {
        Lose(link.info.id, absl::StrCat("its report is not valid: ", facts.status().message()));
        return;
      }
      live_.OnFacts(link.info.id, *facts);
      Handle(AgentFacts{link.info.id, *key, *std::move(facts)});
    }
    v1::CoordinatorMessage ack;
    *ack.mutable_delta_ack()->mutable_key() = report.key();
    ack.mutable_delta_ack()->set_sequence(link.deltas.last_sequence());
    Tell(link, std::move(ack));
  }

  void Stopped(AgentLink& link, const v1::Stopped& stopped) {
    const std::optional<LevelKey> key = Current(stopped.key());
    if (!key) return;
    absl::StatusOr<FinalSnapshot> snapshot = DecodeSnapshot(stopped.snapshot());
    if (!snapshot.ok()) {
      Lose(link.info.id, absl::StrCat("its final snapshot is not valid: ", snapshot.status().message()));
      return;
    }
    if (snapshot->deltas != link.deltas.last_sequence()) {
      // The missing reports come again, and Stopped after them, on a new stream.
      if (link.stream) link.stream->Close("reports are missing before Stopped");
      return;
    }
    Handle(AgentStopped{link.info.id, *key, *std::move(snapshot), stopped.error()});
  }

  void Passed(AgentLink& link, const v1::AgentMessage& message) {
    const std::string& id = link.info.id;
    if (message.has_ready()) {
      const v1::Ready& ready = message.ready();
      if (const auto key = Current(ready.key())) {
        Handle(AgentReady{id, *key, ready.error(), {ready.addresses().begin(), ready.addresses().end()}});
      }
    } else if (message.has_started()) {
      if (const auto key = Current(message.started().key())) {
        Handle(AgentStarted{id, *key, message.started().skew_ns()});
      }
    } else if (message.has_warm()) {
      const v1::Warm& warm = message.warm();
      if (const auto key = Current(warm.key())) {
        Handle(AgentWarm{id, *key, warm.deadline_passed(), warm.mean_latency_us()});
      }
    } else if (message.has_share_done()) {
      if (const auto key = Current(message.share_done().key())) Handle(AgentShareDone{id, *key});
    }
  }

  // By value: a caller's id may be the link's own, which goes away here.
  void Lose(std::string agent, const std::string& reason) {
    const auto found = agents_.find(agent);
    if (found == agents_.end()) return;
    if (found->second.stream) {
      agent_of_.erase(found->second.stream.get());
      found->second.stream->Close(reason);
    }
    registry_.Remove(agent, found->second.info.incarnation);
    agents_.erase(found);
    Handle(AgentLost{agent, reason});
  }

  // ---- What the machine wants -------------------------------------------------------------------

  // A message to an agent that is cut off is lost: the machine says it again when it returns.
  static void Tell(AgentLink& link, v1::CoordinatorMessage message) {
    if (link.stream) link.stream->Send(std::move(message));
  }

  void Tell(const std::string& agent, v1::CoordinatorMessage message) {
    const auto found = agents_.find(agent);
    if (found != agents_.end()) Tell(found->second, std::move(message));
  }

  void Do(const JobEffect& effect) {
    std::visit(Overloaded{
                   [this](const SendProbe& e) { Tell(e.agent, ProbeMessage(e, options_.epoch)); },
                   [this](const SendPrepare& e) { Prepare(e); },
                   [this](const SendArm& e) { Tell(e.agent, ArmMessage(e, OffsetOf(e.agent))); },
                   [this](const SendMeasure& e) { Tell(e.agent, MeasureMessage(e, OffsetOf(e.agent))); },
                   [this](const SendStop& e) { Tell(e.agent, StopMessage(e)); },
                   [this](const SendCancel& e) { Tell(e.agent, CancelMessage(e)); },
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
    if (!fence_.key() || !(*fence_.key() == e.task.key)) EnterLevel(e.task);
    const auto found = agents_.find(e.agent);
    if (found == agents_.end()) return;
    if (level_agents_.insert(e.agent).second) found->second.deltas = DeltaReceiver();
    Tell(found->second, PrepareMessage(e, options_.epoch));
  }

  void EnterLevel(const LevelTask& task) {
    fence_.Enter(task.key);
    level_agents_.clear();
    records_expected_ = false;
    level_begun_wall_ = clock_->WallNanos();
    sla_count_ = task.plan.slas.size();
  }

  int64_t OffsetOf(const std::string& agent) const {
    const auto found = agents_.find(agent);
    return found == agents_.end() ? 0 : found->second.clock.offset_ns();
  }

  void PullRecords(const SendPullRecords& e) {
    if (!std::exchange(records_expected_, true)) records_.Expect(e.key, level_agents_);
    Tell(e.agent, PullRecordsMessage(e));
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
    fence_.Leave();
    levels_.push_back(judgement.result);
    if (events_.level_finished) events_.level_finished(levels_.back());
    Handle(LevelJudged{measurement.key, std::move(judgement.outcome)});
  }

  void AddClockErrors(v1::LevelResult& level) {
    for (v1::AgentShare& share : *level.mutable_agents()) {
      const auto found = agents_.find(share.agent());
      if (found == agents_.end()) continue;
      share.set_clock_error_ms(static_cast<double>(found->second.clock.error_ns()) / kNanosPerMilli);
    }
  }

  void Finish(const JobFinished& e) {
    machine_wake_.reset();
    level_runs_ = false;
    options_.record.ended_at = Rfc3339(clock_->WallNanos());
    options_.record.late_messages = fence_.stale();
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
    if (const std::optional<int64_t> expiry = registry_.NextExpiry()) sooner(*expiry);
    for (const auto& [stream, deadline] : nameless_) sooner(deadline);
    if (level_runs_) sooner(live_wake_);
    if (next) {
      worker_.WakeAt(*next, [this] {
        WakeUp();
        SetWakeUp();
      });
    }
  }

  void WakeUp() {
    for (const AgentInfo& agent : registry_.Expire(Now())) Lose(agent.id, "its lease lapsed");
    CloseNameless();
    if (machine_wake_ && *machine_wake_ <= Now()) {
      machine_wake_.reset();
      Handle(TimerFired{});
    }
    if (level_runs_ && live_wake_ <= Now()) ShowLive();
  }

  void CloseNameless() {
    for (auto at = nameless_.begin(); at != nameless_.end();) {
      if (at->second > Now()) {
        ++at;
        continue;
      }
      at->first->Close("no Hello in time");
      at = nameless_.erase(at);
    }
  }

  JobDriverOptions options_;
  const JobDriverEvents events_;
  const Clock* const clock_;
  RecordStore records_;
  Registry registry_;
  JobMachine machine_;
  Fence fence_;
  std::map<std::string, AgentLink> agents_;
  std::map<AgentStream*, std::string> agent_of_;
  std::map<std::shared_ptr<AgentStream>, int64_t> nameless_;  // by the deadline of their Hello
  std::vector<v1::LevelResult> levels_;
  LiveView live_;
  bool level_runs_ = false;
  int64_t live_wake_ = 0;
  std::optional<int64_t> machine_wake_;
  int64_t level_begun_wall_ = 0;
  size_t sla_count_ = 0;
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

void JobDriver::OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string&) {
  core_->Run([core = core_.get(), stream] { core->Expect(stream); });
}

void JobDriver::OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) {
  core_->Run([core = core_.get(), stream, message = std::move(message)] { core->Receive(stream, message); });
}

void JobDriver::OnClosed(const std::shared_ptr<AgentStream>& stream) {
  core_->Run([core = core_.get(), stream] { core->Forget(stream); });
}

absl::StatusOr<uint64_t> JobDriver::OnRecords(const v1::RecordChunk& chunk) { return core_->TakeRecords(chunk); }

}  // namespace tidemark
