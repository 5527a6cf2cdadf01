#include "tests/unit/session_property/agent_node.h"

#include <utility>

#include "common/overloaded.h"
#include "common/session/protocol_version.h"

namespace tidemark {
namespace {

v1::Hello HelloOf(const AgentNodeOptions& options) {
  v1::Hello hello;
  hello.set_protocol_major(kProtocolMajor);
  hello.set_agent_id(options.id);
  hello.set_incarnation(options.incarnation);
  hello.mutable_capacity()->set_streams(options.capacity);
  hello.set_weight(1);
  return hello;
}

}  // namespace

AgentNode::AgentNode(SimulatedTime* time, FaultyNetwork* network, AgentNodeOptions options, Rng rng,
                     AgentNodeHooks hooks)
    : time_(time),
      network_(network),
      options_(std::move(options)),
      rng_(rng),
      hooks_(std::move(hooks)),
      machine_(HelloOf(options_)) {
  FakeEngineHooks engine = hooks_.engine;
  engine.say = [this](const AgentEvent& event) { Handle(event); };
  engine_ = std::make_unique<FakeEngine>(time_, options_.clock_offset, Rng(rng_.Next()), options_.slow,
                                         std::move(engine));
  Handle(AgentBegin{});
}

AgentNode::~AgentNode() { Close(); }

void AgentNode::Handle(const AgentEvent& event) {
  for (const AgentEffect& effect : machine_.Handle(event, Now())) Do(effect);
}

void AgentNode::Do(const AgentEffect& effect) {
  std::visit(Overloaded{
                 [this](const OpenStream&) { Open(); },
                 [this](const CloseStream&) { Close(); },
                 [this](const SendToCoordinator& e) {
                   if (stream_) network_->AgentSends(*stream_, e.message);
                 },
                 [this](const WakeAt& e) { Wake(e.at); },
                 [this](const RunProbe& e) { Probe(e.task); },
                 [this](const EnginePrepare& e) { engine_->Prepare(e.task); },
                 [this](const EngineArm& e) { engine_->Arm(e.key, e.start); },
                 [this](const EngineMeasure& e) { engine_->Measure(e.key, e.start); },
                 [this](const EngineStop& e) { engine_->Stop(e.key); },
                 [this](const EngineCancel& e) { engine_->Cancel(e.key); },
                 [this](const EngineSetSendDeadline& e) { engine_->SetSendDeadline(e.until); },
                 [this](const UploadRecords& e) { hooks_.upload(e.key); },
                 [](const AgentLog&) {},
                 [this](const ExitAgent&) {
                   if (!std::exchange(exited_, true)) hooks_.exited();
                 },
             },
             effect);
}

void AgentNode::Open() {
  FaultyNetwork::AgentEnd end;
  end.said = [this](const v1::CoordinatorMessage& message) { Handle(CoordinatorSaid{message}); };
  end.lost = [this] {
    stream_.reset();
    Handle(StreamLost{"broken"});
  };
  stream_ = network_->Open(options_.number, std::move(end));
  Handle(StreamOpened{});
}

void AgentNode::Close() {
  if (stream_) network_->AgentCloses(*std::exchange(stream_, std::nullopt));
}

void AgentNode::Wake(int64_t at) {
  time_->At(at - options_.clock_offset, [this, alive = std::weak_ptr<bool>(alive_), number = ++wakes_] {
    if (!alive.expired() && number == wakes_) Handle(AgentTimer{{}});
  });
}

void AgentNode::Probe(const ProbeTask& task) {
  const auto delay = static_cast<int64_t>(1 + rng_.Below(400)) * kNanosPerMilli;
  time_->In(delay, [this, alive = std::weak_ptr<bool>(alive_), job = task.job_id] {
    if (alive.expired()) return;
    v1::Probed report;
    report.set_model("m");
    report.set_fixed_output_length(true);
    report.set_latency_us(200'000);
    Handle(ProbeDone{job, report});
  });
}

}  // namespace tidemark
