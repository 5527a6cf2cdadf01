#include "coordinator/core/search/planner.h"

#include "gmock/gmock.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SearchSpec Spec(uint64_t min, uint64_t max) {
  SearchSpec spec;
  spec.min = min;
  spec.max = max;
  return spec;
}

LevelOutcome Outcome(uint64_t level, Verdict verdict) {
  LevelOutcome outcome;
  outcome.level = level;
  outcome.verdict = verdict;
  outcome.objective = 10.0 * static_cast<double>(level);
  if (verdict == Verdict::kInvalid) outcome.invalid_reason = "loop lag of agent a1";
  if (verdict == Verdict::kFail) {
    outcome.first_breach = FirstBreach{{"request_latency", SlaStat::kP99, SlaOp::kLt, 900, false},
                                       static_cast<double>(level) * 3};
  }
  return outcome;
}

constexpr Verdict P = Verdict::kPass;
constexpr Verdict F = Verdict::kFail;
constexpr Verdict X = Verdict::kInvalid;

struct Trace {
  std::vector<uint64_t> levels;
  Decision last;

  const SearchDone& done() const { return std::get<SearchDone>(last); }
};

// Runs a planner against `judge` to its end, at most 200 levels.
template <typename Judge>
Trace Follow(const Planner& planner, const SearchSpec& spec, Judge judge) {
  Trace trace;
  std::vector<LevelOutcome> history;
  while (history.size() < 200) {
    trace.last = planner.Next(spec, history);
    const RunLevel* run = std::get_if<RunLevel>(&trace.last);
    if (run == nullptr) return trace;
    trace.levels.push_back(run->level);
    history.push_back(judge(run->level));
  }
  ADD_FAILURE() << "the search does not end";
  return trace;
}

auto TrueLimit(uint64_t limit) {
  return [limit](uint64_t level) { return Outcome(level, level <= limit ? P : F); };
}

Trace Search(const SearchSpec& spec, uint64_t limit) {
  return Follow(MonotonicPlanner(), spec, TrueLimit(limit));
}

TEST(MonotonicPlanner, ReproducesTheTraceOfLimit330) {
  const Trace trace = Search(Spec(16, 1024), 330);
  EXPECT_THAT(trace.levels, ElementsAre(16, 32, 64, 128, 256, 512, 384, 320, 352, 336));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 320u);
  EXPECT_EQ(trace.done().answer.infeasible_min->level, 336u);
  EXPECT_EQ(trace.done().reason, "monotonic_precision_reached");
}

TEST(MonotonicPlanner, ReproducesTheTraceOfLimit83) {
  const Trace trace = Search(Spec(16, 1024), 83);
  EXPECT_THAT(trace.levels, ElementsAre(16, 32, 64, 128, 96, 80, 88, 84));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 80u);
}

TEST(MonotonicPlanner, AnswersNoneWhenNothingPasses) {
  const Trace trace = Search(Spec(16, 1024), 3);
  EXPECT_THAT(trace.levels, ElementsAre(16));
  EXPECT_FALSE(trace.done().answer.feasible_max.has_value());
  EXPECT_EQ(trace.done().answer.infeasible_min->level, 16u);
  EXPECT_EQ(trace.done().reason, "monotonic_no_pass_in_range");
}

TEST(MonotonicPlanner, AnswersMaxWhenAllPass) {
  const Trace trace = Search(Spec(16, 1024), 5000);
  EXPECT_THAT(trace.levels, ElementsAre(16, 32, 64, 128, 256, 512, 1024));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 1024u);
  EXPECT_FALSE(trace.done().answer.infeasible_min.has_value());
  EXPECT_EQ(trace.done().reason, "monotonic_no_failure_in_range");
  EXPECT_EQ(DescribeReason(trace.done().reason), "no failure in range");
}

TEST(MonotonicPlanner, ProbesAMaximumThatIsNoPowerOfTwo) {
  const Trace trace = Search(Spec(16, 100), 5000);
  EXPECT_THAT(trace.levels, ElementsAre(16, 32, 64, 100));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 100u);
}

