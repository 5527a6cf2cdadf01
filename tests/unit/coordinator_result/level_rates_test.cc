#include "coordinator/core/result/level_rates.h"

#include <gtest/gtest.h>

#include "tests/unit/coordinator_result/level_fixture.h"

namespace tidemark {
namespace {

TEST(LevelRates, AddsRatesOfWindowsNotCountsOverACommonWidth) {
  // 100 requests in 10 s and 100 in 20 s: 10/s + 5/s, not 200 / 20 s.
  const auto rates = RatesOf({FullWindow(4, 100, 10), FullWindow(4, 100, 20)});
  ASSERT_TRUE(rates.has_value());
  EXPECT_DOUBLE_EQ(rates->request_throughput, 15);
}

TEST(LevelRates, WidestWindowIsTheDuration) {
  EXPECT_DOUBLE_EQ(RatesOf({FullWindow(4, 100, 10), FullWindow(4, 100, 20)})->benchmark_duration_s, 20);
}

TEST(LevelRates, EffectiveConcurrencyIsTheSumOfMeans) {
  EXPECT_DOUBLE_EQ(RatesOf({FullWindow(4, 100, 10), FullWindow(3, 100, 20)})->effective_concurrency, 7);
}

TEST(LevelRates, AWindowWithoutItsEndGivesNoRates) {
  WindowFacts open = FullWindow(4, 100, 10);
  open.has_window = false;
  EXPECT_FALSE(RatesOf({FullWindow(4, 100, 10), open}).has_value());
}

TEST(LevelRates, AWindowWithoutAMeasuredRequestGivesNoRates) {
  EXPECT_FALSE(RatesOf({FullWindow(4, 100, 10), FullWindow(4, 0, 10)}).has_value());
}

TEST(LevelRates, WindowsWithoutSlotsTakeNoPart) {
  EXPECT_TRUE(RatesOf({FullWindow(4, 100, 10), WindowFacts{}}).has_value());
}

}  // namespace
}  // namespace tidemark
