#include "coordinator/core/job/spread.h"

#include <gtest/gtest.h>

#include "coordinator/core/splitter.h"
#include "tests/unit/coordinator_core/job_scenario.h"

namespace tidemark {
namespace {

std::vector<AgentInfo> Agents(std::vector<uint32_t> capacities) {
  std::vector<AgentInfo> agents;
  for (const uint32_t capacity : capacities) {
    AgentInfo agent;
    agent.id = "agent-" + std::to_string(agents.size() + 1);
    agent.capacity = capacity;
    agents.push_back(agent);
  }
  return agents;
}

LevelOutcome Outcome(Verdict verdict, std::vector<AgentLoad> loads) {
  LevelOutcome outcome;
  outcome.verdict = verdict;
  outcome.loads = std::move(loads);
  for (const AgentLoad& load : outcome.loads) outcome.level += load.slots;
  return outcome;
}

// Agent 1 had 50 slots and would carry 30; agent 2 had 50 and carried them.
LevelOutcome TooMuchForTheFirst() { return Outcome(Verdict::kInvalid, {{"agent-1", 50, 30}, {"agent-2", 50, 50}}); }

std::vector<uint32_t> Capacities(const std::vector<AgentInfo>& agents) {
  std::vector<uint32_t> capacities;
  for (const AgentInfo& agent : agents) capacities.push_back(agent.capacity);
  return capacities;
}

using Want = std::vector<uint32_t>;

TEST(LowerToCarried, LeavesAgentsThatCarriedTheirLoad) {
  const auto valid = Outcome(Verdict::kPass, {{"agent-1", 50, 50}, {"agent-2", 50, 50}});
  EXPECT_EQ(Capacities(LowerToCarried(Agents({100, 100}), {valid})), Want({100, 100}));
}

TEST(LowerToCarried, LowersTheOneThatDidNot) {
  EXPECT_EQ(Capacities(LowerToCarried(Agents({100, 100}), {TooMuchForTheFirst()})), Want({30, 100}));
}

TEST(LowerToCarried, KeepsWhatWasValidBefore) {
  const auto valid = Outcome(Verdict::kPass, {{"agent-1", 45, 45}});
  EXPECT_EQ(Capacities(LowerToCarried(Agents({100, 100}), {valid, TooMuchForTheFirst()})), Want({45, 100}));
}

TEST(LowerToCarried, StaysBelowWhatWasTooMuch) {
  const auto valid = Outcome(Verdict::kPass, {{"agent-1", 80, 80}});
  EXPECT_EQ(Capacities(LowerToCarried(Agents({100, 100}), {valid, TooMuchForTheFirst()})), Want({49, 100}));
}

TEST(LowerToCarried, NeverRaises) {
  EXPECT_EQ(Capacities(LowerToCarried(Agents({20, 100}), {TooMuchForTheFirst()})), Want({20, 100}));
}

TEST(LowerToCarried, StartsFromTheShareOfASelftestThatIsPlanned) {
  std::vector<AgentInfo> agents = Agents({40, 100});
  agents[0].capacity_source = "selftest";
  EXPECT_EQ(UsableCapacity(LowerToCarried(agents, {TooMuchForTheFirst()})[0]), 28u);
}

TEST(CanSpread, WhereOthersHaveRoom) { EXPECT_TRUE(CanSpread(Agents({100, 100}), {}, TooMuchForTheFirst())); }

TEST(CanSpread, NotWhereOthersHaveNone) { EXPECT_FALSE(CanSpread(Agents({100, 60}), {}, TooMuchForTheFirst())); }

TEST(CanSpread, NotOnOneAgent) {
  EXPECT_FALSE(CanSpread(Agents({100}), {}, Outcome(Verdict::kInvalid, {{"agent-1", 50, 30}})));
}

TEST(CanSpread, NotALevelThatNoAgentWasTheLimitOf) {
  EXPECT_FALSE(CanSpread(Agents({100, 100}), {}, Outcome(Verdict::kInvalid, {{"agent-1", 50, 50}})));
}

TEST(CanSpread, NotAValidLevel) {
  LevelOutcome outcome = TooMuchForTheFirst();
  outcome.verdict = Verdict::kFail;
  EXPECT_FALSE(CanSpread(Agents({100, 100}), {}, outcome));
}

TEST(CanSpread, ThreeTimesAtMost) {
  LevelOutcome spread = TooMuchForTheFirst();
  spread.spread = true;
  EXPECT_TRUE(CanSpread(Agents({100, 100}), {spread, spread}, TooMuchForTheFirst()));
  EXPECT_FALSE(CanSpread(Agents({100, 100}), {spread, spread, spread}, TooMuchForTheFirst()));
}

// Agents `a` and `b`: the level is INVALID as long as `a` has more than 30 slots.
class SpreadJob : public testing::Test {
 protected:
  void Run(JobSpec spec, uint32_t capacity_of_b) {
    job_.emplace(std::move(spec));
    job_->loads = [](const LevelMeasurement& level) {
      std::vector<AgentLoad> loads;
      for (const AgentPart& part : level.parts) {
        const bool too_much = part.agent == "a" && part.share.slots > 30;
        loads.push_back({part.agent, part.share.slots, too_much ? 30 : part.share.slots});
      }
      return loads;
    };
    job_->judge = [this](const LevelMeasurement& level) {
      for (const AgentLoad& load : job_->loads(level)) {
        if (load.TooMuch()) return Verdict::kInvalid;
      }
      return Verdict::kPass;
    };
    job_->Join("a").Join("b", capacity_of_b).Start().Wait(600);
  }

  // Slots of `a` in each level that was measured.
  std::vector<uint32_t> SlotsOfA() const {
    std::vector<uint32_t> slots;
    for (const LevelMeasurement& level : job_->levels()) slots.push_back(level.parts[0].share.slots);
    return slots;
  }

  std::optional<JobScenario> job_;
};

TEST_F(SpreadJob, MeasuresAnInvalidLevelAgainWithLessOnTheAgentThatWasItsLimit) {
  Run(JobScenario::List({80}, 400), 100);
  EXPECT_EQ(SlotsOfA(), Want({40, 30}));
}

TEST_F(SpreadJob, SaysSo) {
  Run(JobScenario::List({80}, 400), 100);
  EXPECT_NE(job_->Last("SAY concurrency 80").find("a carries about 30 of the 40"), std::string::npos);
}

TEST_F(SpreadJob, PlansTheNextLevelWithWhatItCarries) {
  Run(JobScenario::List({80, 90}, 400), 100);
  EXPECT_EQ(SlotsOfA(), Want({40, 30, 30}));
}

TEST_F(SpreadJob, GoesOnWhereThereIsNoRoom) {
  Run(JobScenario::List({80, 20}, 400), 45);
  EXPECT_EQ(SlotsOfA(), Want({40, 10}));
}

TEST_F(SpreadJob, SaysHowManyAgentsAreMissing) {
  Run(JobScenario::List({80}, 400), 45);
  EXPECT_NE(job_->Last("WARN concurrency 80").find("needs 1 more agent"), std::string::npos) << job_->Last("WARN");
}

TEST_F(SpreadJob, ASearchGoesOnWithTheLevelThatWasSpread) {
  JobSpec spec = JobScenario::List({}, 400);
  spec.search.emplace();
  spec.search->spec.min = spec.search->spec.max = 80;
  spec.search->max_given = true;
  Run(std::move(spec), 100);
  EXPECT_EQ(SlotsOfA(), Want({40, 30}));
  EXPECT_FALSE(job_->end()->impossible);
}

}  // namespace
}  // namespace tidemark
