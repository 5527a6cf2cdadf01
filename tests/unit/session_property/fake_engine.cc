#include "tests/unit/session_property/fake_engine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;

}  // namespace

FakeEngine::FakeEngine(SimulatedTime* time, int64_t clock_offset, Rng rng, bool slow, FakeEngineHooks hooks)
    : time_(time), clock_offset_(clock_offset), rng_(rng), slow_(slow), hooks_(std::move(hooks)) {}

void FakeEngine::Want(bool allowed, const LevelKey& key, const char* what) {
  if (allowed) return;
  hooks_.violation(absl::StrCat("the engine is told ", what, " of ", key.level, "/", key.attempt, " while at ",
                                task_.key.level, "/", task_.key.attempt, ", state ", static_cast<int>(state_)));
}

void FakeEngine::In(int64_t delay, std::function<void()> what) {
  time_->In(delay, [this, alive = std::weak_ptr<bool>(alive_), generation = generation_, what = std::move(what)] {
    if (!alive.expired() && generation == generation_) what();
  });
}

void FakeEngine::At(int64_t agent_time, std::function<void()> what) {
  In(std::max<int64_t>(0, agent_time - Now()), std::move(what));
}

// ---- commands -----------------------------------------------------------------------------------

void FakeEngine::Prepare(const LevelTask& task) {
  Want(state_ == State::kIdle, task.key, "PREPARE");
  ++generation_;
  task_ = task;
  work_ = EngineWork();
  turn_ = MeasuredFacts();
  state_ = State::kPreparing;
  measuring_ = warm_ = share_done_ = false;
  left_ = task.share.requests;
  open_measured_ = open_unmeasured_ = 0;
  const bool very_slow = slow_ && rng_.Below(4) == 0;
  const auto delay = static_cast<int64_t>(rng_.Below(very_slow ? 15'000 : 200)) * kMilli;
  // Also when it was cancelled meanwhile: a late event of a task that is over.
  time_->In(delay, [this, alive = std::weak_ptr<bool>(alive_), key = task.key] {
    if (!alive.expired()) BeReady(key);
  });
}

void FakeEngine::BeReady(const LevelKey& key) {
  if (task_.key == key && state_ == State::kPreparing) state_ = State::kReady;
  const bool fails = slow_ && rng_.Below(30) == 0;
  Say(EngineReady{key, fails ? absl::UnavailableError("no address") : absl::OkStatus(), {"127.0.0.1:1"}});
}

void FakeEngine::Arm(const LevelKey& key, int64_t start) {
  Want(state_ == State::kReady && key == task_.key, key, "ARM");
  state_ = State::kRunning;
  At(start, [this, start] { Start(start); });
}

void FakeEngine::Start(int64_t wanted) {
  if (state_ != State::kRunning) return;
  Say(EngineStarted{task_.key, Now() - wanted});
  Tick();
}

void FakeEngine::Measure(const LevelKey& key, int64_t start) {
  Want(state_ == State::kRunning && key == task_.key, key, "MEASURE");
  At(start, [this] { measuring_ = true; });
}

void FakeEngine::Stop(const LevelKey& key) {
  Want(state_ == State::kRunning && key == task_.key, key, "STOP");
  state_ = State::kStopping;
  In(static_cast<int64_t>(rng_.Below(300)) * kMilli, [this] { Finish(false); });
}

void FakeEngine::Cancel(const LevelKey& key) {
  Want(state_ != State::kIdle && key == task_.key, key, "CANCEL");
  if (state_ == State::kPreparing || state_ == State::kReady) {
    ++generation_;
    state_ = State::kIdle;
    return;
  }
  state_ = State::kStopping;
  In(static_cast<int64_t>(rng_.Below(200)) * kMilli, [this] { Finish(true); });
}

// ---- the load -----------------------------------------------------------------------------------

void FakeEngine::Tick() {
  if (state_ != State::kRunning) return;
  MeasuredFacts facts = std::exchange(turn_, MeasuredFacts());
  EndSome(facts);
  turn_ = std::move(facts);
  if (Now() < send_deadline_) Send();
  Report(std::exchange(turn_, MeasuredFacts()));
  if (open_unmeasured_ > 0 && !std::exchange(warm_, true)) Say(EngineWarm{task_.key, false, 1'000});
  if (measuring_ && left_ == 0 && open_measured_ == 0 && !std::exchange(share_done_, true)) {
    Say(EngineShareDone{task_.key});
  }
  In(static_cast<int64_t>(400 + rng_.Below(900)) * kMilli, [this] { Tick(); });
}

void FakeEngine::Send() {
  hooks_.sends(task_.key);
  const uint64_t some = 1 + rng_.Below(task_.share.slots + 3);
  if (measuring_ && left_ > 0) {
    const uint64_t sent = std::min(some, left_);
    left_ -= sent;
    open_measured_ += sent;
    turn_.measured.sent += sent;
  } else {
    open_unmeasured_ += some;
    turn_.unmeasured.sent += some;
  }
}

void FakeEngine::EndSome(MeasuredFacts& facts) {
  const uint64_t measured = rng_.Below(open_measured_ + 1);
  const uint64_t failed = rng_.Below(measured + 1) / 4;
  open_measured_ -= measured;
  facts.measured.ok += measured - failed;
  facts.measured.failed += failed;
  if (failed > 0) facts.failures["http_5xx"] += failed;
  Record(facts, measured - failed);
  const uint64_t unmeasured = rng_.Below(open_unmeasured_ + 1);
  open_unmeasured_ -= unmeasured;
  facts.unmeasured.ok += unmeasured;
}

void FakeEngine::Record(MeasuredFacts& facts, uint64_t ok) {
  if (ok == 0) return;
  const uint64_t latency = 1 + rng_.Below(rng_.Below(10) == 0 ? 1'500'000 : 1'000);
  facts.histogram(Metric::kRequestLatency).Record(latency, ok);
  SliceRow& row = facts.slices[static_cast<uint32_t>(rng_.Below(6))];
  row.n += ok;
  row.ended += ok;
  row.sla.resize(task_.plan.slas.size());
  for (SlaEvidence& sla : row.sla) sla.n += ok;
  if (!row.sla.empty()) row.sla.front().histogram.Record(latency, ok);
  facts.addresses["127.0.0.1:1"].requests += ok;
  facts.output_tokens += latency % 97;
  facts.in_flight_now = open_measured_;
}

void FakeEngine::Report(MeasuredFacts facts) {
  if (facts.Empty()) return;
  work_.facts.Merge(facts);
  Say(EngineFacts{task_.key, std::move(facts)});
}

void FakeEngine::EndRest(bool cancelled) {
  (cancelled ? turn_.measured.cancelled : turn_.measured.ok) += open_measured_;
  turn_.unmeasured.cancelled += open_unmeasured_;
  if (!cancelled) Record(turn_, open_measured_);
  open_measured_ = open_unmeasured_ = 0;
  Report(std::exchange(turn_, MeasuredFacts()));
}

void FakeEngine::Finish(bool cancelled) {
  if (state_ != State::kStopping) return;  // told twice
  EndRest(cancelled);
  state_ = State::kIdle;
  FinalSnapshot snapshot;
  snapshot.measured = work_.facts.measured;
  snapshot.unmeasured = work_.facts.unmeasured;
  snapshot.stopped_early = cancelled;
  WindowFacts& window = snapshot.windows.emplace_back();
  window.slots = task_.share.slots;
  window.measured_requests = snapshot.measured.sent;
  snapshot.records_written = snapshot.records_bytes = rng_.Below(3) * 100;
  work_.snapshot = snapshot;
  const LevelKey key = task_.key;
  hooks_.stopped(key, std::move(work_));
  Say(EngineStopped{key, std::move(snapshot)});
}

}  // namespace tidemark
