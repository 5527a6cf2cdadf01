#include "agent/core/session_machine/agent_machine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/core/session_machine/agent_level.h"
#include "common/clock/clock.h"
#include "common/session/lease.h"

namespace tidemark {
namespace {

// Of what a message may ask for: a year, as of a job's own time limits.
constexpr uint64_t kMaxMillis = uint64_t{365} * 86'400'000;
// A start is near: one that is farther away is a mistake, and begins now.
constexpr int64_t kEarliestStart = -10 * kNanosPerSecond;
constexpr int64_t kLatestStart = 10 * kNanosPerSecond;

int64_t MillisToNanos(uint64_t millis) {
  return static_cast<int64_t>(std::min(millis, kMaxMillis)) * kNanosPerMilli;
}

// The coordinator's time `at` on this agent's clock, whose offset is `offset`.
int64_t StartAt(uint64_t at, int64_t offset, int64_t now) {
  const int64_t start = static_cast<int64_t>(at + static_cast<uint64_t>(offset));  // wraps, never overflows
  return start < now + kEarliestStart || start > now + kLatestStart ? now : start;
}

}  // namespace

class AgentMachine::State {
 public:
  State(v1::Hello hello, AgentMachineOptions options)
      : hello_(std::move(hello)), options_(options), backoff_(options.reconnect_first) {}

  std::vector<AgentEffect> Handle(const AgentEvent& event, int64_t now) {
    out_ = AgentOutbox();
    out_.up = link_ == Link::kWelcomed;
    out_.epoch = fence_.epoch();
    now_ = now;
    if (link_ != Link::kGone) std::visit([this](const auto& e) { On(e); }, event);
    if (link_ != Link::kGone) SetWake();
    return std::move(out_.effects);
  }

  bool welcomed() const { return link_ == Link::kWelcomed; }
  bool busy() const { return level_ && !level_->stopped(); }
  uint64_t stale() const { return fence_.stale(); }
  const SessionEpoch& epoch() const { return fence_.epoch(); }

 private:
  enum class Link {
    kNone,     // no stream; the next one opens at reopen_at_, or when the engine has stopped
    kOpening,  // OpenStream was asked for
    kHello,    // Hello is sent
    kWelcomed,
    kGone,  // ExitAgent was said
  };

  // ---- the stream ----

  void On(const AgentBegin&) { Open(); }

  void Open() {
    link_ = Link::kOpening;
    welcome_deadline_ = now_ + options_.welcome_deadline;
    out_.effects.push_back(OpenStream{});
  }

  void On(const StreamOpened&) {
    if (link_ != Link::kOpening) return;
    link_ = Link::kHello;
    hello_sent_at_ = now_;
    v1::AgentMessage message;
    *message.mutable_hello() = hello_;
    out_.effects.push_back(SendToCoordinator{std::move(message)});
  }

  void On(const StreamLost& event) {
    if (link_ == Link::kNone) return;
    out_.Log(true, absl::StrCat("no stream to the coordinator: ", event.reason, "; tries again in ",
                                backoff_ / kNanosPerMilli, " ms"));
    Down();
  }

  // No stream from here on; another try after the back-off.
  void Down() {
    link_ = Link::kNone;
    out_.up = false;
    reopen_at_ = now_ + backoff_;
    backoff_ = std::min(backoff_ * 2, options_.reconnect_most);
  }

  void CloseAndRetry(const std::string& reason) {
    out_.effects.push_back(CloseStream{reason});
    Down();
  }

  // Leaving goes last, so that the coordinator need not wait for the lease to end.
  void Exit(const std::string& reason, bool failed) {
    if (link_ == Link::kWelcomed) {
      v1::AgentMessage message;
      message.mutable_leaving()->set_reason(reason);
      out_.effects.push_back(SendToCoordinator{std::move(message)});
    }
    if (link_ != Link::kNone) out_.effects.push_back(CloseStream{reason});
    out_.effects.push_back(ExitAgent{reason, failed});
    link_ = Link::kGone;
  }

