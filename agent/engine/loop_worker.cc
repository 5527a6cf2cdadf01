#include "agent/engine/loop_worker.h"

#include <algorithm>
#include <utility>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

// Requests that are not measured have indices of their own, one space a slot, far from the
// measured.
constexpr uint64_t kUnmeasured = uint64_t{1} << 63;
constexpr int kSlotShift = 40;

uint64_t UnmeasuredIndex(uint32_t global_slot, uint64_t number) {
  return kUnmeasured | (static_cast<uint64_t>(global_slot) << kSlotShift) | number;
}

uint64_t Micros(int64_t nanos) {
  return static_cast<uint64_t>(std::max<int64_t>(0, nanos)) / kNanosPerMicro;
}

}  // namespace

LoopWorker::LoopWorker(WorkerOptions options, EventLoop* loop, Transport* transport,
                       EndpointAdapter* adapter, WorkerEvents* events)
    : options_(std::move(options)),
      plan_(options_.task.plan),
      share_(options_.task.share),
      loop_(loop),
      adapter_(adapter),
      events_(events),
      prompts_(options_.task.workload, options_.task.key.level, options_.task.key.attempt),
      recorder_(std::make_unique<Recorder>(RecorderOptions{share_.slots, plan_.slas, 0, 1})),
      states_(share_.slots) {
  for (uint32_t i = 0; i < share_.slots; ++i) {
    slots_.push_back(
        std::make_unique<RequestSlot>(i, loop, transport, adapter, plan_.limits, this, false,
                                      &options_.redactor));
  }
}

LoopWorker::~LoopWorker() = default;

int64_t LoopWorker::RampStart(int64_t start, uint32_t slot) const {
  const unsigned __int128 offset = static_cast<unsigned __int128>(plan_.ramp_ns) *
                                   (share_.first_slot + slot) / std::max(1u, options_.total_slots);
  return start + static_cast<int64_t>(offset);
}

void LoopWorker::Arm(int64_t start, int64_t slice_origin) {
  if (phase_ != Phase::kIdle) return;
  phase_ = Phase::kRunning;
  recorder_ = std::make_unique<Recorder>(RecorderOptions{share_.slots, plan_.slas, slice_origin,
                                                         static_cast<int64_t>(plan_.slice_ns)});
  loop_->At(start, [this, start] { events_->OnStarted(loop_->FreshNow() - start); });
  for (const auto& slot : slots_) StartAt(*slot, RampStart(start, slot->number()));
  if (plan_.warmup_deadline_ns > 0) {
    loop_->At(start + static_cast<int64_t>(plan_.warmup_deadline_ns), [this] { SignalWarm(true); });
  }
  loop_->At(start + kFactsEvery, [this] { SendFacts(); });
}

void LoopWorker::StartAt(RequestSlot& slot, int64_t when) {
  states_[slot.number()].wanted = when;
  loop_->At(when, [this, &slot] { StartRequest(slot); });
}

void LoopWorker::StartRequest(RequestSlot& slot) {
  if (phase_ != Phase::kRunning && phase_ != Phase::kMeasuring) return;
  EndBackoff(slot);
  if (slot.active() || HeldByLease(slot, loop_->Now())) return;
  const bool measured = TakeMeasured(loop_->Now());
  if (!measured && share_closed_ && !plan_.fill) return LeaveIdle(loop_->Now());
  FillRequest(slot, measured);
  RequestRecord& record = slot.record();
  const int64_t now = record.sent = loop_->FreshNow();
  NoteTimes(slot, now);
  MoveWindow(now, measured);
  recorder_->OnSend(record);
  ++open_;
  if (measured) ++measured_open_;
  LaunchToItsTarget(slot);
}

void LoopWorker::LaunchToItsTarget(RequestSlot& slot) {
  RequestRecord& record = slot.record();
  const size_t targets = options_.addresses.size();
  const size_t target = record.slot % targets;
  const std::vector<std::string>& addresses = options_.addresses[target];
  const size_t address = record.slot / targets % addresses.size();
  record.address = addresses[address];
  slot.Launch(static_cast<uint32_t>(target), static_cast<uint32_t>(address));
}