TEST(MonotonicPlanner, BisectsToAGapOfOne) {
  const Trace trace = Search(Spec(1, 1000), 11);
  EXPECT_THAT(trace.levels, ElementsAre(1, 2, 4, 8, 16, 12, 10, 11));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 11u);
}

TEST(MonotonicPlanner, RangeOfOneLevelIsThatLevel) {
  EXPECT_THAT(Search(Spec(7, 7), 9).levels, ElementsAre(7));
  EXPECT_EQ(Search(Spec(7, 7), 9).done().answer.feasible_max->level, 7u);
}

TEST(MonotonicPlanner, HalvesDownFromAStartThatFails) {
  SearchSpec spec = Spec(1, 1000);
  spec.start = 64;
  EXPECT_THAT(Search(spec, 20).levels, ElementsAre(64, 32, 16, 24, 20, 22, 21));
  EXPECT_THAT(Search(spec, 0).levels, ElementsAre(64, 32, 16, 8, 4, 2, 1));
}

TEST(MonotonicPlanner, FindsEveryLimitWithinThePrecision) {
  SearchSpec spec = Spec(1, 1000);
  spec.max_iterations = 100;
  for (uint64_t limit = 1; limit < 1000; ++limit) {
    const SearchAnswer answer = Search(spec, limit).done().answer;
    const uint64_t low = answer.feasible_max->level;
    const uint64_t high = answer.infeasible_min->level;
    ASSERT_TRUE(low <= limit && limit < high) << limit;
    ASSERT_TRUE(high - low == 1 ||
                static_cast<double>(high - low) < 0.05 * static_cast<double>(high));
  }
}

TEST(MonotonicPlanner, AsksALevelUntilTrialsAgree) {
  SearchSpec spec = Spec(8, 8);
  spec.trials = 2;
  std::vector<Verdict> verdicts = {P, F, P};
  size_t next = 0;
  const Trace trace = Follow(MonotonicPlanner(), spec,
                             [&](uint64_t level) { return Outcome(level, verdicts.at(next++)); });
  EXPECT_THAT(trace.levels, ElementsAre(8, 8, 8));
  EXPECT_EQ(trace.done().answer.feasible_max->iteration, 2u);
}

// The search that AIPerf 0.13.0 recorded: two trials a level, ended by five iterations.
TEST(MonotonicPlanner, ReproducesAiperfsRecordedBracketAtMaxIterations) {
  SearchSpec spec = Spec(1, 16);
  spec.trials = 2;
  spec.max_iterations = 5;
  const Trace trace = Search(spec, 3);
  EXPECT_THAT(trace.levels, ElementsAre(1, 1, 2, 2, 4));
  EXPECT_EQ(trace.done().reason, "max_iterations");
  EXPECT_EQ(trace.done().answer.feasible_max->level, 2u);
  EXPECT_EQ(trace.done().answer.feasible_max->iteration, 3u);
  EXPECT_EQ(trace.done().answer.feasible_max->objective, 20.0);
  EXPECT_FALSE(trace.done().answer.infeasible_min.has_value());
}

TEST(MonotonicPlanner, KeepsTheBracketAtMaxIterations) {
  SearchSpec spec = Spec(16, 1024);
  spec.max_iterations = 7;
  const Trace trace = Search(spec, 330);
  EXPECT_EQ(trace.done().reason, "max_iterations");
  EXPECT_EQ(trace.done().answer.feasible_max->level, 256u);
  EXPECT_EQ(trace.done().answer.infeasible_min->level, 384u);
}

TEST(MonotonicPlanner, ConvergingOnTheLastIterationIsNoExhaustion) {
  SearchSpec spec = Spec(16, 1024);
  spec.max_iterations = 10;
  EXPECT_EQ(Search(spec, 330).done().reason, "monotonic_precision_reached");
}

TEST(MonotonicPlanner, NamesTheFirstBreachOfTheInfeasibleEnd) {
  const SearchAnswer answer = Search(Spec(16, 1024), 330).done().answer;
  ASSERT_TRUE(answer.infeasible_min->first_breach.has_value());
  EXPECT_EQ(answer.infeasible_min->first_breach->sla.metric_tag, "request_latency");
  EXPECT_EQ(answer.infeasible_min->first_breach->observed, 336.0 * 3);
  EXPECT_FALSE(answer.feasible_max->first_breach.has_value());
}

