#ifndef TIDEMARK_COORDINATOR_DRIVER_JOB_DRIVER_H_
#define TIDEMARK_COORDINATOR_DRIVER_JOB_DRIVER_H_

#include <functional>
#include <memory>
#include <string>

#include "common/clock/clock.h"
#include "common/session/fencing.h"
#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/result/job_result.h"
#include "coordinator/driver/live_view.h"
#include "coordinator/rpc/session_service.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// What the one who asked for the job hears of it. Called on the driver's thread: quick.
struct JobDriverEvents {
  // The probe is done: the spec with what it found, and the agents' capacity in all.
  std::function<void(const JobSpec& resolved, const v1::Probed& probe, uint64_t capacity)> probed;
  // At each change of phase and at most four times a second.
  std::function<void(const LiveLevel&)> live;
  std::function<void(const v1::LevelResult&)> level_finished;
  std::function<void(bool warning, const std::string& text)> say;
  std::function<void(v1::Result)> finished;  // last, once
};

struct JobDriverOptions {
  JobSpec spec;
  JobMachineOptions machine;
  JobRecord record;          // started_at and ended_at are filled in
  std::string artifact_dir;  // for records
  SessionEpoch epoch;
  int64_t lease = kDefaultLease;          // ns
  int64_t heartbeat = kDefaultHeartbeat;  // ns
};

// Runs one job: owns the registry of agents and the job machine on a thread of its own, feeds them what
// agents and timers say, and carries out their effects. The handler of the AgentSession service.
// Thread-safe.
class JobDriver : public SessionHandler {
 public:
  // `clock` must outlive it. Starts at once.
  JobDriver(JobDriverOptions options, JobDriverEvents events, const Clock* clock);
  // REQUIRES: the server is shut down.
  ~JobDriver() override;

  // First call: drains the level and keeps partial results. `now` cancels measured requests too.
  void Stop(const std::string& reason, bool now);

  void OnOpened(const std::shared_ptr<AgentStream>& stream, const std::string& agent_id) override;
  void OnMessage(const std::shared_ptr<AgentStream>& stream, v1::AgentMessage message) override;
  void OnClosed(const std::shared_ptr<AgentStream>& stream) override;
  absl::StatusOr<uint64_t> OnRecords(const v1::RecordChunk& chunk) override;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_JOB_DRIVER_H_
