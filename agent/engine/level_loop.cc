#include "agent/engine/level_loop.h"

#include <algorithm>
#include <utility>

#include "agent/engine/target_setup.h"
#include "agent/http/curl_transport.h"

namespace tidemark {

absl::StatusOr<std::unique_ptr<LevelLoop>> LevelLoop::Create(size_t number, WorkerOptions worker,
                                                             TransportOptions transport,
                                                             const Clock* clock,
                                                             LevelLoopEvents* events) {
  std::unique_ptr<LevelLoop> level(new LevelLoop(number, clock, events));
  auto loop = EpollLoop::Create(clock);
  if (!loop.ok()) return loop.status();
  level->loop_ = *std::move(loop);
  auto adapter = SetUpAdapter(worker.task.endpoint, worker.task.workload);
  if (!adapter.ok()) return adapter.status();
  level->adapter_ = *std::move(adapter);
  transport.slots = worker.task.share.slots;
  auto curl = NewCurlTransport(std::move(transport), level->loop_.get());
  if (!curl.ok()) return curl.status();
  level->transport_ = *std::move(curl);
  level->worker_ =
      std::make_unique<LoopWorker>(std::move(worker), level->loop_.get(), level->transport_.get(),
                                   level->adapter_.get(), level.get());
  return level;
}

LevelLoop::LevelLoop(size_t number, const Clock* clock, LevelLoopEvents* events)
    : number_(number), events_(events), check_(clock) {}

LevelLoop::~LevelLoop() {
  if (loop_ != nullptr) loop_->Stop();
  if (thread_.joinable()) thread_.join();
}

void LevelLoop::Start() {
  thread_ = std::thread([this] { loop_->Run(); });
}

void LevelLoop::Command(std::function<void(LoopWorker&)> command) {
  loop_->Post([this, command = std::move(command)] { command(*worker_); });
}

void LevelLoop::OnStarted(int64_t skew_ns) { events_->OnStarted(skew_ns); }

void LevelLoop::OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) {
  events_->OnWarm(deadline_passed, latency_sum_us, latency_count);
}

// The generator is judged over what is measured: from MEASURE until the share is done.
void LevelLoop::OnMeasuring() {
  checking_ = true;
  check_.Begin();
  transport_->TakeReadFacts();
  loop_->lag().Start(loop_->FreshNow());
}

void LevelLoop::OnShareDone() {
  EndSelfCheck();
  events_->OnShareDone();
}

void LevelLoop::OnFacts(MeasuredFacts facts) {
  if (checking_) {
    facts_.unread_socket_bytes_max =
        std::max(facts_.unread_socket_bytes_max, loop_->UnreadBytesMax(kUnreadSample));
  }
  events_->OnFacts(number_, std::move(facts));
}

void LevelLoop::EndSelfCheck() {
  if (!std::exchange(checking_, false)) return;
  loop_->lag().OnWake(loop_->FreshNow());
  loop_->lag().Stop();
  check_.End(&facts_);
  Transport::ReadFacts reads = transport_->TakeReadFacts();
  facts_.reads = reads.reads;
  facts_.reader_delay_us = std::move(reads.delay_us);
}

void LevelLoop::OnStopped() {
  EndSelfCheck();
  FinalSnapshot part;
  part.measured = worker_->recorder().measured();
  part.unmeasured = worker_->recorder().unmeasured();
  part.windows.push_back(worker_->recorder().window());
  part.stopped_early = !worker_->share_done();
  facts_.loop_lag_us = loop_->lag().lag_us();
  facts_.send_lateness_us = worker_->send_lateness_us();
  facts_.slot_turnaround_us = worker_->slot_turnaround_us();
  const Transport::Counters counters = transport_->counters();
  facts_.sockets_opened = counters.connections_opened;
  facts_.connections_open_max = counters.connections_open_max;
  facts_.queued_inside = counters.queued_inside;
  part.self_check = std::move(facts_);
  loop_->Stop();
  events_->OnStopped(number_, std::move(part));
}

}  // namespace tidemark
