#ifndef TIDEMARK_TESTS_UNIT_COORDINATOR_CORE_JOB_SCENARIO_H_
#define TIDEMARK_TESTS_UNIT_COORDINATOR_CORE_JOB_SCENARIO_H_

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/job/job_machine.h"

namespace tidemark {

inline constexpr int64_t kSecond = 1'000'000'000;

// What an effect says, in one line.
std::string Describe(const JobEffect& effect);

// A job and agents that answer every command at once, unless told otherwise; time stands still
// unless told to pass. All that happened is in log().
class JobScenario {
 public:
  explicit JobScenario(JobSpec spec, bool one_host = false);
  JobScenario(JobSpec spec, JobMachineOptions options);
  static JobMachineOptions Options(bool one_host);

  // A job of these levels with `request_count` measured requests each.
  static JobSpec List(std::vector<uint32_t> concurrency, uint64_t request_count);

  JobScenario& Join(const std::string& id, uint32_t capacity = 100);
  JobScenario& Start() { return Say(StartJob{}); }
  JobScenario& Lose(const std::string& id) { return Say(AgentLost{id, "its lease lapsed"}); }
  JobScenario& Say(const JobEvent& event);

  // The agent (all: "") does not answer commands of this kind: "PROBE", "PREPARE", "ARM" (STARTED
  // and WARM), "WARM", "MEASURE", "STOP", "CANCEL", "PULL".
  JobScenario& Mute(const std::string& kind, const std::string& agent = "");
  JobScenario& Unmute(const std::string& kind, const std::string& agent = "");
  // Answers what was muted and is not answered yet.
  JobScenario& Answer();

  // Lets the timer fire whenever it is due, until `seconds` have passed.
  JobScenario& Wait(double seconds);

  const std::vector<std::string>& log() const { return log_; }
  size_t Count(const std::string& prefix) const;      // lines of the log that begin so
  std::string Last(const std::string& prefix) const;  // the last such line, or ""
  bool finished() const { return machine_.finished(); }
  const std::optional<JobFinished>& end() const { return end_; }
  const std::vector<LevelMeasurement>& levels() const { return levels_; }
  const JobMachine& machine() const { return machine_; }
  const std::vector<std::pair<JobEvent, int64_t>>& events() const { return events_; }
  int64_t now() const { return now_; }

  // How levels are judged; PASS unless set.
  std::function<Verdict(const LevelMeasurement&)> judge;
  // What its agents had to carry, and carried; none unless set.
  std::function<std::vector<AgentLoad>(const LevelMeasurement&)> loads;
  v1::Probed probed;                          // what the probe finds
  uint64_t records_bytes = 0;                 // of each agent and level
  std::function<void(AgentStopped*)> tamper;  // with the last word of an agent
  // Sees each event and its effects before they are carried out.
  std::function<void(const JobEvent&, const JobEffects&)> witness;

 private:
  void Feed(const JobEvent& event);
  void Take(const JobEffect& effect);
  void Reply(const std::string& kind, const std::string& agent, std::vector<JobEvent> events);
  bool Muted(const std::string& kind, const std::string& agent) const;
  void Drain();
  AgentStopped StoppedOf(const std::string& agent, const LevelKey& key);

  struct Held {
    std::string kind, agent;
    JobEvent event;
  };
  JobMachine machine_;
  int64_t now_ = 1000 * kSecond;
  std::optional<int64_t> timer_;
  std::deque<JobEvent> queue_;
  std::vector<Held> held_;
  std::set<std::pair<std::string, std::string>> muted_;
  std::map<std::string, Share> shares_;            // of the current attempt
  std::map<std::string, OutcomeCounts> measured_;  // reported in it
  std::set<std::string> answered_;                 // MEASURE, in it
  std::vector<std::string> log_;
  std::vector<std::pair<JobEvent, int64_t>> events_;
  std::optional<JobFinished> end_;
  std::vector<LevelMeasurement> levels_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COORDINATOR_CORE_JOB_SCENARIO_H_
