#include "coordinator/driver/live_view.h"

#include <gtest/gtest.h>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

MeasuredFacts SomeFacts() {
  MeasuredFacts facts;
  facts.measured.sent = facts.measured.ok = 2;
  facts.histogram(Metric::kRequestLatency).Record(5'000'000, 2);
  facts.histogram(Metric::kOutputSequenceLength).Record(7, 2);
  facts.failures["timeout_total"] = 1;
  facts.output_tokens = 14;
  facts.slices[3].n = 2;
  facts.in_flight_now = 4;
  return facts;
}

TEST(LiveView, AddsUpWhatIsShown) {
  LiveView view;
  view.OnPhase({{"job", 0, 1}, LevelPhase::kMeasuring, 8, 100}, 0);
  view.OnFacts("a", SomeFacts());
  view.OnFacts("b", SomeFacts());
  EXPECT_EQ(view.facts().measured.ok, 4u);
  EXPECT_EQ(view.facts().histogram(Metric::kRequestLatency).count(), 4u);
  EXPECT_EQ(view.facts().failures.at("timeout_total"), 2u);
  EXPECT_EQ(view.facts().output_tokens, 28u);
  EXPECT_EQ(view.At(kNanosPerSecond).in_flight, 8u);
}

// The level machine merges them already, and they are the most of it.
TEST(LiveView, DoesNotMergeSlicesASecondTime) {
  LiveView view;
  view.OnFacts("a", SomeFacts());
  EXPECT_TRUE(view.facts().slices.empty());
}

}  // namespace
}  // namespace tidemark
