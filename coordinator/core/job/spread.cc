#include "coordinator/core/job/spread.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/splitter.h"

namespace tidemark {
namespace {

constexpr int kMostSpreads = 3;
constexpr char kByValidity[] = "validity";  // the source of a capacity that was lowered
constexpr size_t kNamed = 3;

// What the levels say of one agent.
struct Seen {
  uint32_t valid = 0;                  // most slots that it carried
  uint32_t too_many = UINT32_MAX;      // least slots that were too many
  uint32_t carried = UINT32_MAX;       // least that it would have carried then
  uint32_t Planned() const { return too_many == 0 ? 0 : std::min(too_many - 1, std::max(valid, carried)); }
};

void Look(const LevelOutcome& outcome, std::map<std::string, Seen>& seen) {
  for (const AgentLoad& load : outcome.loads) {
    Seen& agent = seen[load.agent];
    if (!load.TooMuch()) {
      agent.valid = std::max(agent.valid, load.slots);
      continue;
    }
    agent.too_many = std::min(agent.too_many, load.slots);
    agent.carried = std::min(agent.carried, load.carried);
  }
}

}  // namespace

std::vector<AgentInfo> LowerToCarried(std::vector<AgentInfo> agents, const std::vector<LevelOutcome>& history) {
  std::map<std::string, Seen> seen;
  for (const LevelOutcome& outcome : history) Look(outcome, seen);
  for (AgentInfo& agent : agents) {
    const auto it = seen.find(agent.id);
    if (it == seen.end() || it->second.too_many == UINT32_MAX) continue;
    agent.capacity = std::min(UsableCapacity(agent), it->second.Planned());
    agent.capacity_source = kByValidity;
  }
  return agents;
}

bool CanSpread(const std::vector<AgentInfo>& agents, const std::vector<LevelOutcome>& history,
               const LevelOutcome& outcome) {
  const auto too_much = [](const AgentLoad& load) { return load.TooMuch(); };
  if (outcome.verdict != Verdict::kInvalid) return false;
  if (std::none_of(outcome.loads.begin(), outcome.loads.end(), too_much)) return false;
  const auto before = std::count_if(history.begin(), history.end(), [&outcome](const LevelOutcome& other) {
    return other.level == outcome.level && other.spread;
  });
  if (before >= kMostSpreads) return false;
  std::vector<LevelOutcome> all = history;
  all.push_back(outcome);
  return CheckCapacity(LowerToCarried(agents, all), outcome.level).ok();
}

std::string DescribeLimit(const LevelOutcome& outcome) {
  std::vector<std::string> limits;
  for (const AgentLoad& load : outcome.loads) {
    if (!load.TooMuch()) continue;
    limits.push_back(absl::StrCat(load.agent, " carries about ", load.carried, " of the ", load.slots,
                                  " requests that it had"));
  }
  const size_t more = limits.size() > kNamed ? limits.size() - kNamed : 0;
  limits.resize(limits.size() - more);
  return absl::StrCat(absl::StrJoin(limits, ", "), more == 0 ? "" : absl::StrCat(", and ", more, " more agents"));
}

}  // namespace tidemark
