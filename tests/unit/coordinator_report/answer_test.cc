#include "coordinator/report/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A list with the verdicts given, at concurrency 1, 2, 4, …
v1::Result List(const std::vector<v1::Verdict>& verdicts) {
  v1::Result result = SampleSweep();
  const v1::LevelResult base = result.levels(0);
  result.clear_levels();
  for (size_t i = 0; i < verdicts.size(); ++i) {
    v1::LevelResult* level = result.add_levels();
    *level = base;
    level->set_level(static_cast<uint32_t>(i));
    level->set_concurrency(1u << i);
    level->set_verdict(verdicts[i]);
    level->mutable_slas(0)->set_verdict(verdicts[i]);
    if (verdicts[i] == v1::INVALID) level->set_verdict_reason("loop lag");
  }
  return result;
}

std::string Headline(const v1::Result& result) { return AnswerFor(result).headline(); }

struct ExitCase {
  const char* name;
  v1::Result result;
  int code;
};

v1::Result WithError(const std::string& type) {
  v1::Result result;
  result.mutable_error()->set_type(type);
  result.mutable_error()->set_message("127.0.0.1:9: refused");
  return result;
}

v1::Result Interrupted(v1::Result result) {
  result.set_interrupted(true);
  return result;
}

v1::Result WithoutSuccess() {
  v1::Result result = List({v1::FAIL, v1::FAIL});
  for (v1::LevelResult& level : *result.mutable_levels()) {
    level.mutable_measured()->set_ok(0);
    level.mutable_measured()->set_failed(100);
    v1::FailureCount* failure = level.add_failures();
    failure->set_failure_class("http_500");
    failure->set_count(100);
  }
  return result;
}

v1::Result UndecidedSearch() {
  v1::Result result = SampleSearch();
  result.mutable_search()->set_undecided(true);
  return result;
}

v1::Result SearchWithoutPass(const std::string& reason = "monotonic_no_pass_in_range") {
  v1::Result result = List({v1::FAIL});
  result.mutable_search()->set_convergence_reason(reason);
  result.mutable_search()->mutable_infeasible_min()->set_concurrency(1);
  return result;
}

v1::Result SearchEndedByInvalid() {
  v1::Result result = List({v1::PASS, v1::INVALID});
  result.mutable_search()->mutable_feasible_max()->set_concurrency(1);
  result.mutable_search()->mutable_feasible_max()->set_level(0);
  return result;
}

TEST(ExitCode, FollowsTheTable) {
  v1::Result all_invalid_without_slas = SampleSweepWithoutSlas();
  for (v1::LevelResult& level : *all_invalid_without_slas.mutable_levels())
    level.set_verdict(v1::INVALID);
  const std::vector<ExitCase> cases = {
      {"some level passes", SampleSweep(), 0},
      {"no SLA asked", SampleSweepWithoutSlas(), 0},
      {"search finds a level", SampleSearch(), 0},
      {"could not run", WithError("connect"), 1},
      {"no success", WithoutSuccess(), 1},
      {"usage", WithError("usage"), 2},
      {"all levels fail", List({v1::FAIL, v1::FAIL}), 3},
      {"search passes nowhere", SearchWithoutPass(), 3},
      {"search spent its budget without a pass", SearchWithoutPass("budget_requests"), 4},
      {"search had no iterations left before a pass", SearchWithoutPass("max_iterations"), 4},
      {"search failed before a pass", SearchWithoutPass("failed"), 4},
      {"fail and invalid", List({v1::FAIL, v1::INVALID}), 4},
      {"inconclusive", List({v1::INCONCLUSIVE, v1::FAIL}), 4},
      {"all invalid", List({v1::INVALID, v1::INVALID}), 4},
      {"all invalid without SLAs", all_invalid_without_slas, 4},
      {"undecided search", UndecidedSearch(), 4},
      {"search ended by an invalid level", SearchEndedByInvalid(), 4},
      {"interrupted", Interrupted(SampleSweep()), 130},
      {"interrupted before the first level", Interrupted(v1::Result()), 130},
      {"nothing measured", v1::Result(), 1},
  };
  for (const ExitCase& one : cases) EXPECT_EQ(ExitCodeFor(one.result), one.code) << one.name;
}

TEST(ExitCode, AcceptsUndecidedButNotInvalid) {
  EXPECT_EQ(ExitCodeFor(UndecidedSearch(), /*accept_undecided=*/true), 0);
  EXPECT_EQ(ExitCodeFor(List({v1::INVALID}), /*accept_undecided=*/true), 4);
}

TEST(Answer, AListNamesTheLargestLevelThatPasses) {
  const v1::Answer answer = AnswerFor(SampleSweep());
  EXPECT_EQ(answer.verdict(), v1::PASS);
  EXPECT_EQ(answer.concurrency(), 16u);
  EXPECT_EQ(answer.headline(),
            "PASS: 16 concurrent requests hold latency p99 < 2,000 ms (measured 1,299 ms) at 2,207 "
            "output tokens/s; 32 do not (latency p99 2,212 ms)");
}

TEST(Answer, OneRequestIsSingular) {
  EXPECT_THAT(Headline(List({v1::PASS})),
              StartsWith("PASS: 1 concurrent request holds latency p99 < 2,000 ms"));
}

TEST(Answer, SaysThatNoLevelFailed) {
  EXPECT_THAT(Headline(List({v1::PASS, v1::PASS})), HasSubstr("; no level failed"));
}

TEST(Answer, SaysThatALowerLevelFailed) {
  EXPECT_THAT(Headline(List({v1::FAIL, v1::PASS})), HasSubstr("not monotone: 1 failed"));
}