  void OnWelcome(const v1::Welcome& welcome) {
    if (link_ != Link::kHello) return;
    const SessionEpoch epoch = DecodeEpoch(welcome.epoch());
    if (epoch != fence_.epoch() && !LeaveOldEpoch()) return;
    fence_.Adopt(epoch);
    link_ = Link::kWelcomed;
    out_.up = true;
    out_.epoch = epoch;
    backoff_ = options_.reconnect_first;
    heartbeat_every_ = std::max<int64_t>(kNanosPerMilli, MillisToNanos(welcome.heartbeat_ms()));
    next_heartbeat_ = now_;
    lease_.Begin(hello_sent_at_, MillisToNanos(welcome.lease_ms()));
    out_.effects.push_back(EngineSetSendDeadline{lease_.expires_at()});
    if (probed_) out_.Say(*probed_);
    if (level_) level_->SayAgain(out_);
  }

  // A level of another epoch is dropped. False: its streams are still open, so Hello is said anew
  // once they are closed, for a new epoch must find this agent idle.
  bool LeaveOldEpoch() {
    probed_.reset();
    probing_.reset();
    waiting_.reset();
    if (!level_) return true;
    const bool running = level_->engine_running();
    level_->GiveUp("the coordinator was started anew", out_);
    if (!running) {
      level_.reset();
      return true;
    }
    BeginCancelDeadline();
    CloseAndRetry("still closing what an earlier coordinator started");
    return false;
  }

  void OnRefused(const v1::Refused& refused) {
    if (link_ != Link::kHello) return;
    if (refused.permanent()) return Exit(refused.reason(), true);
    out_.Log(true, absl::StrCat("the coordinator refuses this agent: ", refused.reason()));
    CloseAndRetry(refused.reason());
  }

  // ---- time ----

  void On(const AgentTimer& timer) {
    wake_.reset();
    if (cancel_deadline_ && now_ >= *cancel_deadline_) {
      return Exit("the engine did not stop in time: leaving rather than carrying two levels", true);
    }
    if (lease_.begun() && !lease_.held(now_)) LoseLease();
    if (link_ == Link::kWelcomed && now_ >= next_heartbeat_) SendHeartbeat(timer.loop_silent_ms);
    if ((link_ == Link::kOpening || link_ == Link::kHello) && now_ >= welcome_deadline_) {
      out_.Log(true, "the coordinator did not say Welcome in time; tries again");
      CloseAndRetry("no Welcome in time");
    }
    if (link_ == Link::kNone && now_ >= reopen_at_ && !HoldsBack()) Open();
  }

  // Hello is said only when all that was in flight is closed, except while the lease still holds.
  bool HoldsBack() const {
    return leaving_ || (level_ && level_->engine_running() && cancel_deadline_);
  }

  void LoseLease() {
    lease_.End();
    out_.Log(true,
             "the lease lapsed: no acknowledged heartbeat; stops sending and says Hello anew");
    if (busy()) {
      const bool running = level_->engine_running();
      out_.up = false;  // what follows is said on the next stream
      level_->GiveUp("its lease lapsed", out_);
      if (running && level_->engine_running()) BeginCancelDeadline();
    }
    waiting_.reset();
    if (link_ != Link::kNone) CloseAndRetry("the lease lapsed");
  }

  void BeginCancelDeadline() {
    if (!cancel_deadline_) cancel_deadline_ = now_ + options_.cancel_deadline;
  }

  void SendHeartbeat(const std::vector<uint64_t>& loop_silent_ms) {
    v1::AgentMessage message;
    v1::Heartbeat* heartbeat = message.mutable_heartbeat();
    heartbeat->set_number(++heartbeats_);
    *heartbeat->mutable_epoch() = EncodeEpoch(fence_.epoch());
    for (uint64_t silent : loop_silent_ms) heartbeat->add_loops()->set_silent_ms(silent);
    lease_.HeartbeatSent(heartbeats_, now_);
    next_heartbeat_ = std::max(next_heartbeat_ + heartbeat_every_, now_ + heartbeat_every_ / 2);
    out_.Say(message);
  }

  void SetWake() {
    std::optional<int64_t> wake = cancel_deadline_;
    const auto at = [&wake](int64_t time) { wake = wake ? std::min(*wake, time) : time; };
    if (lease_.begun()) at(lease_.expires_at());
    if (link_ == Link::kWelcomed) at(next_heartbeat_);
    if (link_ == Link::kOpening || link_ == Link::kHello) at(welcome_deadline_);
    if (link_ == Link::kNone && !HoldsBack()) at(reopen_at_);
    if (wake == wake_) return;
    wake_ = wake;
    if (wake) out_.effects.push_back(WakeAt{*wake});
  }

  // ---- what the coordinator says ----

