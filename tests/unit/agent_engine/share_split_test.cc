#include "agent/engine/share_split.h"

namespace tidemark {
namespace {

TEST(LoopCount, IsOneForEachTwoThousandSlotsUpToTheCores) {
  EXPECT_EQ(LoopCount({2'000, 0, 10'000, 0}, 0, 8), 1u);
  EXPECT_EQ(LoopCount({2'001, 0, 10'000, 0}, 0, 8), 2u);
  EXPECT_EQ(LoopCount({20'000, 0, 100'000, 0}, 0, 4), 4u);
}

TEST(LoopCount, IsNeverMoreThanSlotsOrRequests) {
  EXPECT_EQ(LoopCount({3, 0, 10, 0}, 8, 8), 3u);
  EXPECT_EQ(LoopCount({16, 0, 2, 0}, 8, 8), 2u);
  EXPECT_EQ(LoopCount({16, 0, 0, 0}, 8, 8), 1u);
  EXPECT_EQ(LoopCount({0, 0, 0, 0}, 8, 8), 0u);
}

TEST(SplitShare, SumsExactlyAndGivesEachLoopARequest) {
  for (uint32_t slots = 1; slots < 20; ++slots) {
    for (uint64_t requests = 1; requests < 40; ++requests) {
      const uint32_t loops = LoopCount({slots, 5, requests, 7}, 4, 4);
      Share next{0, 5, 0, 7};
      for (const Share& part : SplitShare({slots, 5, requests, 7}, loops)) {
        EXPECT_EQ(part.first_slot, next.first_slot);
        EXPECT_EQ(part.first_request, next.first_request);
        EXPECT_GE(part.requests, 1u);
        EXPECT_GE(part.slots, slots / loops);
        EXPECT_LE(part.slots, slots / loops + 1);
        next.first_slot += part.slots;
        next.first_request += part.requests;
      }
      EXPECT_EQ(next.first_slot, 5 + slots);
      EXPECT_EQ(next.first_request, 7 + requests);
    }
  }
}

}  // namespace
}  // namespace tidemark
