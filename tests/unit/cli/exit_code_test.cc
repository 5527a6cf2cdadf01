#include "cli/exit_code.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tidemark {
namespace {

enum class Ask { kNothing, kSla };

v1::Result ListOf(const std::vector<v1::Verdict>& verdicts, Ask ask = Ask::kSla) {
  v1::Result result;
  for (const v1::Verdict verdict : verdicts) {
    v1::LevelResult* level = result.add_levels();
    level->set_level(static_cast<uint32_t>(result.levels_size() - 1));
    level->set_concurrency(static_cast<uint32_t>(result.levels_size()));
    level->mutable_measured()->set_ok(10);
    level->set_verdict(verdict);
    if (ask == Ask::kSla) level->add_slas();
  }
  return result;
}

int Code(const v1::Result& result) { return ExitCodeOf(result, false, 0); }

TEST(ExitCode, IsDoneWhenSomeLevelOfAListPasses) {
  EXPECT_EQ(Code(ListOf({v1::PASS, v1::FAIL, v1::INVALID})), kExitDone);
}

TEST(ExitCode, IsNotMetWhenAllJudgedLevelsFail) {
  EXPECT_EQ(Code(ListOf({v1::FAIL, v1::FAIL})), kExitNotMet);
}

TEST(ExitCode, IsUndecidedWhenNonePassesAndSomeAreInvalidOrInconclusive) {
  EXPECT_EQ(Code(ListOf({v1::FAIL, v1::INVALID})), kExitUndecided);
  EXPECT_EQ(Code(ListOf({v1::FAIL, v1::INCONCLUSIVE})), kExitUndecided);
}

TEST(ExitCode, WithoutSlasIsUndecidedOnlyWhenEveryLevelIsInvalid) {
  EXPECT_EQ(Code(ListOf({v1::VERDICT_UNSPECIFIED, v1::INVALID}, Ask::kNothing)), kExitDone);
  EXPECT_EQ(Code(ListOf({v1::INVALID, v1::INVALID}, Ask::kNothing)), kExitUndecided);
}

TEST(ExitCode, CountsAnInvalidMeasurementAsInvalidWhateverTheVerdict) {
  v1::Result result = ListOf({v1::PASS});
  result.mutable_levels(0)->set_validity(v1::VALIDITY_INVALID);
  EXPECT_EQ(Code(result), kExitUndecided);
}

TEST(ExitCode, IsCouldNotRunWithoutASuccessOrWithAnError) {
  EXPECT_EQ(Code(v1::Result()), kExitCouldNotRun);
  v1::Result failed = ListOf({v1::FAIL});
  failed.mutable_levels(0)->mutable_measured()->set_ok(0);
  EXPECT_EQ(Code(failed), kExitCouldNotRun);
  v1::Result error = ListOf({v1::PASS});
  error.mutable_error()->set_type("connect");
  EXPECT_EQ(Code(error), kExitCouldNotRun);
}

TEST(ExitCode, AcceptsUndecidedButNeverInvalidWhenAsked) {
  EXPECT_EQ(ExitCodeOf(ListOf({v1::FAIL, v1::INCONCLUSIVE}), true, 0), kExitDone);
  EXPECT_EQ(ExitCodeOf(ListOf({v1::FAIL, v1::INVALID}), true, 0), kExitUndecided);
}

TEST(ExitCode, OfASearchFollowsItsAnswer) {
  v1::Result none = ListOf({v1::FAIL});
  none.mutable_search()->set_convergence_reason("monotonic_no_pass_in_range");
  EXPECT_EQ(Code(none), kExitNotMet);
  v1::Result found = ListOf({v1::PASS, v1::FAIL});
  found.mutable_search()->mutable_feasible_max()->set_concurrency(4);
  EXPECT_EQ(Code(found), kExitDone);
  found.mutable_search()->set_undecided(true);
  EXPECT_EQ(Code(found), kExitUndecided);
  EXPECT_EQ(ExitCodeOf(found, true, 0), kExitDone);
  v1::Result invalid = ListOf({v1::INVALID, v1::INVALID});
  invalid.mutable_search();
  EXPECT_EQ(Code(invalid), kExitUndecided);
}

TEST(ExitCode, OfAnInterruptedJobIsTheSignals) {
  EXPECT_EQ(ExitCodeOf(ListOf({v1::PASS}), false, 2), 130);
  EXPECT_EQ(ExitCodeOf(v1::Result(), false, 15), 143);
}

}  // namespace
}  // namespace tidemark
