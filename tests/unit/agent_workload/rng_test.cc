#include "common/rng/rng.h"

#include <cmath>

namespace tidemark {
namespace {

TEST(Rng, GivesTheSameNumbersForEver) {
  Rng rng(42);
  const uint64_t first = rng.Next();
  EXPECT_EQ(Rng(42).Next(), first);
  EXPECT_NE(Rng(43).Next(), first);
  EXPECT_EQ(MixBits(0), 0xe220a8397b1dcdafu);  // SplitMix64's published first output
}

TEST(Rng, BelowCoversItsRangeEvenly) {
  Rng rng(1);
  int counts[10] = {};
  for (int i = 0; i < 100'000; ++i) ++counts[rng.Below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Rng, NormalHasMeanZeroAndDeviationOne) {
  Rng rng(7);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.Normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1, 0.02);
}

TEST(CombineSeeds, TheOrderOfPartsMatters) {
  EXPECT_NE(CombineSeeds({1, 2}), CombineSeeds({2, 1}));
}

}  // namespace
}  // namespace tidemark
