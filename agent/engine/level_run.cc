#include "agent/engine/level_run.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/level_room.h"
#include "agent/engine/share_split.h"
#include "agent/engine/target_setup.h"

namespace tidemark {
namespace {

// Facts go out at most once a second; a loop a little early must not push its part a second back.
constexpr int64_t kFactsEvery = LoopWorker::kFactsEvery - 50 * kNanosPerMilli;

// A job id may hold anything; a file name may not. The number tells apart a run and one before it that
// has not yet removed its file.
std::string FileName(const LevelKey& key) {
  static std::atomic<uint64_t> runs{0};
  std::string name =
      absl::StrCat(key.job_id, "-", key.level, "-", key.attempt, "-", ++runs, ".jsonl");
  for (char& c : name) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    if (!plain) c = '-';
  }
  return name;
}

}  // namespace

LevelRun::LevelRun(LevelTask task, EngineEvents events, const EngineOptions* options,
                   const std::atomic<int64_t>* send_deadline, const Clock* clock)
    : task_(std::move(task)),
      events_(std::move(events)),
      options_(options),
      send_deadline_(send_deadline),
      clock_(clock),
      without_slots_(task_.share.slots == 0),
      setup_([this] { SetUp(); }) {}

LevelRun::~LevelRun() {
  Mute();
  setup_.join();
  loops_.clear();  // ends their threads
  if (spool_ == nullptr) return;
  spool_.reset();
  std::remove(spool_path_.c_str());
}

void LevelRun::Mute() {
  MutexLock lock(emit_);
  muted_ = true;
}

void LevelRun::SetUp() { Publish(Build()); }

absl::Status LevelRun::Build() {
  if (without_slots_) return absl::OkStatus();
  absl::StatusOr<TransportOptions> transport =
      SetUpTransport(task_.endpoint, task_.plan.limits, options_->access);
  if (!transport.ok()) return transport.status();
  transport->kernel_stamps = !task_.plan.user_timestamps;
  for (const TransportTarget& target : transport->targets) {
    addresses_.insert(addresses_.end(), target.addresses.begin(), target.addresses.end());
  }
  const LevelRoom room = ReadRoom();
  absl::Status fits = CheckRoom(task_.share.slots, transport->targets, transport->sources, room);
  if (!fits.ok()) return fits;
  ports_limit_ = PortsToOneAddress(transport->targets, transport->sources, room);
  const absl::Status spool = OpenSpool();
  return spool.ok() ? BuildLoops(*transport) : spool;
}

absl::Status LevelRun::OpenSpool() {
  if (options_->spool_dir.empty() || task_.plan.record_one_in == 0) return absl::OkStatus();
  SpoolOptions spool;
  spool.path = spool_path_ = absl::StrCat(options_->spool_dir, "/", FileName(task_.key));
  spool.limit_bytes = options_->spool_limit_bytes;
  spool.one_in = task_.plan.record_one_in;
  spool.context.id_prefix =
      absl::StrCat(task_.workload.nonce, "-", task_.key.level, "-", task_.key.attempt);
  spool.context.worker_id = absl::StrCat("worker_", task_.share.first_slot);
  spool.context.wall_minus_mono = clock_->WallNanos() - clock_->MonotonicNanos();
  auto opened = RecordSpool::Open(std::move(spool));
  if (!opened.ok()) return opened.status();
  spool_ = *std::move(opened);
  return absl::OkStatus();
}

absl::Status LevelRun::BuildLoops(const TransportOptions& transport) {
  WorkerOptions worker;
  worker.task = task_;
  worker.total_slots = std::max(task_.plan.concurrency, task_.share.first_slot + task_.share.slots);
  worker.send_deadline = send_deadline_;
  worker.records = spool_.get();
  worker.redactor = SetUpRedactor(task_.endpoint, transport.headers);
  for (const TransportTarget& target : transport.targets)
    worker.addresses.push_back(target.addresses);
  const uint32_t count =
      LoopCount(task_.share, options_->loops, std::thread::hardware_concurrency());
  for (const Share& share : SplitShare(task_.share, count)) {
    worker.task.share = share;
    auto loop = LevelLoop::Create(loops_.size(), worker, transport, clock_, this);
    if (!loop.ok()) return loop.status();
    loops_.push_back(*std::move(loop));
  }
  MutexLock lock(emit_);
  in_flight_.resize(loops_.size());
  return absl::OkStatus();
}

// READY is told before anything that waited for it can make a loop tell something.
void LevelRun::Publish(const absl::Status& status) {
  if (!status.ok()) loops_.clear();
  {
    MutexLock lock(emit_);
    if (!muted_) events_.ready(status, addresses_);
  }
  for (const auto& loop : loops_) loop->Start();
  bool stop_now;
  {
    MutexLock lock(mutex_);
    state_ = status.ok() ? State::kRunning : State::kFailed;
    for (const LoopCommand& command : waiting_) {
      for (const auto& loop : loops_) loop->Command(command);
    }
    waiting_.clear();
    stop_now = stop_asked_ && loops_.empty();
  }
  if (stop_now) StopWithoutLoops();
}