  void On(const CoordinatorSaid& said) {
    const v1::CoordinatorMessage& m = said.message;
    if (m.has_welcome()) return OnWelcome(m.welcome());
    if (m.has_refused()) return OnRefused(m.refused());
    if (m.has_ping()) return OnPing(m.ping());
    if (link_ != Link::kWelcomed) return;
    if (m.has_heartbeat_ack()) return OnHeartbeatAck(m.heartbeat_ack());
    if (m.has_probe()) return OnProbe(m.probe());
    if (m.has_prepare()) return OnPrepare(m.prepare());
    OnLevelCommand(m);
  }

  void OnHeartbeatAck(const v1::HeartbeatAck& ack) {
    if (!lease_.held(now_)) return;  // the timer says so
    lease_.HeartbeatAcknowledged(ack.number());
    out_.effects.push_back(EngineSetSendDeadline{lease_.expires_at()});
  }

  // Also before Welcome: so it comes ahead of all that is said again.
  void OnPing(const v1::Ping& ping) {
    if (link_ != Link::kHello && link_ != Link::kWelcomed) return;
    v1::AgentMessage message;
    message.mutable_pong()->set_number(ping.number());
    message.mutable_pong()->set_sent_ns(ping.sent_ns());
    message.mutable_pong()->set_agent_ns(static_cast<uint64_t>(now_));
    out_.effects.push_back(SendToCoordinator{std::move(message)});
  }

  void OnProbe(const v1::Probe& probe) {
    if (probed_ && probed_->probed().job_id() == probe.job_id()) return out_.Say(*probed_);
    if (probing_ == probe.job_id()) return;
    absl::StatusOr<ProbeTask> task = DecodeProbeTask(probe);
    if (!task.ok()) {
      out_.Log(true, absl::StrCat("PROBE refused: ", std::string(task.status().message())));
      return;
    }
    probing_ = task->job_id;
    probed_.reset();
    out_.effects.push_back(RunProbe{*std::move(task)});
  }

  void On(const ProbeDone& done) {
    if (probing_ != done.job_id) return;
    probing_.reset();
    probed_.emplace();
    *probed_->mutable_probed() = done.report;
    probed_->mutable_probed()->set_job_id(done.job_id);
    *probed_->mutable_probed()->mutable_epoch() = EncodeEpoch(fence_.epoch());
    out_.Say(*probed_);
  }

  void OnPrepare(const v1::Prepare& prepare) {
    absl::StatusOr<LevelTask> task = DecodeTask(prepare);
    if (!task.ok()) return RefusePrepare(prepare, task.status());
    if (leaving_ || IsOld(task->key)) return;
    if (level_ && !level_->stopped()) {
      // A level that the coordinator thinks is over: nothing else starts before it has closed.
      level_->Cancel(out_);
      if (!level_->stopped()) {
        waiting_ = *std::move(task);
        waiting_cancelled_ = false;
        return BeginCancelDeadline();
      }
    }
    StartLevel(*std::move(task));
  }

  void RefusePrepare(const v1::Prepare& prepare, const absl::Status& status) {
    out_.Log(true, absl::StrCat("PREPARE refused: ", std::string(status.message())));
    v1::AgentMessage message;
    *message.mutable_ready()->mutable_key() = prepare.key();
    message.mutable_ready()->set_error(std::string(status.message()));
    out_.Say(message);
  }

  // The current level (a repetition), or one before it: neither starts anything.
  bool IsOld(const LevelKey& key) {
    if (waiting_ && waiting_->key == key) return true;
    if (!level_ || level_->key().job_id != key.job_id) return false;
    const LevelKey& current = level_->key();
    if (std::pair(key.level, key.attempt) > std::pair(current.level, current.attempt)) return false;
    fence_.Admit(key);
    return true;
  }

  void StartLevel(LevelTask task, bool cancelled = false) {
    fence_.Enter(task.key);
    level_.emplace(std::move(task));
    if (cancelled) return level_->Cancel(out_);
    level_->Prepare(out_);
  }