TEST(MonotonicPlanner, AsksAnInvalidLevelOnceMore) {
  const Decision decision =
      MonotonicPlanner().Next(Spec(16, 1024), {Outcome(16, P), Outcome(32, X)});
  EXPECT_EQ(std::get<RunLevel>(decision).level, 32u);
}

TEST(MonotonicPlanner, GoesOnAfterARetryThatWasValid) {
  const Decision decision =
      MonotonicPlanner().Next(Spec(16, 1024), {Outcome(16, P), Outcome(32, X), Outcome(32, P)});
  EXPECT_EQ(std::get<RunLevel>(decision).level, 64u);
}

TEST(MonotonicPlanner, IsImpossibleAfterASecondInvalid) {
  const Decision decision =
      MonotonicPlanner().Next(Spec(16, 1024), {Outcome(16, P), Outcome(32, X), Outcome(32, X)});
  const SearchImpossible& impossible = std::get<SearchImpossible>(decision);
  EXPECT_THAT(impossible.reason, AllOf(HasSubstr("32"), HasSubstr("loop lag of agent a1")));
  EXPECT_EQ(impossible.so_far.feasible_max->level, 16u);
}

TEST(MonotonicPlanner, AValidTrialBetweenTwoInvalidOnesKeepsItGoing) {
  SearchSpec spec = Spec(16, 1024);
  spec.trials = 2;
  const Decision decision =
      MonotonicPlanner().Next(spec, {Outcome(16, X), Outcome(16, P), Outcome(16, X)});
  EXPECT_EQ(std::get<RunLevel>(decision).level, 16u);
}

TEST(MonotonicPlanner, InvalidMeasurementsUseNoIteration) {
  SearchSpec spec = Spec(16, 1024);
  spec.max_iterations = 2;
  const Decision decision = MonotonicPlanner().Next(spec, {Outcome(16, X), Outcome(16, P)});
  EXPECT_EQ(std::get<RunLevel>(decision).level, 32u);
}

TEST(MonotonicPlanner, TakesAnInconclusiveLevelByItsPointEstimateAndSaysSo) {
  const Trace trace = Follow(MonotonicPlanner(), Spec(16, 1024), [](uint64_t level) {
    LevelOutcome outcome = TrueLimit(330)(level);
    if (level == 320) outcome.verdict = Verdict::kInconclusive;
    outcome.point_holds = true;
    return outcome;
  });
  EXPECT_EQ(trace.done().answer.feasible_max->level, 320u);
  EXPECT_TRUE(trace.done().answer.feasible_max->undecided);
  EXPECT_FALSE(trace.done().answer.infeasible_min->undecided);
  EXPECT_TRUE(trace.done().answer.undecided);
}

TEST(MonotonicPlanner, AnAnswerOfDecidedLevelsIsDecided) {
  EXPECT_FALSE(Search(Spec(16, 1024), 330).done().answer.undecided);
}

TEST(MonotonicPlanner, EndsWhenABudgetIsUsed) {
  std::vector<LevelOutcome> history = {Outcome(16, P), Outcome(32, P)};
  for (LevelOutcome& outcome : history) {
    outcome.seconds = 60;
    outcome.requests = 100;
    outcome.tokens = 50000;
  }
  const auto reason = [&history](const SearchBudget& budget) {
    SearchSpec spec = Spec(16, 1024);
    spec.budget = budget;
    const Decision decision = MonotonicPlanner().Next(spec, history);
    const SearchDone* done = std::get_if<SearchDone>(&decision);
    return done == nullptr ? std::string("runs on") : done->reason;
  };
  EXPECT_EQ(reason({120, {}, {}}), "budget_seconds");
  EXPECT_EQ(reason({{}, 200, {}}), "budget_requests");
  EXPECT_EQ(reason({{}, {}, 100000}), "budget_tokens");
  EXPECT_EQ(reason({121, 201, 100001}), "runs on");
}

