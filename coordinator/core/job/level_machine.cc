#include "coordinator/core/job/level_machine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr int64_t kNanosARecordByte = 1'000;  // records come at 1 MB/s at least

// What all reports of an agent may come to in one attempt: far above what a day's level has, and a bound on what is kept.
constexpr size_t kMostFailureClasses = 100;
constexpr size_t kMostAddresses = 4'096;
constexpr size_t kMostSlices = 1'000'000;

std::string Excess(const MeasuredFacts& facts) {
  const std::tuple<const char*, size_t, size_t> counts[] = {
      {"failure classes", facts.failures.size(), kMostFailureClasses},
      {"failure classes of examples", facts.examples.size() / kExamplesPerClass, kMostFailureClasses},
      {"addresses", facts.addresses.size(), kMostAddresses},
      {"slices", facts.slices.size(), kMostSlices}};
  for (const auto& [what, count, most] : counts) {
    if (count > most) return absl::StrCat("its reports name ", count, " ", what, ", where at most ", most, " are taken");
  }
  return "";
}

}  // namespace

const char* LevelPhaseName(LevelPhase phase) {
  switch (phase) {
    case LevelPhase::kPreparing:
      return "preparing";
    case LevelPhase::kRamp:
      return "ramp";
    case LevelPhase::kWarmup:
      return "warm-up";
    case LevelPhase::kMeasuring:
      return "measuring";
    case LevelPhase::kStopping:
      return "draining";
    case LevelPhase::kRecords:
      return "records";
  }
  return "unknown";
}

LevelMachine::LevelMachine(LevelTask task, const std::vector<AgentShare>& shares, LevelTimes times)
    : task_(std::move(task)), times_(times) {
  for (const AgentShare& share : shares) {
    Participant p;
    p.part.agent = share.agent;
    p.part.share = share.share;
    participants_.push_back(std::move(p));
  }
}

// ---- who is where -------------------------------------------------------------------------------

LevelMachine::Participant* LevelMachine::Find(const std::string& agent, const LevelKey& key) {
  if (!(key == task_.key)) return nullptr;
  for (Participant& p : participants_) {
    if (p.part.agent == agent && !p.gone) return &p;
  }
  return nullptr;
}

// Asked with every word of every agent: it builds nothing.
bool LevelMachine::All(Flag flag) const {
  return std::all_of(participants_.begin(), participants_.end(),
                     [flag](const Participant& p) { return p.gone || p.*flag; });
}

std::vector<std::string> LevelMachine::Missing(Flag flag) const {
  std::vector<std::string> out;
  for (const Participant& p : participants_) {
    if (!p.gone && !(p.*flag)) out.push_back(p.part.agent);
  }
  return out;
}

SentTotals LevelMachine::sent() const {
  SentTotals sent;
  for (const Participant& p : participants_) {
    const AgentPart& part = p.part;
    sent.requests += std::max(part.facts.measured.sent + part.facts.unmeasured.sent,
                              part.snapshot.measured.sent + part.snapshot.unmeasured.sent);
    sent.output_tokens += part.facts.sent_output_tokens;
    sent.input_tokens += part.facts.sent_input_tokens;
  }
  return sent;
}

// ---- the phases ---------------------------------------------------------------------------------

void LevelMachine::Enter(LevelPhase phase, JobEffects* out) {
  phase_ = phase;
  out->push_back(PhaseChanged{task_.key, phase, task_.plan.concurrency, task_.plan.request_count});
}

void LevelMachine::Begin(int64_t now, JobEffects* out) {
  begun_at_ = now;
  deadline_ = now + times_.barrier_deadline;
  Enter(LevelPhase::kPreparing, out);
  for (const Participant& p : participants_) {
    LevelTask task = task_;
    task.share = p.part.share;
    out->push_back(SendPrepare{p.part.agent, std::move(task)});
  }
}

