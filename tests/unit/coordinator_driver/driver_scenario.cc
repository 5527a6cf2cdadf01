#include "tests/unit/coordinator_driver/driver_scenario.h"

#include <utility>

#include "absl/strings/match.h"

namespace tidemark {
namespace {

constexpr int kMaxWaits = 100;
constexpr int64_t kWait = kNanosPerSecond / 10;

SessionEpoch TheEpoch() { return {"store", 1}; }

JobDriverOptions Options() {
  JobDriverOptions options;
  options.spec.endpoint.urls = {"http://host/v1/chat/completions"};
  options.spec.concurrency = {2};
  options.spec.request_count = 4;
  options.machine.job_id = "job";
  options.epoch = TheEpoch();
  return options;
}

}  // namespace

void FakeStream::Send(v1::CoordinatorMessage message) {
  MutexLock lock(mutex_);
  sent_.push_back(std::move(message));
  changed_.NotifyAll();
}

void FakeStream::Close(const std::string& reason) {
  MutexLock lock(mutex_);
  if (closed_.empty()) closed_ = reason;
  changed_.NotifyAll();
}

v1::CoordinatorMessage FakeStream::Await(v1::CoordinatorMessage::KindCase kind) {
  MutexLock lock(mutex_);
  for (int waits = 0; waits < kMaxWaits; ++waits) {
    for (const v1::CoordinatorMessage& message : sent_) {
      if (message.kind_case() == kind) return message;
    }
    changed_.WaitFor(mutex_, kWait);
  }
  return {};
}

std::string FakeStream::AwaitClose() {
  MutexLock lock(mutex_);
  for (int waits = 0; waits < kMaxWaits && closed_.empty(); ++waits) changed_.WaitFor(mutex_, kWait);
  return closed_;
}

DriverScenario::DriverScenario() {
  JobDriverEvents events;
  events.probed = [this](const JobSpec&, const v1::Probed&, uint64_t) {
    MutexLock lock(mutex_);
    ++probed_;
  };
  events.say = [this](bool, const std::string& text) {
    MutexLock lock(mutex_);
    said_.push_back(text);
    changed_.NotifyAll();
  };
  driver_ = std::make_unique<JobDriver>(Options(), std::move(events), &clock_);
}

std::shared_ptr<FakeStream> DriverScenario::Open() {
  auto stream = std::make_shared<FakeStream>();
  driver_->OnOpened(stream, "");
  return stream;
}

std::shared_ptr<FakeStream> DriverScenario::Join(const std::string& id, uint32_t protocol) {
  auto stream = Open();
  v1::AgentMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_protocol_major(protocol);
  hello.set_agent_id(id);
  hello.set_incarnation(id + "-1");
  hello.mutable_capacity()->set_streams(10);
  hello.set_weight(1);
  Say(stream, std::move(message));
  return stream;
}

void DriverScenario::Say(const std::shared_ptr<FakeStream>& stream, v1::AgentMessage message) {
  driver_->OnMessage(stream, std::move(message));
}

void DriverScenario::Probed(const std::shared_ptr<FakeStream>& stream, v1::Probed report) {
  report.set_job_id("job");
  report.set_model("m");
  if (!report.has_epoch()) *report.mutable_epoch() = Epoch();
  v1::AgentMessage message;
  *message.mutable_probed() = std::move(report);
  Say(stream, std::move(message));
}

bool DriverScenario::AwaitSaid(const std::string& part) {
  MutexLock lock(mutex_);
  for (int waits = 0; waits < kMaxWaits; ++waits) {
    for (const std::string& text : said_) {
      if (absl::StrContains(text, part)) return true;
    }
    changed_.WaitFor(mutex_, kWait);
  }
  return false;
}

int DriverScenario::probed_events() {
  MutexLock lock(mutex_);
  return probed_;
}

v1::Epoch DriverScenario::Epoch() { return EncodeEpoch(TheEpoch()); }

}  // namespace tidemark