TEST(MonotonicPlanner, FlagsBothSidesOfAContradiction) {
  const std::vector<LevelOutcome> history = {Outcome(16, P), Outcome(32, F), Outcome(64, P),
                                             Outcome(128, F)};
  SearchSpec spec = Spec(16, 1024);
  spec.max_iterations = 4;
  const Decision decision = MonotonicPlanner().Next(spec, history);
  EXPECT_THAT(std::get<SearchDone>(decision).answer.non_monotonic, ElementsAre(32, 64));
}

TEST(MonotonicPlanner, FlagsNothingInAnOrderlySearch) {
  EXPECT_THAT(Search(Spec(16, 1024), 330).done().answer.non_monotonic, IsEmpty());
}

TEST(MonotonicPlanner, ResumesFromAnyPrefixOfItsHistory) {
  std::vector<LevelOutcome> history;
  for (uint64_t level : Search(Spec(16, 1024), 330).levels) {
    const Decision decision = MonotonicPlanner().Next(Spec(16, 1024), history);
    EXPECT_EQ(std::get<RunLevel>(decision).level, level);
    history.push_back(TrueLimit(330)(level));
  }
}

TEST(ListPlanner, RunsTheListInItsOrder) {
  const Trace trace = Follow(ListPlanner({64, 1, 16}), SearchSpec{}, TrueLimit(20));
  EXPECT_THAT(trace.levels, ElementsAre(64, 1, 16));
  EXPECT_EQ(trace.done().reason, "list_done");
  EXPECT_EQ(trace.done().answer.feasible_max->level, 16u);
  EXPECT_EQ(trace.done().answer.infeasible_min->level, 64u);
}

TEST(ListPlanner, PassesOverAnInvalidLevel) {
  const Trace trace = Follow(ListPlanner({1, 2, 4}), SearchSpec{},
                             [](uint64_t level) { return Outcome(level, level == 2 ? X : P); });
  EXPECT_THAT(trace.levels, ElementsAre(1, 2, 4));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 4u);
}

TEST(ListPlanner, FlagsBothSidesOfAContradiction) {
  const Trace trace = Follow(ListPlanner({1, 2, 4, 8}), SearchSpec{}, [](uint64_t level) {
    return Outcome(level, level == 2 || level == 8 ? F : P);
  });
  EXPECT_THAT(trace.done().answer.non_monotonic, ElementsAre(2, 4));
  EXPECT_EQ(trace.done().answer.feasible_max->level, 4u);
  EXPECT_EQ(trace.done().answer.infeasible_min->level, 8u);
}

TEST(ListPlanner, EndsWhenTheBudgetIsUsed) {
  SearchSpec spec;
  spec.budget.requests = 50;
  const Trace trace = Follow(ListPlanner({1, 2, 4}), spec, [](uint64_t level) {
    LevelOutcome outcome = Outcome(level, P);
    outcome.requests = 30;
    return outcome;
  });
  EXPECT_THAT(trace.levels, ElementsAre(1, 2));
  EXPECT_EQ(trace.done().reason, "budget_requests");
}

TEST(SearchSpec, NamesTheFieldThatIsWrong) {
  const auto error = [](auto change) {
    SearchSpec spec = Spec(1, 100);
    change(spec);
    return std::string(ValidateSearchSpec(spec).message());
  };
  EXPECT_EQ(error([](SearchSpec&) {}), "");
  EXPECT_THAT(error([](SearchSpec& spec) { spec.min = 0; }), HasSubstr("concurrency_min 0"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.min = 200; }), HasSubstr("concurrency_max 100"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.start = 101; }), HasSubstr("search_start 101"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.precision = 0; }), HasSubstr("precision 0"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.trials = 0; }), HasSubstr("trials 0"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.max_iterations = 0; }), HasSubstr("iterations 0"));
  EXPECT_THAT(error([](SearchSpec& spec) { spec.budget.seconds = -1; }), HasSubstr("seconds -1"));
}

}  // namespace
}  // namespace tidemark