// Passes the barriers that all have reached.
void LevelMachine::Advance(int64_t now, JobEffects* out) {
  if (state_ != State::kRunning) return;
  switch (phase_) {
    case LevelPhase::kPreparing:
      if (All(&Participant::ready)) Arm(now, out);
      return;
    case LevelPhase::kRamp:
    case LevelPhase::kWarmup:
      if (All(&Participant::started) && All(&Participant::warm)) Measure(now, out);
      return;
    case LevelPhase::kMeasuring:
      if (All(&Participant::share_done)) StopAll(0, now, out);
      return;
    case LevelPhase::kStopping:
      if (All(&Participant::stopped)) EndStopping(now, out);
      return;
    case LevelPhase::kRecords: {
      const auto due = [](const Participant& p) { return p.records_due && !p.gone; };
      if (std::none_of(participants_.begin(), participants_.end(), due)) state_ = State::kCompleted;
      return;
    }
  }
}

void LevelMachine::Arm(int64_t now, JobEffects* out) {
  armed_ = true;
  start_at_ = now + times_.start_lead;
  Enter(LevelPhase::kRamp, out);
  for (const Participant& p : participants_) {
    if (!p.gone) out->push_back(SendArm{p.part.agent, task_.key, start_at_, start_at_});
  }
}

void LevelMachine::Measure(int64_t now, JobEffects* out) {
  measuring_ = true;
  measure_at_ = now + times_.start_lead;
  Enter(LevelPhase::kMeasuring, out);
  for (Participant& p : participants_) {
    p.last_news = measure_at_;
    if (!p.gone) out->push_back(SendMeasure{p.part.agent, task_.key, measure_at_});
  }
}

void LevelMachine::StopAll(int64_t drain, int64_t now, JobEffects* out) {
  drain_ = drain;
  deadline_ = now + drain + times_.barrier_deadline;
  resend_at_ = now + times_.resend_every;
  Enter(LevelPhase::kStopping, out);
  SendStops(out);
  Advance(now, out);
}

void LevelMachine::CancelAll(const std::string& reason, int64_t now, JobEffects* out) {
  cancelling_ = true;
  cancel_reason_ = reason;
  deadline_ = now + times_.barrier_deadline;
  resend_at_ = now + times_.resend_every;
  if (phase_ != LevelPhase::kStopping) Enter(LevelPhase::kStopping, out);
  SendStops(out);
  Advance(now, out);
}

void LevelMachine::SendStops(JobEffects* out) const {
  for (const Participant& p : participants_) {
    if (!p.gone && !p.stopped) SendStopTo(p, out);
  }
}

void LevelMachine::SendStopTo(const Participant& p, JobEffects* out) const {
  if (cancelling_) {
    out->push_back(SendCancel{p.part.agent, task_.key, cancel_reason_});
  } else {
    out->push_back(SendStop{p.part.agent, task_.key, drain_});
  }
}

void LevelMachine::Void(const std::string& agent, const std::string& reason, int64_t now,
                        JobEffects* out) {
  if (voided_ || state_ != State::kRunning) return Advance(now, out);
  voided_ = VoidedAttempt{task_.key.attempt, agent, reason, {}};
  CancelAll(reason, now, out);
}

void LevelMachine::EndStopping(int64_t now, JobEffects* out) {
  ended_at_ = now;
  for (const Participant& p : participants_) {
    if (voided_ || abandoned_) break;
    const std::string breach = ConservationBreach(p);
    if (!breach.empty()) voided_ = VoidedAttempt{task_.key.attempt, p.part.agent, breach, {}};
  }
  if (voided_) {
    voided_->sent = sent();
    state_ = State::kVoid;
  } else if (abandoned_) {
    state_ = State::kAbandoned;
  } else {
    PullRecords(now, out);
  }
}

