// Merging is commutative, associative and loses nothing, for every kind of facts that travels.
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/common/random_facts.h"

namespace tidemark {
namespace {

template <typename Facts>
Facts Merged(Facts a, const Facts& b) {
  a.Merge(b);
  return a;
}

template <typename Facts>
Facts RandomFacts(Random& random) {
  Facts facts;
  for (uint64_t events = random() % 30; events > 0; --events) AddRandomEvent(random, facts);
  return facts;
}

// Also what is not summed: small numbers, so that ties and zeros come up.
template <>
SelfCheckFacts RandomFacts<SelfCheckFacts>(Random& random) {
  SelfCheckFacts facts;
  for (uint64_t events = random() % 30; events > 0; --events) AddRandomEvent(random, facts);
  for (uint64_t* fact :
       {&facts.loop_cpu_ns, &facts.wall_ns, &facts.cgroup_throttled_ns, &facts.cgroup_periods,
        &facts.cgroup_throttled_periods, &facts.run_queue_wait_ns, &facts.descriptors_limit,
        &facts.descriptors_used_max, &facts.unread_socket_bytes_max, &facts.queued_inside,
        &facts.connections_open_max, &facts.ports_limit}) {
    *fact = random() % 4;
  }
  for (uint64_t ticks = random() % 4; ticks > 0; --ticks) facts.loop_lag_us.Record(random() % 3);
  return facts;
}

template <typename Facts>
class MergeProperty : public ::testing::Test {};

using AllFacts = ::testing::Types<Histogram, OutcomeCounts, SlaEvidence, SliceRow, AddressFacts,
                                  MeasuredFacts, SelfCheckFacts>;
TYPED_TEST_SUITE(MergeProperty, AllFacts);

constexpr int kRounds = 30;

TYPED_TEST(MergeProperty, IsCommutative) {
  Random random(1);
  for (int round = 0; round < kRounds; ++round) {
    const auto a = RandomFacts<TypeParam>(random), b = RandomFacts<TypeParam>(random);
    ASSERT_TRUE(Merged(a, b) == Merged(b, a)) << round;
  }
}

TYPED_TEST(MergeProperty, IsAssociative) {
  Random random(2);
  for (int round = 0; round < kRounds; ++round) {
    const auto a = RandomFacts<TypeParam>(random), b = RandomFacts<TypeParam>(random),
               c = RandomFacts<TypeParam>(random);
    ASSERT_TRUE(Merged(Merged(a, b), c) == Merged(a, Merged(b, c))) << round;
  }
}

TYPED_TEST(MergeProperty, LeavesFactsAsTheyAreWithNothing) {
  Random random(3);
  for (int round = 0; round < kRounds; ++round) {
    const auto facts = RandomFacts<TypeParam>(random);
    ASSERT_TRUE(Merged(facts, TypeParam()) == facts) << round;
    ASSERT_TRUE(Merged(TypeParam(), facts) == facts) << round;
  }
}

TYPED_TEST(MergeProperty, OfTheSplitIsTheWhole) {
  Random random(4);
  for (int round = 0; round < kRounds; ++round) {
    TypeParam whole;
    std::vector<TypeParam> parts(1 + random() % 5);
    for (int event = 0; event < 100; ++event) {
      Random same = random;
      AddRandomEvent(random, whole);
      AddRandomEvent(same, parts[random() % parts.size()]);
    }
    TypeParam merged;
    for (const TypeParam& part : parts) merged.Merge(part);
    ASSERT_TRUE(merged == whole) << round;
  }
}

TYPED_TEST(MergeProperty, ChangesFactsWhenSomethingIsAdded) {
  Random random(5);
  auto facts = RandomFacts<TypeParam>(random);
  TypeParam event;
  AddRandomEvent(random, event);
  EXPECT_FALSE(Merged(facts, event) == facts);
}

}  // namespace
}  // namespace tidemark
