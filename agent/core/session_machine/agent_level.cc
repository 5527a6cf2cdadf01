#include "agent/core/session_machine/agent_level.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {

void AgentLevel::SayBarrier(v1::AgentMessage message, AgentOutbox& out) {
  out.Say(message);
  said_.push_back(std::move(message));
}

void AgentLevel::SayReady(const std::string& error, const std::vector<std::string>& addresses,
                          AgentOutbox& out) {
  v1::AgentMessage message;
  v1::Ready* ready = message.mutable_ready();
  *ready->mutable_key() = EncodeKey(key());
  ready->set_error(error);
  for (const std::string& address : addresses) ready->add_addresses(address);
  SayBarrier(std::move(message), out);
}

void AgentLevel::Prepare(AgentOutbox& out) {
  if (phase_ != Phase::kNew) return;
  phase_ = Phase::kPreparing;
  if (!idle_share()) {
    out.effects.push_back(EnginePrepare{task_});
    return;
  }
  phase_ = Phase::kReady;
  SayReady("", {}, out);
}

void AgentLevel::Arm(int64_t start, int64_t slice_origin, AgentOutbox& out) {
  if (phase_ != Phase::kReady) return;
  phase_ = Phase::kRunning;
  if (!idle_share()) {
    out.effects.push_back(EngineArm{key(), start, slice_origin});
    return;
  }
  OnStarted(0, out);
  OnWarm({key(), false, 0}, out);
}

void AgentLevel::Measure(int64_t start, AgentOutbox& out) {
  if (phase_ != Phase::kRunning || measuring_) return;
  measuring_ = true;
  if (!idle_share()) out.effects.push_back(EngineMeasure{key(), start});
  // With fewer requests than agents a share may have slots and nothing to measure.
  if (task_.share.requests == 0) OnShareDone(out);
}

void AgentLevel::StopBeforeStart(AgentOutbox& out) {
  if (!idle_share() && phase_ != Phase::kNew) out.effects.push_back(EngineCancel{key()});
  FinalSnapshot nothing;
  nothing.stopped_early = true;
  OnStopped(nothing, out);
}

void AgentLevel::Stop(int64_t drain_ns, AgentOutbox& out) {
  switch (phase_) {
    case Phase::kNew:
    case Phase::kPreparing:
    case Phase::kReady:
      return StopBeforeStart(out);
    case Phase::kRunning:
      phase_ = Phase::kStopping;
      if (idle_share()) return OnStopped(FinalSnapshot(), out);
      out.effects.push_back(EngineStop{key(), drain_ns});
      return;
    case Phase::kStopping:
      return;
    case Phase::kStopped:
      stopped_said_ = false;  // asked again, so the answer did not arrive
      return Flush(out);
  }
}

void AgentLevel::Cancel(AgentOutbox& out) {
  if (!engine_running() || idle_share()) return Stop(0, out);
  phase_ = Phase::kStopping;
  if (!std::exchange(cancelled_, true)) out.effects.push_back(EngineCancel{key()});
}

void AgentLevel::GiveUp(const std::string& reason, AgentOutbox& out) {
  // Once stopped, all that the coordinator needs is said or kept to be said again.
  if (stopped()) return;
  error_ = reason;
  Cancel(out);
}

void AgentLevel::Acknowledge(uint64_t sequence, AgentOutbox& out) {
  sender_.Acknowledge(sequence);
  Flush(out);
}

void AgentLevel::SayAgain(AgentOutbox& out) {
  for (const v1::AgentMessage& message : said_) out.Say(message);
  sender_.StreamRestarted();
  stopped_said_ = false;
  Flush(out);
}

void AgentLevel::OnReady(const EngineReady& event, AgentOutbox& out) {
  if (phase_ != Phase::kPreparing) return;
  phase_ = Phase::kReady;
  SayReady(event.status.ok() ? "" : std::string(event.status.message()), event.addresses, out);
}

void AgentLevel::OnStarted(int64_t skew_ns, AgentOutbox& out) {
  if (phase_ != Phase::kRunning) return;
  v1::AgentMessage message;
  *message.mutable_started()->mutable_key() = EncodeKey(key());
  message.mutable_started()->set_skew_ns(skew_ns);
  SayBarrier(std::move(message), out);
}

void AgentLevel::OnWarm(const EngineWarm& event, AgentOutbox& out) {
  if (phase_ != Phase::kRunning || std::exchange(warm_said_, true)) return;
  v1::AgentMessage message;
  *message.mutable_warm()->mutable_key() = EncodeKey(key());
  message.mutable_warm()->set_deadline_passed(event.deadline_passed);
  message.mutable_warm()->set_mean_latency_us(event.mean_latency_us);
  SayBarrier(std::move(message), out);
}

void AgentLevel::OnShareDone(AgentOutbox& out) {
  if (phase_ != Phase::kRunning || std::exchange(share_done_said_, true)) return;
  v1::AgentMessage message;
  *message.mutable_share_done()->mutable_key() = EncodeKey(key());
  SayBarrier(std::move(message), out);
}

void AgentLevel::OnFacts(const MeasuredFacts& facts, AgentOutbox& out) {
  if (!engine_running() || !error_.empty()) return;
  sender_.Add(facts);
  Flush(out);
}

void AgentLevel::OnStopped(const FinalSnapshot& snapshot, AgentOutbox& out) {
  if (stopped()) return;
  phase_ = Phase::kStopped;
  snapshot_ = snapshot;
  Flush(out);
}

// Deltas as the window allows; the last word only after the last delta.
void AgentLevel::Flush(AgentOutbox& out) {
  if (!out.up) return;
  for (v1::Delta& delta : sender_.TakeToSend()) {
    v1::AgentMessage message;
    v1::Report* report = message.mutable_report();
    *report->mutable_key() = EncodeKey(key());
    *report->mutable_epoch() = EncodeEpoch(out.epoch);
    *report->mutable_delta() = std::move(delta);
    out.Say(message);
  }
  if (!snapshot_ || stopped_said_ || !sender_.AllSent()) return;
  stopped_said_ = true;
  snapshot_->deltas = sender_.count();
  v1::AgentMessage message;
  *message.mutable_stopped()->mutable_key() = EncodeKey(key());
  *message.mutable_stopped()->mutable_snapshot() = EncodeSnapshot(*snapshot_);
  message.mutable_stopped()->set_error(error_);
  out.Say(message);
}

}  // namespace tidemark