// What the agent counted must add up, and be what its deltas brought.
std::string LevelMachine::ConservationBreach(const Participant& p) const {
  const AgentPart& part = p.part;
  if (p.idle()) return "";
  const auto describe = [](absl::string_view what, const OutcomeCounts& counts) {
    return absl::StrCat(what, " sent ", counts.sent, ", ok ", counts.ok, ", failed ", counts.failed,
                        ", cancelled ", counts.cancelled, ", unfinished ", counts.unfinished);
  };
  for (const auto* counts : {&part.snapshot.measured, &part.snapshot.unmeasured}) {
    const absl::string_view what = counts == &part.snapshot.measured ? "measured" : "unmeasured";
    if (counts->Conserved() && counts->unfinished == 0) continue;
    return absl::StrCat("its counts do not add up: ", describe(what, *counts));
  }
  if (!(part.snapshot.measured == part.facts.measured) ||
      !(part.snapshot.unmeasured == part.facts.unmeasured)) {
    return absl::StrCat(
        "its last word differs from its reports: ", describe("measured", part.snapshot.measured),
        " and ", describe("unmeasured", part.snapshot.unmeasured), ", reported ",
        describe("measured", part.facts.measured), " and ",
        describe("unmeasured", part.facts.unmeasured));
  }
  const uint64_t sent = part.snapshot.measured.sent;
  const bool may_be_fewer = task_.plan.window_cap_ns > 0 || stopped_early_;
  if (sent > part.share.requests || (sent < part.share.requests && !may_be_fewer)) {
    return absl::StrCat("it measured ", sent, " requests where its share is ", part.share.requests);
  }
  return "";
}

void LevelMachine::PullRecords(int64_t now, JobEffects* out) {
  Enter(LevelPhase::kRecords, out);
  uint64_t bytes = 0;
  for (Participant& p : participants_) {
    const FinalSnapshot& snapshot = p.part.snapshot;
    if (snapshot.records_bytes == 0) continue;
    bytes += snapshot.records_bytes;
    if (p.gone) {
      LoseRecords(p.part.agent, "was lost before they were pulled");
      continue;
    }
    p.records_due = true;
    out->push_back(SendPullRecords{p.part.agent, task_.key, snapshot.records_bytes});
  }
  deadline_ =
      now + times_.barrier_deadline +
      static_cast<int64_t>(std::min<uint64_t>(bytes, uint64_t{1} << 40)) * kNanosARecordByte;
  Advance(now, out);
}

void LevelMachine::LoseRecords(const std::string& agent, absl::string_view why) {
  absl::StrAppend(&records_error_, records_error_.empty() ? "" : "; ", "records of agent ", agent,
                  " are missing: it ", why);
}

// ---- what agents say ----------------------------------------------------------------------------

void LevelMachine::Handle(const AgentReady& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || phase_ != LevelPhase::kPreparing) return;
  if (!e.error.empty()) {
    unfit_.push_back(e.agent);
    return Void(e.agent, absl::StrCat("cannot run its share: ", e.error), now, out);
  }
  p->ready = true;
  p->part.addresses = e.addresses;
  Advance(now, out);
}

void LevelMachine::Handle(const AgentStarted& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || !armed_) return;
  p->started = true;
  p->part.start_skew_ns = e.skew_ns;
  Advance(now, out);
}

void LevelMachine::Handle(const AgentWarm& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || !armed_) return;
  p->warm = true;
  if (e.deadline_passed && !measuring_) warmup_deadline_passed_ = true;
  Advance(now, out);
}

void LevelMachine::Handle(const AgentFacts& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || p->stopped) return;
  p->part.facts.in_flight_now = 0;  // a level: the latest counts
  p->part.facts.Merge(e.facts);
  p->last_news = std::max(p->last_news, now);
  CountStarts(e.facts, now, *p);
  const std::string excess = Excess(p->part.facts);
  if (excess.empty()) return;
  unfit_.push_back(e.agent);
  Void(e.agent, excess, now, out);
}

void LevelMachine::CountStarts(const MeasuredFacts& facts, int64_t now, Participant& p) {
  if (facts.measured.sent == 0) return;
  if (!p.first_start) p.first_start = now;
  p.last_start = now;
}

void LevelMachine::Handle(const AgentShareDone& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || !measuring_) return;
  p->share_done = true;
  Advance(now, out);
}

void LevelMachine::Handle(const AgentStopped& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || p->stopped) return;
  p->stopped = true;
  p->part.snapshot = e.snapshot;
  if (p->idle()) {
    if (phase_ != LevelPhase::kStopping) p->gone = true;
    return Advance(now, out);
  }
  if (!e.error.empty()) return Void(e.agent, e.error, now, out);
  if (phase_ != LevelPhase::kStopping) return Void(e.agent, "stopped unasked", now, out);
  Advance(now, out);
}

