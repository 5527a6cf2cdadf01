#include "coordinator/driver/coordinator_meter.h"

#include <utility>
#include <variant>

#include "common/measurement/facts_codec.h"

namespace tidemark {

namespace {

// What a result keeps of the facts that it was made of: all that has series.
absl::StatusOr<MeasuredFacts> FactsOf(const v1::LevelResult& level) {
  v1::Delta delta;
  *delta.mutable_measured() = level.measured();
  *delta.mutable_unmeasured() = level.unmeasured();
  *delta.mutable_failures() = level.failures();
  delta.set_output_tokens(level.total_output_tokens());
  delta.set_input_tokens(level.total_input_tokens());
  delta.set_sent_output_tokens(level.sent_output_tokens());
  delta.set_sent_input_tokens(level.sent_input_tokens());
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.histogram().count() == 0) continue;
    v1::MetricHistogram* histogram = delta.add_histograms();
    histogram->set_tag(metric.tag());
    *histogram->mutable_histogram() = metric.histogram();
  }
  return DecodeDelta(delta, 0);
}

}  // namespace

void CoordinatorMeter::StartJob(const v1::Job& job, const std::vector<v1::LevelResult>& levels) {
  if (metrics_ == nullptr) return;
  metrics_->StartJob(job.id(), job.name());
  for (const v1::LevelResult& level : levels) {
    const absl::StatusOr<MeasuredFacts> facts = FactsOf(level);
    LevelSnapshot snapshot;
    snapshot.key = {job.id(), level.level(), level.attempt()};
    snapshot.concurrency = level.concurrency();
    snapshot.planned_requests = level.request_count();
    snapshot.facts = facts.ok() ? &*facts : nullptr;  // of an older build's metrics not all may be known
    metrics_->RestoreLevel(snapshot);
    Finish(job.id(), level);
  }
}

void CoordinatorMeter::EndJob(const v1::Job& job) {
  if (metrics_ == nullptr) return;
  const v1::JobState state = job.state();
  metrics_->EndJob(job.id());
  metrics_->CountJobEnd(state == v1::COMPLETED ? JobEndState::kCompleted
                        : state == v1::STOPPED ? JobEndState::kStopped
                                               : JobEndState::kFailed);
  agents_changed_ = true;
}

void CoordinatorMeter::ShowJobs() {
  if (metrics_ == nullptr) return;
  metrics_->SetJobs({jobs_->CountIn(v1::QUEUED), jobs_->CountIn(v1::RUNNING) + jobs_->CountIn(v1::STOPPING)});
}

void CoordinatorMeter::Show(const LiveLevel& live, const MeasuredFacts& facts) {
  if (metrics_ == nullptr) return;
  LevelSnapshot level;
  level.key = live.key;
  level.phase = live.phase;
  level.concurrency = live.concurrency;
  level.planned_requests = live.request_count;
  level.in_flight = live.in_flight;
  level.facts = &facts;
  metrics_->SetLevel(level);
  agents_changed_ = true;
}

void CoordinatorMeter::Void(const LevelKey& key) {
  if (metrics_ == nullptr) return;
  metrics_->DropLevel(key);
  metrics_->Count(CoordinatorEvent::kAttemptVoid);
}

void CoordinatorMeter::Finish(const std::string& job_id, const v1::LevelResult& level) {
  if (metrics_ == nullptr) return;
  metrics_->SetVerdict({job_id, level.level(), level.attempt()}, level.concurrency(), level.verdict(), level.validity());
  agents_changed_ = true;
}

void CoordinatorMeter::See(const HubEffect& effect) {
  if (metrics_ == nullptr) return;
  if (const auto* raised = std::get_if<RaiseJobEvent>(&effect)) {
    const bool lost = std::holds_alternative<AgentLost>(raised->event);
    if (lost) metrics_->Count(CoordinatorEvent::kAgentLost);
    agents_changed_ |= lost || std::holds_alternative<AgentJoined>(raised->event) ||
                       std::holds_alternative<AgentReturned>(raised->event);
  }
  const auto* sent = std::get_if<SendToAgent>(&effect);
  if (sent != nullptr && sent->message.has_refused()) metrics_->Count(CoordinatorEvent::kHelloRefused);
}

void CoordinatorMeter::Settle() {
  if (metrics_ == nullptr) return;
  const uint64_t stale = hub_->stale_messages();
  if (stale > stale_) metrics_->Count(CoordinatorEvent::kStaleMessage, stale - std::exchange(stale_, stale));
  if (!std::exchange(agents_changed_, false)) return;
  AgentCounts counts;
  for (const AgentStatus& agent : hub_->Agents()) {
    ++(agent.cut_off ? counts.cut_off : agent.in_level ? counts.busy : counts.idle);
  }
  counts.capacity = hub_->TotalStreams();
  metrics_->SetAgents(counts);
}

}  // namespace tidemark
