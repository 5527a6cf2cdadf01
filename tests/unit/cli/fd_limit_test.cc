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

TEST(HostCapacity, KeepsDescriptorsBackAndNamesBothNumbers) {
  const HostCapacity capacity = CapacityOf(1024, 0);
  EXPECT_EQ(capacity.requests, 768u);
  EXPECT_THAT(capacity.because, HasSubstr("1024"));
  EXPECT_THAT(capacity.because, HasSubstr("256"));
  EXPECT_THAT(capacity.cure, HasSubstr("LimitNOFILE"));
}

TEST(HostCapacity, IsNoneWhereTheReserveDoesNotFit) { EXPECT_EQ(CapacityOf(100, 0).requests, 0u); }

TEST(HostCapacity, IsWhatTheUserStatesUpToTheLimit) {
  EXPECT_EQ(CapacityOf(1024, 500).requests, 500u);
  EXPECT_EQ(CapacityOf(1024, 5000).requests, 768u);
}

}  // namespace
}  // namespace tidemark
