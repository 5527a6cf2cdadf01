#include "common/measurement/facts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

FailureExample Example(const std::string& failure_class, uint64_t age_us) {
  FailureExample example;
  example.failure_class = failure_class;
  example.age_us = age_us;
  return example;
}

std::vector<uint64_t> AgesOf(const MeasuredFacts& facts) {
  std::vector<uint64_t> ages;
  for (const FailureExample& example : facts.examples) ages.push_back(example.age_us);
  return ages;
}

SelfCheckFacts Loop(uint64_t cpu_ns, uint64_t wall_ns, uint64_t run_queue_wait_ns) {
  SelfCheckFacts facts;
  facts.loop_cpu_ns = cpu_ns;
  facts.wall_ns = wall_ns;
  facts.run_queue_wait_ns = run_queue_wait_ns;
  return facts;
}

TEST(OutcomeCounts, AreConservedWhenEverySentRequestHasOneEnd) {
  OutcomeCounts counts{10, 5, 2, 2, 1};
  EXPECT_TRUE(counts.Conserved());
  counts.cancelled = 1;
  EXPECT_FALSE(counts.Conserved());
}

TEST(SliceRow, TakesTheOthersSlasWhenItHasNone) {
  SliceRow row, other;
  other.sla.resize(2);
  other.sla[1].n = 7;
  row.Merge(other);
  ASSERT_EQ(row.sla.size(), 2u);
  EXPECT_EQ(row.sla[1].n, 7u);
}

TEST(MeasuredFacts, AreEmptyWithOnlyALiveCount) {
  MeasuredFacts facts;
  EXPECT_TRUE(facts.Empty());
  facts.in_flight_now = 5;
  EXPECT_TRUE(facts.Empty());
  facts.reads = 1;
  EXPECT_FALSE(facts.Empty());
}

TEST(MeasuredFacts, AreNotEmptyWithARecordedValueOfZero) {
  MeasuredFacts facts;
  facts.histogram(Metric::kReasoningTokenCount).Record(0);
  EXPECT_FALSE(facts.Empty());
}

TEST(MeasuredFacts, KeepThreeExamplesOfEachClass) {
  MeasuredFacts facts;
  for (uint64_t age : {5, 1, 4, 2, 3}) {
    facts.AddExample(Example("truncated", age));
    facts.AddExample(Example("dns", age + 10));
  }
  EXPECT_EQ(AgesOf(facts), (std::vector<uint64_t>{11, 12, 13, 1, 2, 3}));
}

TEST(MeasuredFacts, KeepTheSameExamplesWhateverTheOrderOfMerging) {
  MeasuredFacts young, old;
  for (uint64_t age : {1, 2}) young.AddExample(Example("tls", age));
  for (uint64_t age : {7, 8, 9}) old.AddExample(Example("tls", age));
  MeasuredFacts young_first = young, old_first = old;
  young_first.Merge(old);
  old_first.Merge(young);
  EXPECT_EQ(AgesOf(young_first), (std::vector<uint64_t>{1, 2, 7}));
  EXPECT_EQ(young_first, old_first);
}

TEST(SelfCheckFacts, KeepTheBusiestLoopByShareOfItsTime) {
  SelfCheckFacts facts = Loop(500, 1000, 3);
  facts.Merge(Loop(90, 100, 1));  // 90 %, though fewer nanoseconds
  facts.Merge(Loop(800, 1000, 9));
  EXPECT_EQ(facts.loop_cpu_ns, 90u);
  EXPECT_EQ(facts.wall_ns, 100u);
  EXPECT_EQ(facts.run_queue_wait_ns, 1u);
}

TEST(SelfCheckFacts, KeepALoopThatRanOverOneThatDidNot) {
  SelfCheckFacts facts = Loop(0, 0, 0);
  facts.Merge(Loop(1, 1000, 0));
  facts.Merge(Loop(5, 0, 0));
  EXPECT_EQ(facts.loop_cpu_ns, 1u);
}

TEST(SelfCheckFacts, KeepTheLagOfTheWorstLoop) {
  SelfCheckFacts good, bad;
  good.loop_lag_us.Record(50, 100'000);
  bad.loop_lag_us.Record(50, 90);
  bad.loop_lag_us.Record(20'000, 10);
  SelfCheckFacts merged = good;
  merged.Merge(bad);
  merged.Merge(good);
  EXPECT_TRUE(merged.loop_lag_us == bad.loop_lag_us);
}

TEST(SelfCheckFacts, CountTheProcesssThrottlingOnce) {
  SelfCheckFacts facts, other;
  facts.cgroup_throttled_ns = other.cgroup_throttled_ns = 40;
  facts.sockets_opened = 2;
  other.sockets_opened = 3;
  facts.Merge(other);
  EXPECT_EQ(facts.cgroup_throttled_ns, 40u);
  EXPECT_EQ(facts.sockets_opened, 5u);
}

}  // namespace
}  // namespace tidemark
