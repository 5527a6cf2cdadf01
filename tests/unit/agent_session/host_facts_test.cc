#include "agent/session/host_facts.h"
#include "common/descriptors/descriptor_limit.h"

#include <gtest/gtest.h>

#include "common/environment/environment.h"
#include "common/session/protocol_version.h"

namespace tidemark {
namespace {

HostLimits Limits(uint64_t descriptors, uint32_t ports) {
  HostLimits limits;
  limits.cores = 4;
  limits.descriptors = descriptors;
  limits.ports = ports;
  return limits;
}

uint32_t StreamsOf(const HostLimits& limits, const HelloOptions& options = {}) {
  return CapacityOf(limits, options).streams();
}

SelftestRecord Selftest() { return {SelftestKey{}, 1'000, 90'000, ""}; }

TEST(HostFacts, KeepsDescriptorsForOtherThingsThanStreams) { EXPECT_EQ(StreamsOf(Limits(1024, 28232)), 768u); }

TEST(HostFacts, HasNoMoreCapacityThanPortsThatMayBePlanned) {
  EXPECT_EQ(StreamsOf(Limits(1'000'000, 28232)), 25'409u);
  EXPECT_EQ(CapacityOf(Limits(1'000'000, 28232), {}).source(), "ports");
}

TEST(HostFacts, SourceAddressesMultiplyThePorts) {
  HelloOptions options;
  options.source_addresses = 3;
  EXPECT_EQ(StreamsOf(Limits(1'000'000, 28232), options), 76'227u);
}

TEST(HostFacts, HasCapacityForOneAtLeast) { EXPECT_EQ(StreamsOf(Limits(100, 0)), 1u); }

TEST(HostFacts, TakesAnUnlimitedHostAsFarAsTheFieldReaches) {
  EXPECT_EQ(StreamsOf(Limits(UINT64_MAX, 0)), UINT32_MAX);
}

TEST(HostFacts, TakesItsSelftestsCapacityBeforeItsLimits) {
  HelloOptions options;
  options.selftest = Selftest();
  const v1::Capacity capacity = CapacityOf(Limits(20'000, 28232), options);
  EXPECT_EQ(capacity.streams(), 1'000u);
  EXPECT_EQ(capacity.source(), "selftest");
  EXPECT_EQ(capacity.events_per_second(), 90'000);
}

TEST(HostFacts, TakesTheAskedCapacityBeforeItsSelftests) {
  HelloOptions options;
  options.selftest = Selftest();
  options.capacity = 5'000;
  EXPECT_EQ(CapacityOf(Limits(20'000, 28232), options).streams(), 5'000u);
  EXPECT_EQ(CapacityOf(Limits(20'000, 28232), options).source(), "flag");
}

TEST(HostFacts, WeighsByTheQuotaWhereItIsLessThanTheCores) {
  HostLimits limits = Limits(1024, 0);
  EXPECT_EQ(WeightOf(limits, {}), 4);
  limits.cgroup.cpu = 1.5;
  EXPECT_EQ(WeightOf(limits, {}), 1.5);
  limits.cgroup.cpu = 16;
  EXPECT_EQ(WeightOf(limits, {}), 4);
}

TEST(HostFacts, WeighsByTheEventsOfASelftestInCores) { EXPECT_EQ(WeightOf(Limits(1024, 0), Selftest()), 1.5); }

TEST(HostFacts, NamesTheCpu) {
  EXPECT_EQ(ParseCpuModel("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon @ 2.0GHz\n"),
            "Xeon @ 2.0GHz");
  EXPECT_EQ(ParseCpuModel("processor : 0\nModel : Raspberry Pi 4\n"), "Raspberry Pi 4");
  EXPECT_EQ(ParseCpuModel("processor : 0\n"), "");
}

TEST(HostFacts, MakesAnIdOfAnyName) {
  EXPECT_EQ(AgentIdFrom("node-1.local"), "node-1.local");
  EXPECT_EQ(AgentIdFrom("a b/c"), "a-b-c");
  EXPECT_EQ(AgentIdFrom(""), "agent");
  EXPECT_EQ(AgentIdFrom(".."), "--");
  EXPECT_EQ(AgentIdFrom(std::string(100, 'x')).size(), 63u);
}

TEST(HostFacts, SaysHelloWithWhatTheCoordinatorNeeds) {
  const v1::Hello hello = BuildHello({});
  EXPECT_EQ(hello.protocol_major(), kProtocolMajor);
  EXPECT_FALSE(hello.agent_id().empty());
  EXPECT_EQ(hello.incarnation().size(), 32u);
  EXPECT_GE(hello.cores(), 1u);
  EXPECT_GE(hello.capacity().streams(), 1u);
  EXPECT_EQ(hello.capacity().source(), "limits");
  EXPECT_GT(hello.weight(), 0);
  EXPECT_GT(hello.port_limit(), 0u);
}

TEST(HostFacts, TakesTheCapacityThatWasAsked) {
  const v1::Hello hello = BuildHello({"mine", 37});
  EXPECT_EQ(hello.agent_id(), "mine");
  EXPECT_EQ(hello.capacity().streams(), 37u);
  EXPECT_EQ(hello.capacity().source(), "flag");
}

TEST(HostFacts, DrawsANewIncarnationEachTime) {
  EXPECT_NE(BuildHello({}).incarnation(), BuildHello({}).incarnation());
}

TEST(HostFacts, RaisesTheDescriptorLimitToTheHardOne) {
  const uint64_t limit = RaiseDescriptorLimit().value();
  EXPECT_EQ(limit, ReadHostLimits().descriptors);
  EXPECT_EQ(limit, RaiseDescriptorLimit().value());
}

TEST(HostFacts, DescribesTheEnvironment) {
  const v1::Environment environment = DescribeEnvironment();
  EXPECT_FALSE(environment.host().empty());
  EXPECT_EQ(environment.kernel().rfind("Linux ", 0), 0u);
  EXPECT_EQ(environment.build().rfind("tidemark ", 0), 0u);
  EXPECT_EQ(environment.curl_version().rfind("libcurl/", 0), 0u);
}

}  // namespace
}  // namespace tidemark
