#ifndef TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_METRICS_H_
#define TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_METRICS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/measurement/facts.h"
#include "common/mutex.h"
#include "coordinator/core/job/job_machine.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct CoordinatorState;  // what a page is made of

// A level as it stands.
struct LevelSnapshot {
  LevelKey key;
  LevelPhase phase = LevelPhase::kPreparing;
  uint32_t concurrency = 0;      // asked for
  uint64_t planned_requests = 0;  // to be measured
  uint64_t in_flight = 0;        // over all agents
  // Of this attempt, merged over all agents. Read during the call only. Null: none yet.
  const MeasuredFacts* facts = nullptr;
};

struct JobCounts {
  uint64_t queued = 0, running = 0;
};

enum class JobEndState { kCompleted, kFailed, kStopped };

struct AgentCounts {
  uint64_t idle = 0, busy = 0, cut_off = 0;
  uint64_t capacity = 0;  // concurrent requests of all
};

enum class CoordinatorEvent { kAgentLost, kAttemptVoid, kStaleMessage, kHelloRefused };
inline constexpr size_t kCoordinatorEvents = 4;

// The coordinator's metrics: the latest facts, as told by the thread that owns the job; a scrape turns them into
// Prometheus's text. Of jobs only the current one has series (the last one until the next starts), of its levels the
// latest kLevelsShown, so their number is bounded. Thread-safe; a scrape does not keep the owner waiting.
class CoordinatorMetrics {
 public:
  static constexpr size_t kLevelsShown = 64;

  explicit CoordinatorMetrics(std::string version);
  ~CoordinatorMetrics();

  // The series of the job before go.
  void StartJob(const std::string& job_id, const std::string& name);
  // Its levels stay; nothing runs any more. Another job's end changes nothing.
  void EndJob(const std::string& job_id);

  // A running level, after each change of phase and at most about once a second: costs a pass over three
  // histograms. An attempt before `key.attempt` goes. Another job's level changes nothing.
  void SetLevel(const LevelSnapshot& level);
  // The attempt is void: none of its figures stays.
  void DropLevel(const LevelKey& key);
  // A level that was over before this process began. SetVerdict follows.
  void RestoreLevel(const LevelSnapshot& level);
  // The level is over.
  void SetVerdict(const LevelKey& key, uint32_t concurrency, v1::Verdict verdict, v1::Validity validity);

  void SetJobs(const JobCounts& jobs);
  void CountJobEnd(JobEndState state);
  void SetAgents(const AgentCounts& agents);
  void Count(CoordinatorEvent event, uint64_t by = 1);

  // The page (kMetricPageType).
  std::string Text() const;

 private:
  const std::string version_;
  mutable Mutex mutex_;
  const std::unique_ptr<CoordinatorState> state_ TIDEMARK_PT_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_METRICS_H_