  void OnLevelCommand(const v1::CoordinatorMessage& m) {
    if (m.has_arm() && Current(m.arm().key())) {
      const v1::Arm& arm = m.arm();
      const int64_t start = StartAt(arm.start_at_ns(), arm.clock_offset_ns(), now_);
      // As far from the start as the coordinator has it, also when the start was brought near.
      level_->Arm(start, start + static_cast<int64_t>(arm.slice_origin_ns() - arm.start_at_ns()), out_);
    } else if (m.has_measure() && Current(m.measure().key())) {
      const v1::Measure& measure = m.measure();
      level_->Measure(StartAt(measure.start_at_ns(), measure.clock_offset_ns(), now_), out_);
    } else if (m.has_stop() && Current(m.stop().key())) {
      level_->Stop(MillisToNanos(m.stop().drain_ms()), out_);
    } else if (m.has_cancel() && Current(m.cancel().key())) {
      level_->Cancel(out_);
    } else if (m.has_delta_ack() && Current(m.delta_ack().key())) {
      level_->Acknowledge(m.delta_ack().sequence(), out_);
    } else if (m.has_pull_records() && Current(m.pull_records().key())) {
      out_.effects.push_back(UploadRecords{level_->key()});
    }
  }

  bool Current(const v1::LevelKey& key) {
    absl::StatusOr<LevelKey> decoded = DecodeKey(key);
    if (!decoded.ok()) return false;
    if (waiting_ && waiting_->key == *decoded) {
      // Only Stop and Cancel can come before Ready: it is answered when the engine has stopped.
      waiting_cancelled_ = true;
      return false;
    }
    return fence_.Admit(*decoded) && level_;
  }

  // ---- the engine ----

  bool Mine(const LevelKey& key) const { return level_ && level_->key() == key; }

  void On(const EngineReady& e) {
    if (Mine(e.key)) level_->OnReady(e, out_);
  }
  void On(const EngineStarted& e) {
    if (Mine(e.key)) level_->OnStarted(e.skew_ns, out_);
  }
  void On(const EngineWarm& e) {
    if (Mine(e.key)) level_->OnWarm(e, out_);
  }
  void On(const EngineFacts& e) {
    if (Mine(e.key)) level_->OnFacts(e.facts, out_);
  }
  void On(const EngineShareDone& e) {
    if (Mine(e.key)) level_->OnShareDone(out_);
  }

  void On(const EngineStopped& e) {
    if (!Mine(e.key)) return;
    level_->OnStopped(e.snapshot, out_);
    cancel_deadline_.reset();
    if (leaving_) return Exit(leave_reason_, false);
    if (waiting_) StartLevel(*std::exchange(waiting_, std::nullopt), waiting_cancelled_);
    if (link_ == Link::kNone && now_ >= reopen_at_) Open();
  }

  void On(const AgentLeaves& leaves) {
    leaving_ = true;
    leave_reason_ = leaves.reason;
    waiting_.reset();
    const bool running = level_ && level_->engine_running();
    if (level_) level_->GiveUp(absl::StrCat("the agent was told to end: ", leaves.reason), out_);
    if (!running || level_->stopped()) return Exit(leaves.reason, false);
    BeginCancelDeadline();
  }

  const v1::Hello hello_;
  const AgentMachineOptions options_;

  Link link_ = Link::kNone;
  int64_t now_ = 0;
  int64_t backoff_;
  int64_t reopen_at_ = 0;
  int64_t welcome_deadline_ = 0;
  int64_t hello_sent_at_ = 0;
  int64_t heartbeat_every_ = kDefaultHeartbeat;
  int64_t next_heartbeat_ = 0;
  uint64_t heartbeats_ = 0;
  std::optional<int64_t> wake_;
  // Set while the engine closes a level that is no longer wanted.
  std::optional<int64_t> cancel_deadline_;
  bool leaving_ = false;
  std::string leave_reason_;

  AgentLease lease_;
  Fence fence_;
  std::optional<AgentLevel> level_;
  std::optional<LevelTask> waiting_;  // PREPAREd, until the engine has closed the level before
  bool waiting_cancelled_ = false;
  std::optional<std::string> probing_;
  std::optional<v1::AgentMessage> probed_;
  AgentOutbox out_;
};

AgentMachine::AgentMachine(v1::Hello hello, AgentMachineOptions options)
    : state_(std::make_unique<State>(std::move(hello), options)) {}
AgentMachine::~AgentMachine() = default;

std::vector<AgentEffect> AgentMachine::Handle(const AgentEvent& event, int64_t now) {
  return state_->Handle(event, now);
}
bool AgentMachine::welcomed() const { return state_->welcomed(); }
bool AgentMachine::busy() const { return state_->busy(); }
uint64_t AgentMachine::stale_messages() const { return state_->stale(); }
const SessionEpoch& AgentMachine::epoch() const { return state_->epoch(); }

}  // namespace tidemark
