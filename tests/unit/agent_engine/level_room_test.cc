#include "agent/engine/level_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

std::vector<TransportTarget> Targets(std::vector<std::vector<std::string>> addresses) {
  std::vector<TransportTarget> targets;
  for (std::vector<std::string>& of_one : addresses) {
    targets.emplace_back();
    targets.back().addresses = std::move(of_one);
  }
  return targets;
}

std::vector<SourceAddress> Sources(const std::vector<int>& families) {
  std::vector<SourceAddress> sources;
  for (const int family : families) {
    sources.emplace_back();
    sources.back().address.ss_family = static_cast<sa_family_t>(family);
  }
  return sources;
}

constexpr LevelRoom kRoom{1'000, 100};
const std::vector<TransportTarget>& OneAddress() {
  static const auto* const targets = new std::vector<TransportTarget>(Targets({{"10.0.0.1:80"}}));
  return *targets;
}

TEST(LevelRoom, HasAPortForEachSlot) {
  EXPECT_TRUE(CheckRoom(100, OneAddress(), {}, kRoom).ok());
  EXPECT_FALSE(CheckRoom(101, OneAddress(), {}, kRoom).ok());
}

TEST(LevelRoom, ARefusalSaysHowManyAgentsOrSourceAddressesItTakes) {
  const absl::Status status = CheckRoom(250, OneAddress(), {}, kRoom);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("250 local ports to 10.0.0.1:80, and there are 100: needs 2 more agents, 3 source addresses"));
}

TEST(LevelRoom, AddressesAndTargetsShareTheSlots) {
  EXPECT_TRUE(CheckRoom(200, Targets({{"10.0.0.1:80", "10.0.0.2:80"}}), {}, kRoom).ok());
  EXPECT_TRUE(CheckRoom(200, Targets({{"10.0.0.1:80"}, {"10.0.0.2:80"}}), {}, kRoom).ok());
}

TEST(LevelRoom, TwoUrlsOfOneAddressUseItsPortsTogether) {
  EXPECT_FALSE(CheckRoom(200, Targets({{"10.0.0.1:80"}, {"10.0.0.1:80"}}), {}, kRoom).ok());
}

TEST(LevelRoom, SourceAddressesMultiplyThePorts) {
  EXPECT_TRUE(CheckRoom(300, OneAddress(), Sources({AF_INET, AF_INET, AF_INET}), kRoom).ok());
  EXPECT_EQ(PortsToOneAddress(OneAddress(), Sources({AF_INET, AF_INET, AF_INET6}), kRoom), 200u);
}

TEST(LevelRoom, SourceAddressesOfAnotherFamilyAreRefused) {
  const absl::Status status = CheckFamilies(Targets({{"[fd00::1]:80"}}), Sources({AF_INET}));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("none of them reaches [fd00::1]:80: give one that is IPv6"));
}

TEST(LevelRoom, WithoutSourceAddressesEveryFamilyIsReached) {
  EXPECT_TRUE(CheckFamilies(Targets({{"[fd00::1]:80"}}), {}).ok());
}

TEST(LevelRoom, HasADescriptorForEachSlot) {
  const LevelRoom room{1'000, 0};
  EXPECT_TRUE(CheckRoom(1'000, OneAddress(), {}, room).ok());
  EXPECT_THAT(std::string(CheckRoom(2'500, OneAddress(), {}, room).message()), HasSubstr("needs 2 more agents"));
}

TEST(LevelRoom, WhatIsNotKnownRefusesNothing) { EXPECT_TRUE(CheckRoom(1'000'000, OneAddress(), {}, {}).ok()); }

}  // namespace
}  // namespace tidemark
