#include "simulator/batch_law.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

constexpr SimTime kMs = 1'000'000;

// a = 10 us a token, b = 1 ms, c = 0.5 ms; two sequences a step at most.
LawConstants SmallLaw() {
  LawConstants law;
  law.prefill_us_per_token = 10;
  law.step_ms = 1;
  law.sequence_ms = 0.5;
  law.max_batch = 2;
  return law;
}

class BatchLawTest : public ::testing::Test {
 protected:
  // Ends the step that is due at its very end.
  std::vector<TokenEmission> Emit() {
    std::vector<TokenEmission> out;
    law_.EmitNext(*law_.NextDue(), &out);
    return out;
  }

  BatchLaw law_{SmallLaw(), 1};
};

TEST_F(BatchLawTest, IsIdleBeforeTheFirstArrival) { EXPECT_FALSE(law_.NextDue().has_value()); }

TEST_F(BatchLawTest, FirstArrivalStartsStepAtItsOwnTime) {
  law_.Arrive(7 * kMs, {1, 100, 3});
  EXPECT_EQ(*law_.NextDue(), 7 * kMs + kMs + kMs / 2 + kMs);  // b + c + 100 a
}

TEST_F(BatchLawTest, PromptIsPaidForOnlyInTheAdmittingStep) {
  law_.Arrive(0, {1, 100, 3});
  const SimTime first = *law_.NextDue();
  Emit();
  EXPECT_EQ(*law_.NextDue() - first, kMs + kMs / 2);
}

TEST_F(BatchLawTest, ArrivalDuringStepIsAdmittedAtTheNextStart) {
  law_.Arrive(0, {1, 0, 9});
  law_.Arrive(kMs, {2, 0, 9});
  EXPECT_EQ(law_.waiting(), 1u);
  EXPECT_EQ(Emit().size(), 1u);
  EXPECT_EQ(Emit().size(), 2u);
}

TEST_F(BatchLawTest, ArrivalAfterAStartThatIsProcessedLateIsNotAdmittedByIt) {
  law_.Arrive(0, {1, 0, 9});        // first step ends at 1.5 ms
  law_.Arrive(2 * kMs, {2, 0, 9});  // read before the caller came to end it
  EXPECT_EQ(Emit().size(), 1u);
  EXPECT_EQ(law_.running(), 1u);
}

TEST_F(BatchLawTest, NeverRunsMoreThanMaxBatchAndAdmitsInOrder) {
  for (uint64_t id = 1; id <= 4; ++id) law_.Arrive(0, {id, 0, 2});
  Emit();  // the first alone: it started the step
  const auto second = Emit();
  ASSERT_EQ(second.size(), 2u);
  EXPECT_TRUE(second[0].last);
  EXPECT_EQ(second[1].id, 2u);
  EXPECT_EQ(Emit()[1].id, 3u);
}

TEST_F(BatchLawTest, EmitsEachTokenOnceAndMarksTheLast) {
  law_.Arrive(0, {5, 0, 2});
  const auto first = Emit(), second = Emit();
  EXPECT_EQ(first[0].index, 0);
  EXPECT_FALSE(first[0].last);
  EXPECT_EQ(second[0].index, 1);
  EXPECT_TRUE(second[0].last);
  EXPECT_FALSE(law_.NextDue().has_value());
}

TEST_F(BatchLawTest, LateCallerCausesNoDrift) {
  law_.Arrive(0, {1, 0, 9});
  std::vector<TokenEmission> out;
  EXPECT_FALSE(law_.EmitNext(5 * kMs, &out));
  EXPECT_EQ(*law_.NextDue(), 3 * kMs);
}

TEST_F(BatchLawTest, HopelesslyLateCallerMovesThePlanToNow) {
  law_.Arrive(0, {1, 0, 9});
  std::vector<TokenEmission> out;
  EXPECT_TRUE(law_.EmitNext(3000 * kMs, &out));
  EXPECT_EQ(*law_.NextDue(), 3000 * kMs + kMs + kMs / 2);
}

TEST_F(BatchLawTest, CancelledWaitingSequenceIsNeverAdmitted) {
  law_.Arrive(0, {1, 0, 1});
  law_.Arrive(0, {2, 0, 1});
  EXPECT_TRUE(law_.Cancel(2));
  Emit();
  EXPECT_FALSE(law_.NextDue().has_value());
}

TEST_F(BatchLawTest, CancelledRunningSequenceFreesItsPlace) {
  for (uint64_t id = 1; id <= 3; ++id) law_.Arrive(0, {id, 0, 9});
  Emit();
  EXPECT_TRUE(law_.Cancel(1));
  Emit();
  EXPECT_EQ(law_.running(), 2u);
  EXPECT_EQ(law_.waiting(), 0u);
}

TEST_F(BatchLawTest, CancelOfAnUnknownSequenceIsRefused) { EXPECT_FALSE(law_.Cancel(9)); }

TEST(BatchLaw, PromptTokenLimitDefersButNeverStarves) {
  LawConstants constants = SmallLaw();
  constants.max_batch = 8;
  constants.max_prompt_tokens_per_step = 100;
  BatchLaw law(constants, 1);
  law.Arrive(0, {1, 500, 9});  // above the limit, and yet admitted
  law.Arrive(0, {2, 60, 9});
  law.Arrive(0, {3, 60, 9});
  EXPECT_EQ(law.running(), 1u);
  std::vector<TokenEmission> out;
  law.EmitNext(*law.NextDue(), &out);
  EXPECT_EQ(law.running(), 2u);
}

SimTime EndAfter(int steps, double jitter, uint64_t seed) {
  LawConstants constants = SmallLaw();
  constants.jitter = jitter;
  BatchLaw law(constants, seed);
  law.Arrive(0, {1, 0, steps + 1});
  std::vector<TokenEmission> out;
  for (int i = 0; i < steps; ++i) law.EmitNext(*law.NextDue(), &out);
  return *law.NextDue();
}

TEST(BatchLaw, JitterKeepsTheMean) {
  const double plain = static_cast<double>(EndAfter(20000, 0, 1));
  EXPECT_NEAR(static_cast<double>(EndAfter(20000, 0.5, 1)) / plain, 1, 0.005);
}

TEST(BatchLaw, JitterFollowsTheSeed) {
  EXPECT_EQ(EndAfter(100, 0.5, 3), EndAfter(100, 0.5, 3));
  EXPECT_NE(EndAfter(100, 0.5, 3), EndAfter(100, 0.5, 4));
}

}  // namespace
}  // namespace tidemark