bool LoopWorker::HeldByLease(RequestSlot& slot, int64_t now) {
  if (options_.send_deadline == nullptr ||
      now < options_.send_deadline->load(std::memory_order_relaxed)) {
    return false;
  }
  states_[slot.number()].wanted = states_[slot.number()].free_since = kNoTime;
  held_.push_back(&slot);
  if (held_.size() > 1) return true;
  loop_->At(now + kLeaseLook, [this] {
    const std::vector<RequestSlot*> held = std::exchange(held_, {});
    for (RequestSlot* waiting : held) StartRequest(*waiting);
  });
  return true;
}

bool LoopWorker::TakeMeasured(int64_t now) {
  if (phase_ != Phase::kMeasuring || now < measure_start_ || share_closed_) return false;
  if (++measured_started_ == share_.requests) share_closed_ = true;
  return true;
}

void LoopWorker::FillRequest(RequestSlot& slot, bool measured) {
  const uint32_t global_slot = share_.first_slot + slot.number();
  SlotState& state = states_[slot.number()];
  state.reported = false;
  const uint64_t index = measured ? share_.first_request + measured_started_ - 1
                                  : UnmeasuredIndex(global_slot, state.sent);
  ++state.sent;
  const PromptPlan plan = prompts_.Plan(index);
  prompts_.WriteText(index, plan.words, &prompt_);
  RequestRecord& record = slot.Begin(options_.task.workload.streaming);
  adapter_->BuildBody({prompt_, plan.output_tokens}, &slot.body());
  record.index = index;
  record.slot = global_slot;
  record.measured = measured;
  record.streaming = options_.task.workload.streaming;
  record.planned_input_tokens = plan.input_tokens;
  if (options_.task.workload.fixed_output_length)
    record.requested_output_tokens = plan.output_tokens;
}

void LoopWorker::NoteTimes(const RequestSlot& slot, int64_t now) {
  SlotState& state = states_[slot.number()];
  if (state.wanted != kNoTime) {
    send_lateness_us_.Record(Micros(now - state.wanted));
  } else if (state.free_since != kNoTime) {
    slot_turnaround_us_.Record(Micros(now - state.free_since));
  }
  state.wanted = kNoTime;
}

void LoopWorker::MoveWindow(int64_t now, bool measured) {
  if (measured && window_begin_ == kNoTime) {
    window_begin_ = now;
    const std::vector<RequestRecord*> in_flight = InFlight();
    recorder_->BeginWindow(now, in_flight);
    if (plan_.window_cap_ns > 0) {
      loop_->At(now + static_cast<int64_t>(plan_.window_cap_ns), [this] { CloseShare(); });
    }
  } else if (!measured && share_closed_ && recorder_->window_open()) {
    const std::vector<RequestRecord*> in_flight = InFlight();
    recorder_->EndWindow(now, in_flight);
    CheckShareDone();
  }
}

void LoopWorker::LeaveIdle(int64_t now) {
  if (recorder_->window_open() && WindowExpected()) {
    const std::vector<RequestRecord*> in_flight = InFlight();
    recorder_->EndWindow(now, in_flight);
  }
  CheckShareDone();
}

// Without fillers, fewer measured requests than slots never make a steady load: then there is no
// window.
bool LoopWorker::WindowExpected() const { return plan_.fill || measured_started_ >= share_.slots; }

// Requests under way; those already decided, whose response is only waited for, have ended for the
// recorder.
std::vector<RequestRecord*> LoopWorker::InFlight() {
  std::vector<RequestRecord*> in_flight;
  for (const auto& slot : slots_) {
    if (slot->settled()) ReportEnd(*slot);
    if (slot->active() && !states_[slot->number()].reported) in_flight.push_back(&slot->record());
  }
  return in_flight;
}

void LoopWorker::ReportEnd(RequestSlot& slot) {
  if (std::exchange(states_[slot.number()].reported, true)) return;
  recorder_->OnEnd(slot.record());
}

void LoopWorker::OnRequestEnded(RequestSlot& slot) {
  const RequestRecord& record = slot.record();
  ReportEnd(slot);
  --open_;
  if (record.measured) {
    --measured_open_;
    if (options_.records != nullptr) options_.records->Write(record);
  }
  states_[slot.number()].free_since = loop_->Now();
  NoteWarm(slot);
  StartNext(slot);
  CheckShareDone();
  CheckStopped();
}

