#ifndef TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_METER_H_
#define TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_METER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/core/agents/agent_hub.h"
#include "coordinator/driver/job_table.h"
#include "coordinator/driver/live_view.h"
#include "coordinator/exporter/coordinator_metrics.h"

namespace tidemark {

// Tells the metrics what happens in the coordinator. Used on its thread. Thread-compatible.
class CoordinatorMeter {
 public:
  // `metrics` may be null; what is given must outlive it.
  CoordinatorMeter(CoordinatorMetrics* metrics, const AgentHub* hub, const JobTable* jobs)
      : metrics_(metrics), hub_(hub), jobs_(jobs) {}

  // `levels` were finished before a restart.
  void StartJob(const v1::Job& job, const std::vector<v1::LevelResult>& levels);
  void EndJob(const v1::Job& job);
  void ShowJobs();
  void Show(const LiveLevel& live, const MeasuredFacts& facts);
  void Void(const LevelKey& key);
  void Finish(const std::string& job_id, const v1::LevelResult& level);

  void See(const HubEffect& effect);
  // After a batch of effects: agents that came, went, or changed their state.
  void Settle();

 private:
  CoordinatorMetrics* const metrics_;
  const AgentHub* const hub_;
  const JobTable* const jobs_;
  bool agents_changed_ = true;
  uint64_t stale_ = 0;  // told so far
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_COORDINATOR_METER_H_
