#ifndef TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SESSION_WORLD_H_
#define TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SESSION_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/session_property/agent_node.h"
#include "tests/unit/session_property/coordinator_node.h"

namespace tidemark {

struct WorldOptions {
  uint64_t seed = 0;
  // Only faults that must void nothing: streams cut for less than the lease.
  bool gentle = false;
  bool one_clock = false;  // all clocks read the same
  bool trace = false;
};

// One job on a coordinator and one to four agents whose clocks are hours apart, over streams that break, with processes
// that die, all drawn from a seed. Everything that must always hold is looked at where it happens; what did not is in
// violations().
class SessionWorld {
 public:
  explicit SessionWorld(WorldOptions options);
  ~SessionWorld();

  void Run();

  const std::vector<std::string>& violations() const { return violations_; }
  const std::optional<JobFinished>& end() const { return end_; }
  size_t levels_done() const { return levels_done_; }
  size_t levels_asked() const { return spec_.concurrency.size(); }
  size_t voids() const { return voids_; }
  // Facts of the completed levels, to be compared between runs.
  const std::string& fingerprint() const { return fingerprint_; }
  const std::vector<std::string>& trace() const { return trace_; }

 private:
  struct Process {  // a slot for the processes of one agent id, one after the other
    std::string id;
    int64_t clock_offset = 0;
    bool slow = false;
    int started = 0;
    std::unique_ptr<AgentNode> node;
    bool lost = false;  // the coordinator has said that this incarnation is
    // It was lost while its lease held, so its engine may go on with what it was at until it hears of it.
    bool disowned = false;
  };

  void StartCoordinator();
  void StartAgent(size_t number);
  void EndAgent(size_t number, int64_t down_ns);
  void PlanFaults();
  void Fault();
  void Cut(size_t number);
  void RestartCoordinator();

  void OnAgentEvent(const JobEvent& event);
  void OnEffect(const JobEffect& effect);
  void OnVoid(const VoidedAttempt& attempt);
  void OnLevel(const LevelMeasurement& level);
  void OnPart(const LevelKey& key, const AgentPart& part);
  void OnSends(size_t number, const LevelKey& key);
  void OnExit(size_t number);
  void Upload(size_t number, const LevelKey& key);
  void CheckAllIdle();

  Process* Find(const std::string& id);
  size_t Pick(size_t n) { return static_cast<size_t>(rng_.Below(n)); }
  int64_t Millis(uint64_t from, uint64_t to) {
    return static_cast<int64_t>(from + rng_.Below(to - from)) * kNanosPerMilli;
  }
  void Violation(std::string what);
  void Trace(const std::string& line);

  const WorldOptions options_;
  Rng rng_;
  SimulatedTime time_;
  const int64_t begun_ = time_.now();
  JobSpec spec_;
  std::unique_ptr<FaultyNetwork> network_;
  std::vector<v1::JournalEntry> journal_;
  uint64_t coordinator_starts_ = 0;
  std::unique_ptr<CoordinatorNode> coordinator_;
  std::vector<Process> processes_;

  // By agent id and incarnation's number, level and attempt: what its engine made.
  std::map<std::pair<std::string, std::pair<uint32_t, uint32_t>>, EngineWork> works_;
  std::pair<uint32_t, uint32_t> asked_{0, 0};  // the latest key of a PREPARE
  std::pair<uint32_t, uint32_t> sending_{0, 0};  // the latest key that anyone sent requests for
  std::optional<JobFinished> end_;
  size_t levels_done_ = 0, voids_ = 0;
  std::string fingerprint_;
  std::vector<std::string> violations_;
  std::vector<std::string> trace_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_SESSION_PROPERTY_SESSION_WORLD_H_
