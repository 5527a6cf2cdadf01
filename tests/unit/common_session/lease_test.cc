#include "common/session/lease.h"

#include <gtest/gtest.h>

#include <random>

namespace tidemark {
namespace {

TEST(AgentLease, RunsFromTheSendTimeOfTheAcknowledgedHeartbeat) {
  AgentLease lease;
  lease.Begin(100, 50);
  lease.HeartbeatSent(1, 120);
  lease.HeartbeatSent(2, 140);
  EXPECT_TRUE(lease.held(149));
  EXPECT_FALSE(lease.held(150));
  lease.HeartbeatAcknowledged(1);
  EXPECT_EQ(lease.expires_at(), 170);
}

TEST(AgentLease, IsNeverShortenedByALateAcknowledgement) {
  AgentLease lease;
  lease.Begin(100, 50);
  lease.HeartbeatSent(1, 110);
  lease.HeartbeatSent(2, 120);
  lease.HeartbeatAcknowledged(2);
  lease.HeartbeatAcknowledged(1);
  lease.HeartbeatAcknowledged(99);
  EXPECT_EQ(lease.expires_at(), 170);
}

TEST(AgentLease, IsNotHeldBeforeItBegins) {
  AgentLease lease;
  EXPECT_FALSE(lease.held(0));
  lease.HeartbeatSent(1, 10);
  lease.HeartbeatAcknowledged(1);
  EXPECT_FALSE(lease.held(11));
}

// Whatever is delayed or lost, the agent's lease ends before the coordinator's.
TEST(Lease, TheAgentsAlwaysEndsFirst) {
  for (uint32_t seed = 1; seed <= 1'000; ++seed) {
    std::minstd_rand random(seed);
    constexpr int64_t kLength = 50;
    AgentLease agent;
    agent.Begin(0, kLength);
    CoordinatorLease coordinator(kLength, static_cast<int64_t>(random() % 10));
    int64_t received = 10;
    for (uint64_t number = 1; number < 20; ++number) {
      const int64_t sent = static_cast<int64_t>(number) * 10;
      agent.HeartbeatSent(number, sent);
      if (random() % 3 == 0) continue;  // lost
      received = std::max(received, sent + static_cast<int64_t>(random() % 30));
      coordinator.Renew(received);
      if (random() % 3 != 0) agent.HeartbeatAcknowledged(number);
      ASSERT_LE(agent.expires_at(), coordinator.expires_at()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tidemark
