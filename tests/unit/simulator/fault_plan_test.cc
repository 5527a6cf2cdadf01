#include "simulator/fault_plan.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

Fault Parsed(const char* text) {
  absl::StatusOr<Fault> fault = ParseFault(text);
  EXPECT_TRUE(fault.ok()) << fault.status();
  return fault.value_or(Fault());
}

TEST(ParseFault, ReadsKindArgumentAndProbability) {
  const Fault fault = Parsed("status:503@0.05");
  EXPECT_EQ(fault.kind, FaultKind::kStatus);
  EXPECT_EQ(fault.argument, 503);
  EXPECT_DOUBLE_EQ(fault.probability, 0.05);
}

TEST(ParseFault, ReadsAKindWithoutArgument) { EXPECT_EQ(Parsed("cut@1").kind, FaultKind::kCut); }

TEST(ParseFault, RefusesWithTheTextAndWhatIsRight) {
  for (const char* text : {"status@0.1", "status:200@0.1", "stall", "stall@2", "stall:3@0.1",
                           "burn@0.1", "slow_first:x@0.1", "cut@nan", ""}) {
    const absl::Status status = ParseFault(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_NE(std::string(status.message()).find(std::string("'") + text + "'"), std::string::npos);
  }
}

TEST(CheckFaults, RefusesProbabilitiesAboveOneInSum) {
  EXPECT_FALSE(CheckFaults({Parsed("cut@0.6"), Parsed("reset@0.6")}).ok());
  EXPECT_TRUE(CheckFaults({Parsed("cut@0.4"), Parsed("reset@0.6")}).ok());
}

TEST(FaultPlan, StrikesAtTheRateOfEachFault) {
  FaultPlan plan({Parsed("cut@0.1"), Parsed("reset@0.3")}, 7);
  int cut = 0, reset = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const auto fault = plan.Draw();
    if (fault.has_value()) ++(fault->kind == FaultKind::kCut ? cut : reset);
  }
  EXPECT_NEAR(cut, 0.1 * kDraws, 0.01 * kDraws);
  EXPECT_NEAR(reset, 0.3 * kDraws, 0.01 * kDraws);
}

std::string Sequence(uint64_t seed) {
  FaultPlan plan({Parsed("cut@0.5")}, seed);
  std::string out;
  for (int i = 0; i < 64; ++i) out += plan.Draw().has_value() ? 'x' : '.';
  return out;
}

TEST(FaultPlan, FollowsTheSeed) {
  EXPECT_EQ(Sequence(1), Sequence(1));
  EXPECT_NE(Sequence(1), Sequence(2));
}

TEST(FaultPlan, StrikesInsideTheStream) {
  FaultPlan plan({}, 1);
  for (int i = 0; i < 1000; ++i) {
    const int64_t token = plan.DrawToken(5);
    EXPECT_GE(token, 1);
    EXPECT_LE(token, 4);
  }
  EXPECT_EQ(plan.DrawToken(1), 1);
}

}  // namespace
}  // namespace tidemark