void LevelRun::Command(LoopCommand command) {
  MutexLock lock(mutex_);
  if (state_ == State::kSettingUp) waiting_.push_back(command);
  if (state_ != State::kRunning) return;
  for (const auto& loop : loops_) loop->Command(command);
}

void LevelRun::Arm(int64_t start, int64_t slice_origin) {
  if (without_slots_) {
    events_.started(0);
    events_.warm(false, 0);
    return;
  }
  Command([=](LoopWorker& worker) { worker.Arm(start, slice_origin); });
}

void LevelRun::Measure(int64_t start) {
  if (without_slots_) return events_.share_done();
  Command([=](LoopWorker& worker) { worker.Measure(start); });
}

void LevelRun::Stop(int64_t drain_ns) {
  StopWithoutLoops();
  Command([=](LoopWorker& worker) { worker.Stop(drain_ns); });
}

void LevelRun::Cancel() {
  StopWithoutLoops();
  Command([](LoopWorker& worker) { worker.Cancel(); });
}

void LevelRun::StopWithoutLoops() {
  {
    MutexLock lock(mutex_);
    stop_asked_ = true;
    if (state_ == State::kSettingUp || state_ == State::kStopped || !loops_.empty()) return;
    state_ = State::kStopped;
  }
  MutexLock lock(emit_);
  EmitStopped();
}

std::vector<int64_t> LevelRun::last_turns() const {
  std::vector<int64_t> turns;
  MutexLock lock(mutex_);
  if (state_ != State::kRunning) return turns;
  for (const auto& loop : loops_) turns.push_back(loop->last_turn());
  return turns;
}

std::string LevelRun::spool_path() const {
  MutexLock lock(mutex_);
  return state_ == State::kStopped && spool_ != nullptr ? spool_path_ : "";
}

void LevelRun::OnStarted(int64_t skew_ns) {
  MutexLock lock(emit_);
  skew_ = std::max(skew_, skew_ns);
  if (++started_ == loops_.size() && !muted_) events_.started(skew_);
}

void LevelRun::OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) {
  MutexLock lock(emit_);
  warm_late_ = warm_late_ || deadline_passed;
  latency_sum_us_ += latency_sum_us;
  latency_count_ += latency_count;
  if (++warm_ < loops_.size() || muted_) return;
  events_.warm(warm_late_, latency_count_ == 0 ? 0 : latency_sum_us_ / latency_count_);
}

void LevelRun::OnShareDone() {
  MutexLock lock(emit_);
  if (++done_ == loops_.size() && !muted_) events_.share_done();
}

void LevelRun::OnFacts(size_t loop, MeasuredFacts facts) {
  MutexLock lock(emit_);
  in_flight_[loop] = facts.in_flight_now;
  facts_.Merge(facts);
  const int64_t now = clock_->MonotonicNanos();
  if (now - facts_sent_ < kFactsEvery) return;
  facts_sent_ = now;
  EmitFacts();
}

void LevelRun::EmitFacts() {
  facts_.in_flight_now = 0;
  for (const uint64_t in_flight : in_flight_) facts_.in_flight_now += in_flight;
  MeasuredFacts facts = std::exchange(facts_, MeasuredFacts());
  if (!muted_) events_.facts(std::move(facts));
}

void LevelRun::OnStopped(size_t loop, FinalSnapshot part) {
  bool last;
  {
    MutexLock lock(emit_);
    in_flight_[loop] = 0;
    snapshot_.measured.Merge(part.measured);
    snapshot_.unmeasured.Merge(part.unmeasured);
    snapshot_.self_check.Merge(part.self_check);
    snapshot_.windows.insert(snapshot_.windows.end(), part.windows.begin(), part.windows.end());
    snapshot_.stopped_early = snapshot_.stopped_early || part.stopped_early;
    last = ++stopped_ == loops_.size();
  }
  if (!last) return;
  RecordSpool::Counts records;
  if (spool_ != nullptr) records = spool_->Close();
  {
    MutexLock lock(mutex_);
    state_ = State::kStopped;
  }
  MutexLock lock(emit_);
  snapshot_.self_check.ports_limit = ports_limit_;
  snapshot_.records_written = records.written;
  snapshot_.records_lost = records.lost;
  snapshot_.records_bytes = records.bytes;
  EmitFacts();
  EmitStopped();
}

void LevelRun::EmitStopped() {
  if (!muted_) events_.stopped(std::move(snapshot_));
}

}  // namespace tidemark
