#include "common/session/fencing.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Fence, AdmitsOnlyTheCurrentLevelAndCountsTheOthers) {
  Fence fence;
  fence.Enter({"job", 2, 1});
  EXPECT_TRUE(fence.Admit({"job", 2, 1}));
  EXPECT_FALSE(fence.Admit({"job", 2, 2}));
  EXPECT_FALSE(fence.Admit({"job", 1, 1}));
  EXPECT_FALSE(fence.Admit({"other", 2, 1}));
  EXPECT_EQ(fence.stale(), 3u);
}

TEST(Fence, RefusesAnotherEpoch) {
  Fence fence;
  fence.Adopt({"store", 3});
  fence.Enter({"job", 2, 1});
  EXPECT_TRUE(fence.Admit({"job", 2, 1}, {"store", 3}));
  EXPECT_FALSE(fence.Admit({"job", 2, 1}, {"store", 2}));
  EXPECT_FALSE(fence.Admit({"job", 2, 1}, {"another", 3}));
  EXPECT_EQ(fence.stale(), 2u);
}

TEST(Fence, RefusesAnotherEpochWithoutALevel) {
  Fence fence;
  fence.Adopt({"store", 3});
  EXPECT_TRUE(fence.AdmitEpoch({"store", 3}));
  EXPECT_FALSE(fence.AdmitEpoch({"store", 2}));
  EXPECT_EQ(fence.stale(), 1u);
}

TEST(Fence, ClosesTheLevelOfAnOldEpoch) {
  Fence fence;
  fence.Adopt({"store", 1});
  fence.Enter({"job", 2, 1});
  fence.Adopt({"store", 1});
  EXPECT_TRUE(fence.Admit({"job", 2, 1}));
  fence.Adopt({"store", 2});
  EXPECT_FALSE(fence.Admit({"job", 2, 1}));
}

}  // namespace
}  // namespace tidemark
