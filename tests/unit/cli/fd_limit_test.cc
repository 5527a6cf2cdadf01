#include "cli/fd_limit.h"
#include "common/descriptors/descriptor_limit.h"

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

TEST(DescriptorLimit, IsRaisedToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto raised = RaiseDescriptorLimit();
  ASSERT_TRUE(raised.ok());
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(*raised, after.rlim_cur);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
}

HostBounds Bounds(uint64_t descriptors, uint64_t stated = 0) {
  HostBounds bounds;
  bounds.descriptors = descriptors;
  bounds.stated = stated;
  return bounds;
}

HostBounds WithSelftest(HostBounds bounds, uint32_t streams) {
  bounds.selftest = SelftestRecord{{}, streams, 50'000, "2026-12-01T10:00:00Z"};
  return bounds;
}

TEST(HostCapacity, KeepsDescriptorsBackAndNamesBothNumbers) {
  const HostCapacity capacity = CapacityOf(Bounds(1024));
  EXPECT_EQ(capacity.requests, 768u);
  EXPECT_THAT(capacity.because, HasSubstr("1024"));
  EXPECT_THAT(capacity.because, HasSubstr("256"));
  EXPECT_THAT(capacity.cure, HasSubstr("LimitNOFILE"));
}

TEST(HostCapacity, IsNoneWhereTheReserveDoesNotFit) { EXPECT_EQ(CapacityOf(Bounds(100)).requests, 0u); }

TEST(HostCapacity, IsWhatTheUserStatesUpToTheLimit) {
  EXPECT_EQ(CapacityOf(Bounds(1024, 500)).requests, 500u);
  EXPECT_EQ(CapacityOf(Bounds(1024, 5000)).requests, 768u);
}

TEST(HostCapacity, IsSeventyPercentOfTheSelftests) {
  const HostCapacity capacity = CapacityOf(WithSelftest(Bounds(20'000), 1'000));
  EXPECT_EQ(capacity.requests, 700u);
  EXPECT_EQ(capacity.source, "70 % of the 1000 that the selftest of 2026-12-01 found");
  EXPECT_THAT(capacity.cure, HasSubstr("--capacity"));
}

TEST(HostCapacity, WhatTheUserStatesGoesBeforeTheSelftest) {
  EXPECT_EQ(CapacityOf(WithSelftest(Bounds(20'000, 5'000), 1'000)).requests, 5'000u);
}

TEST(HostCapacity, IsNoMoreThanNineInTenOfThePorts) {
  HostBounds bounds = Bounds(100'000);
  bounds.ports = 10'000;
  EXPECT_EQ(CapacityOf(bounds).requests, 9'000u);
  EXPECT_THAT(CapacityOf(bounds).cure, HasSubstr("--source-address"));
  bounds.source_addresses = 2;
  EXPECT_EQ(CapacityOf(bounds).requests, 18'000u);
}

}  // namespace
}  // namespace tidemark