void LevelMachine::Handle(const AgentRecordsStored& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, e.key);
  if (p == nullptr || !p->records_due) return;
  p->records_due = false;
  records_bytes_ += e.bytes;
  if (!e.error.empty()) LoseRecords(e.agent, absl::StrCat("reported: ", e.error));
  Advance(now, out);
}

void LevelMachine::Handle(const AgentLoopSilent& e, int64_t, JobEffects*) {
  Participant* p = Find(e.agent, task_.key);
  if (p == nullptr || p->stopped) return;
  p->part.loop_silent_ms = std::max(p->part.loop_silent_ms, e.silent_ms);
}

void LevelMachine::Handle(const AgentLost& e, int64_t now, JobEffects* out) {
  Participant* p = Find(e.agent, task_.key);
  if (p == nullptr) return;
  p->gone = true;
  if (p->records_due) LoseRecords(e.agent, absl::StrCat("was lost: ", e.reason));
  if (p->idle() || p->stopped || abandoned_) return Advance(now, out);
  Void(e.agent, absl::StrCat("lost: ", e.reason), now, out);
}

// Says again what the agent has not answered; it ignores what it has.
void LevelMachine::Handle(const AgentReturned& e, int64_t, JobEffects* out) {
  const Participant* p = Find(e.agent, task_.key);
  if (p == nullptr || state_ != State::kRunning) return CancelAgain(e.agent, out);
  const std::string& agent = p->part.agent;
  if (p->records_due) out->push_back(SendPullRecords{agent, task_.key, p->part.snapshot.records_bytes});
  if (p->stopped) return;
  if (!p->ready) {
    LevelTask task = task_;
    task.share = p->part.share;
    out->push_back(SendPrepare{agent, std::move(task)});
  }
  if (armed_ && !p->started) out->push_back(SendArm{agent, task_.key, start_at_, start_at_});
  if (measuring_ && !p->share_done) out->push_back(SendMeasure{agent, task_.key, measure_at_});
  if (phase_ == LevelPhase::kStopping) SendStopTo(*p, out);
}

// One that was given up on may not have heard it.
void LevelMachine::CancelAgain(const std::string& agent, JobEffects* out) const {
  for (const Participant& p : participants_) {
    if (p.part.agent == agent && p.gone && !p.stopped) {
      out->push_back(SendCancel{agent, task_.key, "the attempt goes on without it"});
    }
  }
}

void LevelMachine::Stop(bool at_once, int64_t now, JobEffects* out) {
  if (state_ != State::kRunning || voided_ || abandoned_) return;
  const std::string reason = "stopped by the user";
  if (phase_ == LevelPhase::kRecords) {
    if (!at_once) return;
    for (Participant& p : participants_) {
      if (std::exchange(p.records_due, false)) LoseRecords(p.part.agent, "was not waited for");
    }
    return Advance(now, out);
  }
  if (!measuring_) {
    abandoned_ = true;
    return CancelAll(reason, now, out);
  }
  const bool cut = at_once && !All(&Participant::share_done);
  if (phase_ == LevelPhase::kMeasuring || cut) stopped_early_ = true;
  if (at_once) return CancelAll(reason, now, out);
  if (phase_ == LevelPhase::kMeasuring) {
    StopAll(times_.grace.value_or(times_.request_limit), now, out);
  }
}

LevelMeasurement LevelMachine::TakeMeasurement() {
  LevelMeasurement out;
  out.key = task_.key;
  out.plan = task_.plan;
  for (Participant& p : participants_) {
    if (!p.idle()) out.parts.push_back(std::move(p.part));
  }
  out.warmup_deadline_passed = warmup_deadline_passed_;
  out.drain_deadline_passed = drain_deadline_passed_;
  out.stopped_early = stopped_early_;
  out.begun_at = begun_at_;
  out.ended_at = ended_at_;
  out.records_bytes = records_bytes_;
  out.records_error = records_error_;
  return out;
}

}  // namespace tidemark