TEST(Answer, WithoutAPassNoLevelIsNamed) {
  const v1::Answer answer = AnswerFor(List({v1::FAIL, v1::FAIL}));
  EXPECT_EQ(answer.verdict(), v1::FAIL);
  EXPECT_EQ(answer.concurrency(), 0u);
  EXPECT_THAT(answer.headline(), StartsWith("FAIL: no level met latency p99 < 2,000 ms"));
}

TEST(Answer, AnInvalidLevelIsNeverAFailureOfTheEndpoint) {
  const v1::Answer answer = AnswerFor(List({v1::FAIL, v1::INVALID}));
  EXPECT_EQ(answer.verdict(), v1::INVALID);
  EXPECT_THAT(answer.headline(),
              HasSubstr("2 concurrent requests could not be measured: loop lag"));
}

// An INVALID check at level `index`, `value` where 10 is the limit.
void AddInvalidCheck(int index, double value, const std::string& advice, v1::Result& result) {
  v1::ValidityCheck* check = result.mutable_levels(index)->add_validity_checks();
  check->set_state(v1::VALIDITY_INVALID);
  check->set_suspect_at(2);
  check->set_invalid_at(10);
  check->set_value(value);
  check->set_advice(advice);
}

TEST(Answer, WithOnlyInvalidLevelsSaysSoWithTheGravestCause) {
  v1::Result result = List({v1::INVALID, v1::INVALID, v1::INVALID});
  AddInvalidCheck(0, 11, "late: add an agent", result);
  AddInvalidCheck(1, 50, "very late: add an agent", result);
  AddInvalidCheck(2, 12, "late: add an agent", result);
  EXPECT_EQ(Headline(result), "INVALID: no level could be measured: very late");
  result.mutable_search();
  EXPECT_EQ(Headline(result), "INVALID: no level could be measured: very late");
}

TEST(Answer, TheOnlyLevelIsNamedWhenItIsInvalid) {
  EXPECT_EQ(Headline(List({v1::INVALID})),
            "INVALID: 1 concurrent request could not be measured: loop lag");
}

TEST(Answer, ASearchNamesItsBracketsLowerEnd) {
  const v1::Answer answer = AnswerFor(SampleSearch());
  EXPECT_EQ(answer.concurrency(), 24u);
  EXPECT_THAT(answer.headline(), HasSubstr("; 28 do not"));
}

TEST(Answer, LeavesImpliedSlasOutOfTheSentence) {
  EXPECT_THAT(Headline(SampleSearch()), Not(HasSubstr("error rate")));
}

TEST(Answer, ASearchThatRestsOnAPointEstimateSaysSo) {
  const v1::Answer answer = AnswerFor(UndecidedSearch());
  EXPECT_EQ(answer.verdict(), v1::INCONCLUSIVE);
  EXPECT_THAT(answer.headline(), StartsWith("UNDECIDED at 95 %: 24 concurrent requests may hold"));
}

TEST(Answer, ASearchThatEndedBeforeAPassSaysWhy) {
  const v1::Answer answer = AnswerFor(SearchWithoutPass("max_iterations"));
  EXPECT_EQ(answer.verdict(), v1::INCONCLUSIVE);
  EXPECT_THAT(answer.headline(), StartsWith("INCONCLUSIVE: the search ended before a level passed ("));
}

TEST(Answer, ASearchThatAnInvalidLevelEndedSaysWhatPassedSoFar) {
  EXPECT_THAT(Headline(SearchEndedByInvalid()),
              HasSubstr("the largest level that passed so far is 1"));
}

TEST(Answer, WithoutSlasTheKneeIsTheAnswer) {
  const v1::Answer answer = AnswerFor(SampleSweepWithoutSlas());
  EXPECT_EQ(answer.verdict(), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(answer.concurrency(), 16u);
  EXPECT_THAT(answer.headline(),
              StartsWith("KNEE: throughput saturates at 16 concurrent requests: "));
}

TEST(Answer, WithoutAKneeTheBestValidLevelIsTheAnswer) {
  v1::Result result = SampleSweepWithoutSlas();
  result.clear_knee();
  const v1::Answer answer = AnswerFor(result);
  EXPECT_EQ(answer.concurrency(), 32u);
  EXPECT_THAT(answer.headline(), HasSubstr("no knee in the measured range"));
}

TEST(Answer, SaysThatAQuotaWasTheLimit) {
  v1::Result result = SampleSweep();
  result.mutable_levels(2)->mutable_failures(0)->set_failure_class("http_429");
  EXPECT_THAT(Headline(result), HasSubstr("most failures at 32 are HTTP 429: a quota or gateway"));
}

TEST(Answer, NoSuccessNamesTheCommonestFailure) {
  const v1::Answer answer = AnswerFor(WithoutSuccess());
  EXPECT_EQ(answer.error_type(), "http_500");
  EXPECT_EQ(answer.headline(), "FAIL: no request succeeded at any level: mostly http_500");
}

TEST(Answer, AnErrorIsOneLine) {
  v1::Result result = WithError("connect");
  result.mutable_error()->set_message("refused\r\n\x1b[31mby the host");
  EXPECT_EQ(Headline(result), "ERROR: connect: refused [31mby the host");
  EXPECT_EQ(AnswerFor(result).error_type(), "connect");
}

TEST(Answer, AnInterruptedJobKeepsWhatItHas) {
  EXPECT_THAT(Headline(Interrupted(SampleSweep())),
              StartsWith("INTERRUPTED after 4 levels; so far PASS: 16 "));
}

}  // namespace
}  // namespace tidemark
