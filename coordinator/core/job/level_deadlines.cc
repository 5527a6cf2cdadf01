// The deadlines of a level's waits: each names who is missing.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/clock/clock.h"
#include "coordinator/core/job/level_machine.h"

namespace tidemark {
namespace {

// For the agents' own word on their deadline.
constexpr int64_t kWarmMargin = 2 * kNanosPerSecond;

std::string Seconds(int64_t nanos) { return absl::StrCat(nanos / kNanosPerSecond, " s"); }

std::string NameAgents(const std::vector<std::string>& agents) {
  return absl::StrCat(agents.size() == 1 ? "agent " : "agents ", absl::StrJoin(agents, ", "));
}

}  // namespace

int64_t LevelMachine::WarmDeadline() const {
  return start_at_ + static_cast<int64_t>(task_.plan.warmup_deadline_ns) + kWarmMargin;
}

int64_t LevelMachine::StallDeadline() const {
  int64_t oldest = INT64_MAX;
  for (const Participant& p : participants_) {
    if (!p.gone && !p.share_done) oldest = std::min(oldest, p.last_news);
  }
  return oldest == INT64_MAX ? oldest : oldest + times_.request_limit + times_.barrier_deadline;
}

int64_t LevelMachine::next_wake() const {
  switch (phase_) {
    case LevelPhase::kPreparing:
    case LevelPhase::kRecords:
      return deadline_;
    case LevelPhase::kRamp: {
      const auto ramp = static_cast<int64_t>(task_.plan.ramp_ns);
      return start_at_ +
             (All(&Participant::started) ? ramp : std::min(ramp, times_.barrier_deadline));
    }
    case LevelPhase::kWarmup:
      return All(&Participant::started) ? WarmDeadline() : start_at_ + times_.barrier_deadline;
    case LevelPhase::kMeasuring: {
      const int64_t wake = StallDeadline();
      const std::optional<int64_t> drained = DrainDeadline();
      return drained ? std::min(wake, *drained) : wake;
    }
    case LevelPhase::kStopping:
      return std::min(deadline_, resend_at_);
  }
  return deadline_;
}

void LevelMachine::OnTime(int64_t now, JobEffects* out) {
  if (state_ != State::kRunning) return;
  switch (phase_) {
    case LevelPhase::kPreparing:
      if (now >= deadline_) GiveUpOnMissing(&Participant::ready, "READY", now, out);
      return;
    case LevelPhase::kRamp:
    case LevelPhase::kWarmup:
      return OnTimeRamp(now, out);
    case LevelPhase::kMeasuring:
      return OnTimeMeasuring(now, out);
    case LevelPhase::kStopping:
      if (now >= deadline_) return GiveUpOnMissing(&Participant::stopped, "STOPPED", now, out);
      if (now < resend_at_) return;
      resend_at_ = now + times_.resend_every;
      return SendStops(out);
    case LevelPhase::kRecords:
      if (now >= deadline_) OnTimeRecords(now, out);
      return;
  }
}

// It is alive, so it is told; but nobody waits for it any more.
void LevelMachine::GiveUpOn(Participant& p, const std::string& reason, JobEffects* out) {
  p.gone = true;
  unfit_.push_back(p.part.agent);
  out->push_back(SendCancel{p.part.agent, task_.key, reason});
}

// Agents that did not reach the barrier are left out of this level. Spares among them cost nothing.
void LevelMachine::GiveUpOnMissing(Flag flag, absl::string_view barrier, int64_t now,
                                   JobEffects* out) {
  std::vector<std::string> missing;
  for (Participant& p : participants_) {
    if (p.gone || p.*flag) continue;
    GiveUpOn(p, absl::StrCat("no ", barrier, " in time"), out);
    if (!p.idle()) missing.push_back(p.part.agent);
  }
  if (missing.empty() || abandoned_) return Advance(now, out);
  Void(missing.front(),
       absl::StrCat("no ", barrier, " from ", NameAgents(missing), " in time (",
                    Seconds(times_.barrier_deadline), ")"),
       now, out);
}

void LevelMachine::OnTimeRamp(int64_t now, JobEffects* out) {
  if (!All(&Participant::started)) {
    if (now >= start_at_ + times_.barrier_deadline) {
      return GiveUpOnMissing(&Participant::started, "STARTED", now, out);
    }
  }
  if (phase_ == LevelPhase::kRamp && now >= start_at_ + static_cast<int64_t>(task_.plan.ramp_ns)) {
    Enter(LevelPhase::kWarmup, out);
  }
  if (!All(&Participant::started) || now < WarmDeadline()) return;
  warmup_deadline_passed_ = true;
  out->push_back(Say{true, absl::StrCat("no WARM from ", NameAgents(Missing(&Participant::warm)),
                                        " by the warm-up's deadline: measures all the same")});
  Measure(now, out);
}

// The grace of measured requests runs from the last measured start of any agent. Nothing while one may
// still start some. An agent that is capped starts none after its own T0 + cap; its T0 is not later than
// the report that first counted a measured request, and any start after that moves last_start.
std::optional<int64_t> LevelMachine::DrainDeadline() const {
  if (!times_.grace) return std::nullopt;
  const auto cap = static_cast<int64_t>(task_.plan.window_cap_ns);
  int64_t last = measure_at_;
  for (const Participant& p : participants_) {
    if (p.gone || p.share_done || p.part.share.requests == 0) continue;
    if (!p.first_start) return std::nullopt;
    last = std::max(last, p.last_start);
    if (p.part.facts.measured.sent >= p.part.share.requests) continue;
    if (cap == 0) return std::nullopt;
    last = std::max(last, *p.first_start + cap);
  }
  return last + *times_.grace;
}

void LevelMachine::OnTimeMeasuring(int64_t now, JobEffects* out) {
  const std::optional<int64_t> drained = DrainDeadline();
  if (drained && now >= *drained) {
    drain_deadline_passed_ = true;
    return StopAll(0, now, out);
  }
  if (now < StallDeadline()) return;
  std::vector<std::string> silent;
  for (Participant& p : participants_) {
    if (p.gone || p.share_done) continue;
    if (now < p.last_news + times_.request_limit + times_.barrier_deadline) continue;
    GiveUpOn(p, "no request ended", out);
    if (!p.idle()) silent.push_back(p.part.agent);
  }
  if (silent.empty()) return Advance(now, out);
  Void(silent.front(),
       absl::StrCat("no request of ", NameAgents(silent), " ended for ",
                    Seconds(times_.request_limit + times_.barrier_deadline),
                    ", longer than any may take"),
       now, out);
}

void LevelMachine::OnTimeRecords(int64_t now, JobEffects* out) {
  for (Participant& p : participants_) {
    if (std::exchange(p.records_due, false)) LoseRecords(p.part.agent, "did not send them in time");
  }
  Advance(now, out);
}

}  // namespace tidemark
