#include "tests/unit/session_property/session_world.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"
#include "common/overloaded.h"

namespace tidemark {
namespace {

// A job that has not ended by then never will.
constexpr int64_t kBound = 900 * kNanosPerSecond;
// From the job's end until nothing of it runs any more.
constexpr int64_t kQuiet = 60 * kNanosPerSecond;

std::pair<uint32_t, uint32_t> Order(const LevelKey& key) { return {key.level, key.attempt}; }

std::string Bytes(MeasuredFacts facts) {
  facts.in_flight_now = 0;  // a level, no count
  return EncodeDelta(facts).SerializeAsString();
}

std::string Bytes(FinalSnapshot snapshot) {
  snapshot.deltas = 0;  // the sender's
  return EncodeSnapshot(snapshot).SerializeAsString();
}

JobSpec SpecOf(Rng& rng) {
  JobSpec spec;
  spec.endpoint.urls = {"http://host/v1/chat/completions"};
  spec.limits.total_ms = 5'000;
  spec.concurrency = {static_cast<uint32_t>(1 + rng.Below(9))};
  if (rng.Below(2) == 0) spec.concurrency.push_back(spec.concurrency.front() + 1 + static_cast<uint32_t>(rng.Below(5)));
  spec.request_count = 1 + rng.Below(40);
  return spec;
}

}  // namespace

SessionWorld::SessionWorld(WorldOptions options) : options_(options), rng_(options.seed), spec_(SpecOf(rng_)) {
  FaultyNetwork::CoordinatorEnd end;
  end.opened = [this](StreamId id) { coordinator_->Opened(id); };
  end.received = [this](StreamId id, const v1::AgentMessage& message) {
    if (options_.trace) Trace(absl::StrCat("stream ", id, " -> ", message.ShortDebugString().substr(0, 160)));
    coordinator_->Received(id, message);
  };
  end.closed = [this](StreamId id) {
    Trace(absl::StrCat("stream ", id, " closed"));
    coordinator_->Closed(id);
  };
  network_ = std::make_unique<FaultyNetwork>(&time_, Rng(rng_.Next()), NetworkOptions{options_.gentle}, std::move(end));
  StartCoordinator();
  processes_.resize(1 + Pick(4));
  for (size_t number = 0; number < processes_.size(); ++number) {
    Process& process = processes_[number];
    process.id = absl::StrCat("a", number);
    process.clock_offset = static_cast<int64_t>(rng_.Below(5 * 3'600'000)) * kNanosPerMilli - 9'000 * kNanosPerSecond;
    if (options_.one_clock) process.clock_offset = 0;
    process.slow = !options_.gentle && Pick(4) == 0;
    const bool late = Pick(4) == 0;
    time_.In(Millis(0, late ? 8'000 : 200), [this, number] { StartAgent(number); });
  }
  PlanFaults();
}

SessionWorld::~SessionWorld() = default;

void SessionWorld::Violation(std::string what) {
  Trace("VIOLATION " + what);
  violations_.push_back(std::move(what));
}

void SessionWorld::Trace(const std::string& line) {
  if (!options_.trace) return;
  trace_.push_back(absl::StrCat((time_.now() - begun_) / kNanosPerMilli, " ms: ", line));
}

SessionWorld::Process* SessionWorld::Find(const std::string& id) {
  for (Process& process : processes_) {
    if (process.id == id) return &process;
  }
  return nullptr;
}

void SessionWorld::Run() {
  if (!time_.RunUntil(time_.now() + kBound, [this] { return end_.has_value(); })) Violation("it runs in circles");
  if (!end_) return Violation("the job has not ended");
  const auto idle = [this] {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const Process& p) { return p.node == nullptr || p.node->idle(); });
  };
  if (!idle()) time_.RunUntil(time_.now() + kQuiet, idle);
  if (!idle()) Violation("the job is over, and an agent goes on");
}

// ---- processes ----------------------------------------------------------------------------------

void SessionWorld::StartCoordinator() {
  CoordinatorHooks hooks;
  hooks.send = [this](StreamId id, v1::CoordinatorMessage message) {
    if (options_.trace) Trace(absl::StrCat("stream ", id, " <- ", message.ShortDebugString().substr(0, 160)));
    network_->CoordinatorSends(id, std::move(message));
  };
  hooks.close = [this](StreamId id, const std::string& reason) {
    Trace(absl::StrCat("coordinator closes stream ", id, ": ", reason));
    network_->CoordinatorCloses(id);
  };
  hooks.event = [this](const JobEvent& event) { OnAgentEvent(event); };
  hooks.effect = [this](const JobEffect& effect) { OnEffect(effect); };
  coordinator_ =
      std::make_unique<CoordinatorNode>(&time_, ++coordinator_starts_, spec_, &journal_, Rng(rng_.Next()), std::move(hooks));
}

void SessionWorld::StartAgent(size_t number) {
  Process& process = processes_[number];
  if (process.node) return;
  process.lost = process.disowned = false;
  ++process.started;
  AgentNodeOptions options;
  options.number = number;
  options.id = process.id;
  options.incarnation = absl::StrCat(process.id, "-", process.started);
  options.clock_offset = process.clock_offset;
  options.slow = process.slow;
  AgentNodeHooks hooks;
  hooks.engine.sends = [this, number](const LevelKey& key) { OnSends(number, key); };
  hooks.engine.stopped = [this, number](const LevelKey& key, EngineWork work) {
    processes_[number].disowned = false;
    works_[{processes_[number].id, Order(key)}] = std::move(work);
  };
  hooks.engine.violation = [this](std::string what) { Violation(std::move(what)); };
  hooks.upload = [this, number](const LevelKey& key) { Upload(number, key); };
  hooks.exited = [this, number] { OnExit(number); };
  Trace(absl::StrCat(options.incarnation, " starts"));
  process.node = std::make_unique<AgentNode>(&time_, network_.get(), std::move(options), Rng(rng_.Next()), std::move(hooks));
}

void SessionWorld::EndAgent(size_t number, int64_t down_ns) {
  if (!processes_[number].node) return;
  Trace(absl::StrCat(processes_[number].node->options().incarnation, " is gone"));
  processes_[number].node.reset();
  time_.In(down_ns, [this, number] { StartAgent(number); });
}

// As Kubernetes does: it starts anew. Not from within its own call.
void SessionWorld::OnExit(size_t number) {
  const int started = processes_[number].started;
  const int64_t down = Millis(100, 8'000);
  time_.In(0, [this, number, started, down] {
    if (processes_[number].started == started) EndAgent(number, down);
  });
}

void SessionWorld::Upload(size_t number, const LevelKey& key) {
  time_.In(Millis(1, 3'000), [this, id = processes_[number].id, key, starts = coordinator_starts_] {
    if (coordinator_ && starts == coordinator_starts_) coordinator_->RecordsStored(id, key);
  });
}

// ---- faults -------------------------------------------------------------------------------------

void SessionWorld::PlanFaults() {
  const size_t faults = Pick(6);
  if (!options_.gentle) {
    for (size_t i = 0; i < faults; ++i) time_.In(Millis(0, 20'000), [this] { Fault(); });
    return;
  }
  // One after the other, so that each is over before the next.
  int64_t at = 0;
  for (size_t i = 0; i < faults; ++i) {
    at += Millis(4'500, 6'000);
    time_.In(at, [this] { network_->Cut(Pick(processes_.size()), Millis(0, 1'500)); });
  }
}

void SessionWorld::Fault() {
  const size_t number = Pick(processes_.size());
  switch (Pick(12)) {
    case 0:
    case 1:
      return EndAgent(number, Millis(100, 10'000));
    case 2:
      Trace(absl::StrCat(processes_[number].id, " is told to leave"));
      if (processes_[number].node) processes_[number].node->Leave();
      return;
    case 3:
      if (coordinator_ && Pick(2) == 0) coordinator_->Stop(Pick(2) == 0);
      return;
    case 4:
      return RestartCoordinator();
    case 5:
      Trace(absl::StrCat(processes_[number].id, " is disowned"));
      processes_[number].disowned = processes_[number].node && !processes_[number].node->idle();
      if (coordinator_) coordinator_->Lose(processes_[number].id);
      return;
    default:
      return Cut(number);
  }
}

void SessionWorld::Cut(size_t number) {
  const int64_t length = Pick(3) == 0 ? Millis(0, 15'000) : Millis(0, 3'000);
  Trace(absl::StrCat(processes_[number].id, " is cut off for ", length / kNanosPerMilli, " ms"));
  network_->Cut(number, length);
}

void SessionWorld::RestartCoordinator() {
  if (!coordinator_ || coordinator_->finished()) return;
  Trace("the coordinator dies");
  coordinator_.reset();
  network_->CoordinatorDies();
  time_.In(Millis(100, 12'000), [this] {
    Trace("the coordinator is back");
    network_->CoordinatorRises();
    StartCoordinator();
  });
}

// ---- what must hold -----------------------------------------------------------------------------

void SessionWorld::OnAgentEvent(const JobEvent& event) {
  if (const auto* lost = std::get_if<AgentLost>(&event)) {
    Trace(absl::StrCat("LOST ", lost->agent, ": ", lost->reason));
    Find(lost->agent)->lost = true;
  }
  if (const auto* joined = std::get_if<AgentJoined>(&event)) {
    Trace(absl::StrCat("JOINED ", joined->agent.incarnation));
    Process* process = Find(joined->agent.id);
    if (joined->agent.incarnation == absl::StrCat(process->id, "-", process->started)) process->lost = false;
  }
}

void SessionWorld::OnEffect(const JobEffect& effect) {
  std::visit(Overloaded{
                 [this](const SendPrepare& e) {
                   if (Order(e.task.key) < asked_) Violation("a key comes back");
                   asked_ = Order(e.task.key);
                 },
                 [this](const AttemptVoided& e) {
                   ++voids_;
                   OnVoid(e.attempt);
                 },
                 [this](const PhaseChanged& e) { Trace(absl::StrCat("PHASE ", LevelPhaseName(e.phase))); },
                 [this](const LevelFinished& e) { OnLevel(*e.measurement); },
                 [this](const JobFinished& e) {
                   Trace(absl::StrCat("END ", static_cast<int>(e.end), " ", e.reason));
                   if (end_) Violation("the job ends twice");
                   end_ = e;
                   absl::StrAppend(&fingerprint_, static_cast<int>(e.end), e.reason, " at ", time_.now());
                 },
                 [this](const Say& e) { Trace(absl::StrCat("SAY ", e.text)); },
                 [](const auto&) {},
             },
             effect);
}

// Agents die and are cut off; what they counted is never wrong.
void SessionWorld::OnVoid(const VoidedAttempt& attempt) {
  Trace(absl::StrCat("VOID ", attempt.attempt, " ", attempt.agent, " ", attempt.reason));
  for (const char* breach : {"do not add up", "differs from its reports", "where its share is", "unasked"}) {
    if (absl::StrContains(attempt.reason, breach)) Violation(absl::StrCat("void: ", attempt.agent, " ", attempt.reason));
  }
}

void SessionWorld::OnLevel(const LevelMeasurement& level) {
  ++levels_done_;
  Trace(absl::StrCat("LEVEL ", level.key.level, "/", level.key.attempt, level.stopped_early ? " stopped early" : ""));
  uint64_t slots = 0, measured = 0;
  MeasuredFacts all;
  for (const AgentPart& part : level.parts) {
    OnPart(level.key, part);
    slots += part.share.slots;
    measured += part.snapshot.measured.sent;
    all.Merge(part.facts);
  }
  absl::StrAppend(&fingerprint_, Bytes(all));
  if (slots != level.plan.concurrency) Violation(absl::StrCat(slots, " slots of ", level.plan.concurrency));
  if (!level.stopped_early && measured != level.plan.request_count) {
    Violation(absl::StrCat(measured, " requests measured of ", level.plan.request_count));
  }
}

void SessionWorld::OnPart(const LevelKey& key, const AgentPart& part) {
  const auto found = works_.find({part.agent, Order(key)});
  if (found == works_.end()) return Violation(absl::StrCat(part.agent, " has a part without having run it"));
  const EngineWork& work = found->second;
  if (Bytes(work.facts) != Bytes(part.facts)) {
    Violation(absl::StrCat("facts of ", part.agent, " are not what its engine counted: ",
                           EncodeDelta(part.facts).ShortDebugString(), " for ",
                           EncodeDelta(work.facts).ShortDebugString()));
  }
  if (Bytes(work.snapshot) != Bytes(part.snapshot)) {
    Violation(absl::StrCat("the snapshot of ", part.agent, " is not its engine's"));
  }
  for (const OutcomeCounts* counts : {&part.snapshot.measured, &part.snapshot.unmeasured}) {
    if (counts->sent != counts->ok + counts->failed + counts->cancelled) Violation("requests are not conserved");
  }
}

void SessionWorld::OnSends(size_t number, const LevelKey& key) {
  if (processes_[number].disowned) return;
  if (processes_[number].lost) Violation(absl::StrCat(processes_[number].id, " sends after it was said to be lost"));
  if (Order(key) < sending_) {
    Violation(absl::StrCat(processes_[number].id, " sends for ", key.level, "/", key.attempt, " while another sends for ",
                           sending_.first, "/", sending_.second));
  }
  sending_ = std::max(sending_, Order(key));
}

}  // namespace tidemark
