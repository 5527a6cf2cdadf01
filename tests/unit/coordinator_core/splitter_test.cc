#include "coordinator/core/splitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tidemark {
namespace {

AgentInfo Agent(const std::string& id, uint32_t capacity, double weight = 1) {
  AgentInfo agent;
  agent.id = id;
  agent.capacity = capacity;
  agent.weight = weight;
  return agent;
}

std::vector<uint32_t> Slots(const std::vector<AgentShare>& shares) {
  std::vector<uint32_t> out;
  for (const AgentShare& share : shares) out.push_back(share.share.slots);
  return out;
}

std::vector<uint64_t> Requests(const std::vector<AgentShare>& shares) {
  std::vector<uint64_t> out;
  for (const AgentShare& share : shares) out.push_back(share.share.requests);
  return out;
}

std::vector<AgentInfo> RandomAgents(std::minstd_rand& random) {
  std::vector<AgentInfo> agents;
  const bool equal = random() % 2 == 0;
  const size_t count = 1 + random() % 12;
  for (size_t i = 0; i < count; ++i) {
    const double weight = equal ? 3.7 : 0.01 + static_cast<double>(random() % 1000) / 10;
    agents.push_back(Agent("agent-" + std::to_string(i), 1 + random() % 300, weight));
  }
  return agents;
}

TEST(Splitter, EqualWeightsDifferByAtMostOne) {
  EXPECT_EQ(Slots(*SplitLevel({Agent("a", 9), Agent("b", 9), Agent("c", 9)}, 7, 100)),
            (std::vector<uint32_t>{3, 2, 2}));
}

TEST(Splitter, WhatACapCutsOffGoesToTheOthersByWeight) {
  EXPECT_EQ(Slots(*SplitLevel({Agent("a", 2), Agent("b", 90), Agent("c", 90, 2)}, 32, 100)),
            (std::vector<uint32_t>{2, 10, 20}));
}

TEST(Splitter, FollowsLargestRemainders) {
  // 53 requests at concurrency 7 over slots 2 2 2 1: 15.14 15.14 15.14 7.57.
  const auto shares =
      *SplitLevel({Agent("a", 9), Agent("b", 9), Agent("c", 9), Agent("d", 9)}, 7, 53);
  EXPECT_EQ(Requests(shares), (std::vector<uint64_t>{15, 15, 15, 8}));
}

TEST(Splitter, AgentsBeyondTheConcurrencyStayIdle) {
  const auto shares =
      *SplitLevel({Agent("a", 9), Agent("b", 9), Agent("c", 9), Agent("d", 9)}, 2, 100);
  EXPECT_EQ(Slots(shares), (std::vector<uint32_t>{1, 1, 0, 0}));
  EXPECT_EQ(Requests(shares), (std::vector<uint64_t>{50, 50, 0, 0}));
}

TEST(Splitter, EveryAgentWithSlotsMeasuresSomething) {
  const auto shares = *SplitLevel({Agent("a", 100, 98), Agent("b", 100), Agent("c", 100)}, 100, 3);
  EXPECT_EQ(Requests(shares), (std::vector<uint64_t>{1, 1, 1}));
}

TEST(Splitter, FewerRequestsThanAgentsAreStillExact) {
  const auto shares = *SplitLevel({Agent("a", 9), Agent("b", 9), Agent("c", 9)}, 9, 2);
  EXPECT_EQ(Requests(shares), (std::vector<uint64_t>{1, 1, 0}));
}

TEST(Splitter, MoreThanTheCapacityNamesTheAgentsMissing) {
  const absl::Status status = SplitLevel({Agent("a", 300), Agent("b", 300)}, 1000, 100).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "concurrency 1000 is more than the 600 that 2 agents carry: needs 2 more agents of 300 "
            "each, or a lower concurrency");
  EXPECT_EQ(CheckCapacity({}, 1).message(),
            "concurrency 1 has no agent to run on: needs at least 1 agent");
}

