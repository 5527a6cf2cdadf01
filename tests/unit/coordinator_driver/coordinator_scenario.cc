#include "tests/unit/coordinator_driver/coordinator_scenario.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {
namespace {

constexpr int kMaxWaits = 100;
constexpr int64_t kWait = kNanosPerSecond / 10;

class MemoryStore final : public JobStore {
 public:
  explicit MemoryStore(MemoryDisk* disk) : disk_(disk) {
    MutexLock lock(disk_->mutex);
    epoch_ = {"store", ++disk_->starts};
  }
  const SessionEpoch& epoch() const override { return epoch_; }

  absl::Status PutJob(const v1::StoredJob& job) override {
    MutexLock lock(disk_->mutex);
    disk_->jobs[job.job().id()] = job;
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<v1::StoredJob>> Jobs() const override {
    MutexLock lock(disk_->mutex);
    std::map<uint64_t, v1::StoredJob> by_number;
    for (const auto& [id, job] : disk_->jobs) by_number[job.number()] = job;
    std::vector<v1::StoredJob> out;
    for (const auto& [number, job] : by_number) out.push_back(job);
    return out;
  }
  absl::Status Append(const std::string& job_id, const v1::JournalEntry& entry) override {
    MutexLock lock(disk_->mutex);
    if (disk_->append.ok()) disk_->journals[job_id].push_back(entry);
    return disk_->append;
  }
  absl::StatusOr<std::vector<v1::JournalEntry>> Journal(const std::string& job_id) const override {
    MutexLock lock(disk_->mutex);
    return disk_->journals[job_id];
  }
  absl::Status Finish(const v1::StoredJob& job, const v1::Result& result) override {
    MutexLock lock(disk_->mutex);
    disk_->jobs[job.job().id()] = job;
    disk_->results[job.job().id()] = result;
    return absl::OkStatus();
  }
  absl::StatusOr<v1::Result> GetResult(const std::string& job_id) const override {
    MutexLock lock(disk_->mutex);
    const auto found = disk_->results.find(job_id);
    if (found == disk_->results.end()) return absl::NotFoundError("no result");
    return found->second;
  }
  absl::Status Delete(const std::string& job_id) override {
    MutexLock lock(disk_->mutex);
    disk_->jobs.erase(job_id);
    disk_->journals.erase(job_id);
    disk_->results.erase(job_id);
    return absl::OkStatus();
  }

 private:
  MemoryDisk* const disk_;
  SessionEpoch epoch_;
};

v1::AgentMessage StoppedMessage(const v1::LevelKey& key, uint64_t requests, bool measured) {
  FinalSnapshot snapshot;
  snapshot.deltas = measured ? 1 : 0;
  if (measured) snapshot.measured.sent = snapshot.measured.ok = requests;
  v1::AgentMessage message;
  *message.mutable_stopped()->mutable_key() = key;
  *message.mutable_stopped()->mutable_snapshot() = EncodeSnapshot(snapshot);
  return message;
}

v1::AgentMessage ReportMessage(const v1::LevelKey& key, const v1::Epoch& epoch, uint64_t requests) {
  MeasuredFacts facts;
  facts.measured.sent = facts.measured.ok = requests;
  facts.histogram(Metric::kRequestLatency).Record(3'000'000, requests);
  v1::AgentMessage message;
  v1::Report& report = *message.mutable_report();
  *report.mutable_key() = key;
  *report.mutable_epoch() = epoch;
  *report.mutable_delta() = EncodeDelta(facts);
  report.mutable_delta()->set_sequence(1);
  return message;
}

}  // namespace

std::unique_ptr<JobStore> OpenMemoryStore(MemoryDisk* disk) { return std::make_unique<MemoryStore>(disk); }

void FakeAgent::Send(v1::CoordinatorMessage message) {
  std::vector<v1::AgentMessage> answers;
  {
    MutexLock lock(mutex_);
    if (mute_.count(message.kind_case()) == 0) answers = AnswersTo(message);
    sent_.push_back(std::move(message));
    changed_.NotifyAll();
  }
  for (v1::AgentMessage& answer : answers) Say(std::move(answer));
}

void FakeAgent::Say(v1::AgentMessage message) { coordinator_->OnMessage(shared_from_this(), std::move(message)); }

std::vector<v1::AgentMessage> FakeAgent::AnswersTo(const v1::CoordinatorMessage& m) {
  std::vector<v1::AgentMessage> out(1);
  if (m.has_welcome()) epoch_ = m.welcome().epoch();
  if (m.has_prepare()) requests_ = m.prepare().share().requests();
  if (m.has_probe()) {
    v1::Probed& probed = *out[0].mutable_probed();
    probed.set_job_id(m.probe().job_id());
    *probed.mutable_epoch() = epoch_;
    probed.set_model("m");
    probed.set_latency_us(2'000);
    probed.set_requests(1);
  } else if (m.has_prepare()) {
    *out[0].mutable_ready()->mutable_key() = m.prepare().key();
  } else if (m.has_arm()) {
    *out[0].mutable_started()->mutable_key() = m.arm().key();
    out.emplace_back();
    *out[1].mutable_warm()->mutable_key() = m.arm().key();
  } else if (m.has_measure()) {
    out[0] = ReportMessage(m.measure().key(), epoch_, requests_);
    out.emplace_back();
    *out[1].mutable_share_done()->mutable_key() = m.measure().key();
  } else if (m.has_stop()) {
    out[0] = StoppedMessage(m.stop().key(), requests_, true);
  } else if (m.has_cancel()) {
    out[0] = StoppedMessage(m.cancel().key(), 0, false);
  } else {
    out.clear();
  }
  return out;
}

void FakeAgent::Beat() {
  v1::AgentMessage message;
  {
    MutexLock lock(mutex_);
    if (!closed_.empty() || epoch_.counter() == 0) return;
    message.mutable_heartbeat()->set_number(++beats_);
    *message.mutable_heartbeat()->mutable_epoch() = epoch_;
  }
  Say(std::move(message));
}

void FakeAgent::Close(const std::string& reason) {
  MutexLock lock(mutex_);
  if (closed_.empty()) closed_ = reason;
  changed_.NotifyAll();
}

v1::CoordinatorMessage FakeAgent::Await(Kind kind) {
  MutexLock lock(mutex_);
  for (int waits = 0; waits < kMaxWaits; ++waits) {
    for (const v1::CoordinatorMessage& message : sent_) {
      if (message.kind_case() == kind) return message;
    }
    changed_.WaitFor(mutex_, kWait);
  }
  return {};
}

size_t FakeAgent::Count(Kind kind) {
  MutexLock lock(mutex_);
  size_t count = 0;
  for (const v1::CoordinatorMessage& message : sent_) count += message.kind_case() == kind ? 1 : 0;
  return count;
}

std::string FakeAgent::AwaitClose() {
  MutexLock lock(mutex_);
  for (int waits = 0; waits < kMaxWaits && closed_.empty(); ++waits) changed_.WaitFor(mutex_, kWait);
  return closed_;
}

CoordinatorScenario::CoordinatorScenario(MemoryDisk* disk, CoordinatorOptions options) {
  char pattern[] = "/tmp/tidemark_coordinator_XXXXXX";
  folder_ = mkdtemp(pattern) == nullptr ? "" : pattern;
  options.results_dir = folder_;
  auto store = disk == nullptr ? nullptr : OpenMemoryStore(disk);
  absl::StatusOr<std::unique_ptr<Coordinator>> started =
      Coordinator::Start(std::move(options), std::move(store), nullptr, &clock_);
  if (started.ok()) coordinator_ = *std::move(started);
}

CoordinatorScenario::~CoordinatorScenario() {
  coordinator_.reset();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

std::shared_ptr<FakeAgent> CoordinatorScenario::Open() {
  auto agent = std::make_shared<FakeAgent>(coordinator_.get(), std::set<FakeAgent::Kind>());
  coordinator_->OnOpened(agent, "");
  return agent;
}

std::shared_ptr<FakeAgent> CoordinatorScenario::Join(const std::string& id, std::set<FakeAgent::Kind> mute,
                                                     uint32_t protocol) {
  auto agent = std::make_shared<FakeAgent>(coordinator_.get(), std::move(mute));
  coordinator_->OnOpened(agent, "");
  v1::AgentMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_protocol_major(protocol);
  hello.set_agent_id(id);
  hello.set_incarnation(id + "-1");
  hello.mutable_capacity()->set_streams(100);
  hello.set_weight(1);
  agent->Say(std::move(message));
  agents_.push_back(agent);
  return agent;
}

absl::StatusOr<v1::Job> CoordinatorScenario::Create(const std::string& levels, const std::string& request_id) {
  return CreateYaml(absl::StrCat("endpoint: {url: http://host.example:8000, model: m}\n"
                                 "parameters: {concurrency: [", levels, "], request_count: 4}\n"),
                    request_id.empty() ? absl::StrCat("request-", ++requests_) : request_id);
}

absl::StatusOr<v1::Job> CoordinatorScenario::CreateYaml(const std::string& yaml, const std::string& request_id) {
  v1::CreateJobRequest request;
  request.set_client_request_id(request_id);
  request.set_job_yaml(yaml);
  return Ask<v1::Job>([&](auto answer) { coordinator_->CreateJob(request, "tester", std::move(answer)); });
}

v1::Job CoordinatorScenario::Describe(const std::string& job_id) {
  const absl::StatusOr<v1::Job> job =
      Ask<v1::Job>([&](auto answer) { coordinator_->DescribeJob(job_id, std::move(answer)); });
  return job.ok() ? *job : v1::Job();
}

v1::Job CoordinatorScenario::Await(const std::string& job_id, v1::JobState state) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  for (int waits = 0; waits < 500; ++waits) {
    v1::Job job = Describe(job_id);
    if (job.state() == state) return job;
    Advance(kNanosPerSecond / 20);
    never.WaitFor(mutex, kNanosPerMilli);
  }
  return Describe(job_id);
}

void CoordinatorScenario::Advance(int64_t nanos) {
  while (nanos > 0) {
    const int64_t step = std::min(nanos, kNanosPerSecond);
    nanos -= step;
    clock_.Advance(step);
    for (const auto& agent : agents_) agent->Beat();
    (void)Ask<v1::ListAgentsResponse>([this](auto answer) { coordinator_->ListAgents(std::move(answer)); });
  }
}

}  // namespace tidemark
