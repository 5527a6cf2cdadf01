#include "agent/http/lag_sampler.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;

TEST(LagSampler, EachMissedTickCountsWithItsOwnLateness) {
  LagSampler sampler;
  sampler.Start(0);
  sampler.OnWake(35 * kMilli);  // ticks at 10, 20 and 30
  EXPECT_EQ(sampler.lag_us().count(), 3u);
  EXPECT_EQ(sampler.lag_us().sum(), 25'000u + 15'000u + 5'000u);
  EXPECT_EQ(sampler.next(), 40 * kMilli);
}

TEST(LagSampler, ALoopStoppedForATenthOfEachSecondHasAP99NearThatTenth) {
  LagSampler sampler;
  sampler.Start(0);
  for (int64_t ms = 1; ms <= 10'000; ++ms) {
    const bool stopped = ms % 1000 > 900 || ms % 1000 == 0;
    if (!stopped || ms % 1000 == 0) sampler.OnWake(ms * kMilli);
  }
  EXPECT_GE(sampler.lag_us().Quantile(0.99), 80'000u);
}

TEST(LagSampler, CountsNothingWhenOff) {
  LagSampler sampler;
  sampler.OnWake(100 * kMilli);
  sampler.Start(100 * kMilli);
  sampler.Stop();
  sampler.OnWake(500 * kMilli);
  EXPECT_TRUE(sampler.lag_us().empty());
}

}  // namespace
}  // namespace tidemark