TEST(Splitter, PlansSeventyPercentOfASelftest) {
  AgentInfo agent = Agent("a", 1000);
  EXPECT_EQ(UsableCapacity(agent), 1000u);
  agent.capacity_source = "selftest";
  EXPECT_EQ(UsableCapacity(agent), 700u);
}

TEST(Splitter, SaysThatAgentsLackPorts) {
  AgentInfo agent = Agent("a", 1000);
  EXPECT_EQ(std::string(CheckCapacity({agent}, 2500).message()).find("--source-address"), std::string::npos);
  agent.capacity_source = "ports";
  EXPECT_NE(std::string(CheckCapacity({agent}, 2500).message())
                .find("needs 2 more agents of 1000 each, more local ports for each (tidemark-agent --source-address)"),
            std::string::npos);
}

TEST(Splitter, AgentsThatCarryNothingAreCounted) {
  EXPECT_NE(std::string(CheckCapacity({Agent("a", 0)}, 2).message()).find("needs 2 more agents"), std::string::npos);
}

TEST(Splitter, SharesSumExactlyAndNeverPassACap) {
  for (uint32_t seed = 1; seed <= 5'000; ++seed) {
    std::minstd_rand random(seed);
    const std::vector<AgentInfo> agents = RandomAgents(random);
    const auto concurrency = static_cast<uint32_t>(1 + random() % TotalCapacity(agents));
    const uint64_t requests = 1 + random() % 3000;
    const auto shares = SplitLevel(agents, concurrency, requests);
    ASSERT_TRUE(shares.ok()) << "seed " << seed;
    uint64_t slots_sum = 0, requests_sum = 0, with_slots = 0, with_requests = 0;
    for (size_t i = 0; i < agents.size(); ++i) {
      const Share& share = (*shares)[i].share;
      ASSERT_EQ(share.first_slot, slots_sum) << "seed " << seed;
      ASSERT_EQ(share.first_request, requests_sum) << "seed " << seed;
      ASSERT_LE(share.slots, agents[i].capacity) << "seed " << seed;
      slots_sum += share.slots;
      requests_sum += share.requests;
      with_slots += share.slots > 0;
      with_requests += share.requests > 0;
      ASSERT_TRUE(share.slots > 0 || share.requests == 0) << "seed " << seed;
    }
    ASSERT_EQ(slots_sum, concurrency) << "seed " << seed;
    ASSERT_EQ(requests_sum, requests) << "seed " << seed;
    ASSERT_EQ(with_requests, std::min(with_slots, requests)) << "seed " << seed;
  }
}

TEST(Splitter, UncappedAgentsOfEqualWeightDifferByAtMostOne) {
  for (uint32_t seed = 1; seed <= 2'000; ++seed) {
    std::minstd_rand random(seed);
    std::vector<AgentInfo> agents = RandomAgents(random);
    for (AgentInfo& agent : agents) agent.weight = 0.3;
    const auto concurrency = static_cast<uint32_t>(1 + random() % TotalCapacity(agents));
    const auto shares = *SplitLevel(agents, concurrency, 100);
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < agents.size(); ++i) {
      most = std::max(most, shares[i].share.slots);
      if (shares[i].share.slots < agents[i].capacity)
        least = std::min(least, shares[i].share.slots);
    }
    ASSERT_TRUE(least == UINT32_MAX || most <= least + 1) << "seed " << seed;
  }
}

TEST(Splitter, AnAgentThatJoinsOnlyTakesAway) {
  for (uint32_t concurrency = 1; concurrency < 60; ++concurrency) {
    std::vector<AgentInfo> agents{Agent("0", 100)};
    auto before = *SplitLevel(agents, concurrency, 100);
    for (int joined = 1; joined < 9; ++joined) {
      agents.push_back(Agent(std::to_string(joined), 100));
      const auto after = *SplitLevel(agents, concurrency, 100);
      for (size_t i = 0; i < before.size(); ++i) {
        ASSERT_EQ(after[i].agent, before[i].agent);
        ASSERT_LE(after[i].share.slots, before[i].share.slots);
      }
      before = after;
    }
  }
}

}  // namespace
}  // namespace tidemark
