#include "coordinator/driver/coordinator_meter.h"

#include <utility>
#include <variant>

namespace tidemark {

void CoordinatorMeter::StartJob(const v1::Job& job) {
  if (metrics_ != nullptr) metrics_->StartJob(job.id(), job.name());
}

void CoordinatorMeter::EndJob(v1::JobState state) {
  if (metrics_ == nullptr) return;
  metrics_->EndJob();
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
