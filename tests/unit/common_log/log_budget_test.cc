#include "common/log/log_budget.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(LogBudget, LetsSoManyThroughInAPeriodAndCountsTheRest) {
  LogBudget budget(2, 1'000);
  EXPECT_EQ(budget.Take(0), 0u);
  EXPECT_EQ(budget.Take(1), 0u);
  EXPECT_EQ(budget.Take(2), std::nullopt);
  EXPECT_EQ(budget.Take(999), std::nullopt);
  EXPECT_EQ(budget.Take(1'000), 2u) << "says what was left out, once";
  EXPECT_EQ(budget.Take(1'001), 0u);
}

}  // namespace
}  // namespace tidemark
