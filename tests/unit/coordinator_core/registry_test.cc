#include "coordinator/core/registry.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidemark {
namespace {

AgentInfo Agent(const std::string& id, const std::string& incarnation) {
  AgentInfo agent;
  agent.id = id;
  agent.incarnation = incarnation;
  agent.capacity = 10;
  return agent;
}

TEST(Registry, RefusesASecondProcessOfALiveId) {
  Registry registry(/*lease=*/5'000'000'000);
  EXPECT_EQ(*registry.Admit(Agent("a", "1"), 0), Registry::Admission::kJoined);
  const absl::Status status = registry.Admit(Agent("a", "2"), 1'000'000'000).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(),
            "agent a is already here as another process: give this one another --id, or wait 4 s "
            "for the other's lease to lapse");
}

TEST(Registry, TakesTheSameIncarnationBack) {
  Registry registry(50);
  ASSERT_TRUE(registry.Admit(Agent("a", "1"), 0).ok());
  EXPECT_EQ(*registry.Admit(Agent("a", "1"), 40), Registry::Admission::kReturned);
  EXPECT_EQ(registry.NextExpiry(), 90);
}

TEST(Registry, ANewIncarnationAfterTheLeaseReplacesTheLostOne) {
  Registry registry(50);
  ASSERT_TRUE(registry.Admit(Agent("a", "1"), 0).ok());
  EXPECT_EQ(*registry.Admit(Agent("a", "2"), 50), Registry::Admission::kReplaced);
  EXPECT_EQ(registry.Find("a")->incarnation, "2");
}

TEST(Registry, TheSameIncarnationAfterItsLeaseWasLostToo) {
  Registry registry(50);
  ASSERT_TRUE(registry.Admit(Agent("a", "1"), 0).ok());
  EXPECT_EQ(*registry.Admit(Agent("a", "1"), 50), Registry::Admission::kReplaced);
}

TEST(Registry, HeartbeatsKeepAnAgentAndSilenceLosesIt) {
  Registry registry(50);
  ASSERT_TRUE(registry.Admit(Agent("b", "1"), 0).ok());
  ASSERT_TRUE(registry.Admit(Agent("a", "1"), 1).ok());
  EXPECT_TRUE(registry.Heartbeat("a", "1", 40));
  EXPECT_FALSE(registry.Heartbeat("a", "0", 40));
  const std::vector<AgentInfo> lost = registry.Expire(60);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].id, "b");
  EXPECT_EQ(registry.NextExpiry(), 90);
}

TEST(Registry, ALapsedLeaseIsNotRevivedByALateHeartbeat) {
  Registry registry(50);
  ASSERT_TRUE(registry.Admit(Agent("a", "1"), 0).ok());
  EXPECT_FALSE(registry.Heartbeat("a", "1", 51));
}

TEST(Registry, ListsAgentsInTheOrderInWhichTheyJoined) {
  Registry registry(50);
  for (const char* id : {"c", "a", "b"}) ASSERT_TRUE(registry.Admit(Agent(id, "1"), 0).ok());
  ASSERT_TRUE(registry.Remove("c", "1"));
  ASSERT_TRUE(registry.Admit(Agent("c", "2"), 1).ok());
  std::string order;
  for (const AgentInfo& agent : registry.Agents()) order += agent.id;
  EXPECT_EQ(order, "abc");
}

v1::Hello GoodHello() {
  v1::Hello hello;
  hello.set_protocol_major(kProtocolMajor);
  hello.set_agent_id("a");
  hello.set_incarnation("1");
  hello.set_weight(2);
  hello.mutable_capacity()->set_streams(7);
  return hello;
}

TEST(DecodeHello, RefusesAnotherMajorVersionForGood) {
  v1::Hello hello = GoodHello();
  EXPECT_TRUE(DecodeHello(hello).ok());
  hello.set_protocol_major(9);
  const absl::Status status = DecodeHello(hello).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "agent a speaks protocol 9.0 and this coordinator 1.0: run the same release of both");
}

TEST(DecodeHello, RefusesWhatCannotBePlannedWith) {
  v1::Hello hello = GoodHello();
  hello.mutable_capacity()->set_streams(0);
  EXPECT_FALSE(DecodeHello(hello).ok());
  hello = GoodHello();
  hello.set_weight(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(DecodeHello(hello).ok());
  hello = GoodHello();
  hello.clear_agent_id();
  EXPECT_FALSE(DecodeHello(hello).ok());
}

TEST(DecodeHello, RefusesAWeightWhoseSumsAreNotExact) {
  for (const double weight : {1e-320, 1e300}) {
    v1::Hello hello = GoodHello();
    hello.set_weight(weight);
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeHello(hello).status())) << weight;
  }
}

TEST(DecodeHello, RefusesTextsThatAreLongOrCannotBeShown) {
  for (const std::string& text : {std::string(254, 'x'), std::string("a\nb")}) {
    v1::Hello hello = GoodHello();
    hello.set_pod(text);
    const absl::Status status = DecodeHello(hello).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_EQ(status.message().find("hello.pod is "), 0u) << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
}

TEST(DecodeHello, RefusesAnIdThatCannotBeShown) {
  v1::Hello hello = GoodHello();
  hello.set_agent_id("a\x1b[2J");
  EXPECT_EQ(DecodeHello(hello).status().message(),
            "hello.agent_id is a\\033[2J: at most 253 printable characters without spaces (--id)");
  hello.set_agent_id(std::string(254, 'a'));
  EXPECT_FALSE(DecodeHello(hello).ok());
}

}  // namespace
}  // namespace tidemark