void LoopWorker::NoteWarm(RequestSlot& slot) {
  if (warm_signalled_) return;
  if (const std::optional<uint64_t> latency = RequestLatencyUs(slot.record())) {
    warm_latency_sum_us_ += *latency;
    ++warm_latency_count_;
  }
  if (std::exchange(states_[slot.number()].warm, true)) return;
  if (++warm_slots_ == share_.slots) SignalWarm(false);
}

void LoopWorker::SignalWarm(bool deadline_passed) {
  if (phase_ != Phase::kRunning || std::exchange(warm_signalled_, true)) return;
  events_->OnWarm(deadline_passed, warm_latency_sum_us_, warm_latency_count_);
}

void LoopWorker::StartNext(RequestSlot& slot) {
  SlotState& state = states_[slot.number()];
  const RequestRecord& record = slot.record();
  const bool silent_failure =
      record.outcome == Outcome::kFailed && record.status == 0 && record.first_byte == kNoTime;
  if (!silent_failure) {
    state.backoff = 0;
    return StartRequest(slot);
  }
  BackOff(slot);
}

void LoopWorker::BackOff(RequestSlot& slot) {
  SlotState& state = states_[slot.number()];
  state.backoff = std::clamp(2 * state.backoff, kFirstBackoff, kLongestBackoff);
  state.backing_off = true;
  recorder_->OnBackoffBegin(slot.record().ended);
  StartAt(slot, loop_->Now() + state.backoff);
}

// Late by the loop's own lag it ended when it was to end: the rest is the generator's.
void LoopWorker::EndBackoff(RequestSlot& slot) {
  SlotState& state = states_[slot.number()];
  if (!std::exchange(state.backing_off, false)) return;
  recorder_->OnBackoffEnd(std::min(state.wanted, loop_->Now()));
}

void LoopWorker::Measure(int64_t start) {
  if (phase_ != Phase::kRunning) return;
  phase_ = Phase::kMeasuring;
  warm_signalled_ = true;
  measure_start_ = start;
  send_lateness_us_.Clear();
  slot_turnaround_us_.Clear();
  events_->OnMeasuring();
  if (share_.requests == 0) CloseShare();
}

void LoopWorker::CloseShare() {
  share_closed_ = true;
  CheckShareDone();
}

void LoopWorker::CheckShareDone() {
  if (phase_ != Phase::kMeasuring || !share_closed_ || measured_open_ > 0 || share_done_) return;
  if (!recorder_->window_open() || !WindowExpected()) return SignalShareDone();
  if (std::exchange(window_wait_armed_, true)) return;
  loop_->At(loop_->Now() + kWindowEndWait, [this] { SignalShareDone(); });
}

void LoopWorker::SignalShareDone() {
  if (phase_ != Phase::kMeasuring || std::exchange(share_done_, true)) return;
  events_->OnShareDone();
}

void LoopWorker::Stop(int64_t drain_ns) {
  if (phase_ == Phase::kStopping || phase_ == Phase::kStopped) return;
  phase_ = Phase::kStopping;
  EndOpen(false);
  loop_->At(loop_->Now() + std::max<int64_t>(0, drain_ns), [this] {
    for (const auto& slot : slots_) {
      slot->Fail(FailureClass::kTimeoutDrain, loop_->Now(),
                 "not complete within the drain deadline");
    }
  });
  CheckStopped();
}

void LoopWorker::Cancel() {
  if (phase_ == Phase::kStopped) return;
  phase_ = Phase::kStopping;
  EndOpen(true);
  CheckStopped();
}

void LoopWorker::EndOpen(bool measured_too) {
  const int64_t now = loop_->FreshNow();
  for (const auto& slot : slots_) {
    if (slot->active() && (measured_too || !slot->record().measured)) slot->Cancel(now);
  }
}

void LoopWorker::CheckStopped() {
  if (phase_ != Phase::kStopping || open_ > 0) return;
  phase_ = Phase::kStopped;
  events_->OnFacts(recorder_->TakeFacts());
  events_->OnStopped();
}

void LoopWorker::SendFacts() {
  if (phase_ == Phase::kStopped) return;
  events_->OnFacts(recorder_->TakeFacts());
  loop_->At(loop_->Now() + kFactsEvery, [this] { SendFacts(); });
}

}  // namespace tidemark
