// Invariant 5: what a job decides follows from its stored history. A history is written as bytes, as the store keeps
// it, read back at each of its lengths, and must lead to the decisions that were taken at first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/rng/rng.h"
#include "coordinator/core/job/job_journal.h"
#include "coordinator/core/job/journal_codec.h"
#include "tests/unit/coordinator_core/job_scenario.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The bytes of a journal's entries.
using Stored = std::vector<std::string>;

std::vector<v1::JournalEntry> Read(const Stored& stored, size_t length) {
  std::vector<v1::JournalEntry> entries(length);
  for (size_t i = 0; i < length; ++i) EXPECT_TRUE(entries[i].ParseFromString(stored[i]));
  return entries;
}

JobResume ResumeFrom(const Stored& stored, size_t length) {
  const absl::StatusOr<JobJournal> journal = ReadJournal(Read(stored, length));
  EXPECT_TRUE(journal.ok()) << journal.status();
  return journal.ok() && journal->resume ? *journal->resume : JobResume();
}

std::string Finished(const LevelOutcome& outcome) {
  v1::JournalEntry entry;
  *entry.mutable_level_done()->mutable_outcome() = EncodeOutcome(outcome);
  return entry.SerializeAsString();
}

// ---- a decision in one line: all of it -----------------------------------------------------------

std::string Describe(const std::optional<BoundaryPoint>& point) {
  if (!point) return "none";
  std::string text = absl::StrCat(point->level, " #", point->iteration, point->undecided ? " undecided" : "");
  if (point->objective) absl::StrAppend(&text, " objective ", *point->objective);
  if (!point->first_breach) return text;
  absl::StrAppend(&text, " breach ", DescribeSla(point->first_breach->sla));
  if (point->first_breach->observed) absl::StrAppend(&text, " observed ", *point->first_breach->observed);
  return text;
}

std::string Describe(const SearchAnswer& answer) {
  return absl::StrCat("feasible ", Describe(answer.feasible_max), "; infeasible ", Describe(answer.infeasible_min),
                      "; contradictions ", absl::StrJoin(answer.non_monotonic, ","),
                      answer.undecided ? "; undecided" : "");
}

std::string Describe(const Decision& decision) {
  if (const auto* run = std::get_if<RunLevel>(&decision)) return absl::StrCat("run ", run->level);
  if (const auto* done = std::get_if<SearchDone>(&decision)) {
    return absl::StrCat("done ", done->reason, ": ", Describe(done->answer));
  }
  const SearchImpossible& impossible = std::get<SearchImpossible>(decision);
  return absl::StrCat("impossible ", impossible.reason, ": ", Describe(impossible.so_far));
}

// ---- planners ------------------------------------------------------------------------------------

using Judge = std::function<LevelOutcome(uint64_t level)>;

struct Taken {
  std::vector<std::string> decisions;  // the last one ends the search
  Stored journal;
};

// A search to its end, as it is lived through: the planner sees outcomes that were never stored.
Taken Live(const Planner& planner, const SearchSpec& spec, const Judge& judge) {
  Taken taken;
  std::vector<LevelOutcome> history;
  for (int turns = 0; turns < 200; ++turns) {
    const Decision decision = planner.Next(spec, history);
    taken.decisions.push_back(Describe(decision));
    const auto* run = std::get_if<RunLevel>(&decision);
    if (run == nullptr) return taken;
    history.push_back(judge(run->level));
    taken.journal.push_back(Finished(history.back()));
  }
  ADD_FAILURE() << "the search does not end";
  return taken;
}

// The decisions that each length of the journal leads to.
std::vector<std::string> Replayed(const Planner& planner, const SearchSpec& spec, const Stored& journal) {
  std::vector<std::string> decisions;
  for (size_t length = 0; length <= journal.size(); ++length) {
    decisions.push_back(Describe(planner.Next(spec, ResumeFrom(journal, length).history)));
  }
  return decisions;
}

LevelOutcome OutcomeAt(uint64_t level, Verdict verdict) {
  LevelOutcome outcome;
  outcome.level = level;
  outcome.verdict = verdict;
  outcome.objective = static_cast<double>(level) / 3;  // no short decimal
  outcome.seconds = static_cast<double>(level) / 7;
  outcome.requests = 10 * level;
  outcome.tokens = 1000 * level;
  if (verdict == Verdict::kInvalid) outcome.invalid_reason = "loop lag of agent a1";
  if (verdict != Verdict::kFail) return outcome;
  outcome.first_breach = FirstBreach{{"request_latency", SlaStat::kP99, SlaOp::kLt, 900, false}, outcome.objective};
  return outcome;
}

Judge Limit(uint64_t limit) {
  return [limit](uint64_t level) { return OutcomeAt(level, level <= limit ? Verdict::kPass : Verdict::kFail); };
}

SearchSpec Range(uint64_t min, uint64_t max) {
  SearchSpec spec;
  spec.min = min;
  spec.max = max;
  return spec;
}

TEST(PlannerReplay, RecordedSearchTakesTheSameDecisions) {
  const Taken taken = Live(MonotonicPlanner(), Range(16, 1024), Limit(83));
  EXPECT_THAT(taken.decisions,
              ElementsAre("run 16", "run 32", "run 64", "run 128", "run 96", "run 80", "run 88", "run 84",
                          testing::StartsWith("done monotonic_precision_reached: feasible 80 #5")));
  EXPECT_EQ(Replayed(MonotonicPlanner(), Range(16, 1024), taken.journal), taken.decisions);
}

TEST(PlannerReplay, RecordedListTakesTheSameDecisions) {
  const ListPlanner planner({64, 1, 16});
  const Taken taken = Live(planner, SearchSpec(), Limit(20));
  EXPECT_EQ(taken.decisions.size(), 4u);
  EXPECT_EQ(Replayed(planner, SearchSpec(), taken.journal), taken.decisions);
}

// Contradicting, undecided and invalid levels, and every kind of end.
Judge Erratic(uint64_t limit, Rng rng) {
  return [limit, rng](uint64_t level) mutable {
    const bool passes = rng.Below(8) == 0 ? rng.Below(2) == 0 : level <= limit;
    LevelOutcome outcome = OutcomeAt(level, passes ? Verdict::kPass : Verdict::kFail);
    if (rng.Below(6) == 0) outcome = OutcomeAt(level, Verdict::kInvalid);
    if (rng.Below(6) == 0) outcome.verdict = Verdict::kInconclusive;
    outcome.point_holds = passes;
    if (rng.Below(4) == 0) outcome.objective.reset();
    if (outcome.first_breach && rng.Below(3) == 0) outcome.first_breach->observed.reset();
    return outcome;
  };
}

SearchSpec AnySpec(Rng& rng) {
  SearchSpec spec = Range(1 + rng.Below(20), 30 + rng.Below(1000));
  if (rng.Below(3) == 0) spec.start = spec.min + rng.Below(spec.max - spec.min);
  spec.trials = static_cast<int>(1 + rng.Below(2));
  spec.max_iterations = static_cast<int>(3 + rng.Below(30));
  if (rng.Below(4) == 0) spec.budget.requests = 1000 + rng.Below(20'000);
  if (rng.Below(4) == 0) spec.budget.seconds = static_cast<double>(rng.Below(500)) / 3;
  if (rng.Below(4) == 0) spec.budget.tokens = 1'000'000 + rng.Below(1'000'000);
  return spec;
}

TEST(PlannerReplay, ErraticSearchesTakeTheSameDecisions) {
  std::set<std::string> ends;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const SearchSpec spec = AnySpec(rng);
    const Taken taken = Live(MonotonicPlanner(), spec, Erratic(1 + rng.Below(1000), rng));
    ASSERT_EQ(Replayed(MonotonicPlanner(), spec, taken.journal), taken.decisions) << "seed " << seed;
    ends.insert(taken.decisions.back().substr(0, taken.decisions.back().find_first_of(": ", 5)));
  }
  EXPECT_GE(ends.size(), 6u) << absl::StrJoin(ends, " | ");
}

TEST(PlannerReplay, ErraticListsTakeTheSameDecisions) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    std::vector<uint64_t> levels(1 + rng.Below(12));
    for (uint64_t& level : levels) level = 1 + rng.Below(200);
    const ListPlanner planner(levels);
    const SearchSpec spec = AnySpec(rng);
    const Taken taken = Live(planner, spec, Erratic(100, rng));
    ASSERT_EQ(Replayed(planner, spec, taken.journal), taken.decisions) << "seed " << seed;
  }
}

// ---- jobs ----------------------------------------------------------------------------------------

// Writes what happens to a job into its journal, before anything is done because of it.
class Keeper {
 public:
  void Witness(const JobEvent& event, const JobEffects& effects) {
    if (const auto* judged = std::get_if<LevelJudged>(&event)) journal_.push_back(Finished(judged->outcome));
    for (const JobEffect& effect : effects) Keep(effect);
  }
  const Stored& journal() const { return journal_; }
  // "0.1" is the first attempt of the first level. In the order of PREPARE.
  const std::vector<std::string>& attempts() const { return attempts_; }

 private:
  void Keep(const JobEffect& effect) {
    v1::JournalEntry entry;
    if (const auto* probe = std::get_if<ProbeTaken>(&effect)) {
      *entry.mutable_probed()->mutable_report() = probe->report;
      entry.mutable_probed()->set_search_max(probe->search_max);
    } else if (const auto* voided = std::get_if<AttemptVoided>(&effect)) {
      *entry.mutable_attempt_void() = EncodeVoid(*voided);
    } else if (const auto* prepare = std::get_if<SendPrepare>(&effect); prepare && IsNew(prepare->task.key)) {
      *entry.mutable_attempt_begun() = EncodeAttempt(prepare->task.key, prepare->task.plan.concurrency);
    } else {
      return;
    }
    journal_.push_back(entry.SerializeAsString());
  }

  bool IsNew(const LevelKey& key) {
    const std::string name = absl::StrCat(key.level, ".", key.attempt);
    if (!attempts_.empty() && attempts_.back() == name) return false;
    attempts_.push_back(name);
    return true;
  }

  Stored journal_;
  std::vector<std::string> attempts_;
};

// A job and its keeper. Levels up to 83 pass.
struct Kept {
  explicit Kept(const JobSpec& spec, std::optional<JobResume> resume = std::nullopt)
      : scenario(spec, OptionsOf(std::move(resume))) {
    scenario.judge = [](const LevelMeasurement& m) {
      return m.plan.concurrency <= 83 ? Verdict::kPass : Verdict::kFail;
    };
    scenario.witness = [this](const JobEvent& event, const JobEffects& effects) { keeper.Witness(event, effects); };
  }

  static JobMachineOptions OptionsOf(std::optional<JobResume> resume) {
    JobMachineOptions options = JobScenario::Options(false);
    options.resume = std::move(resume);
    return options;
  }

  std::vector<uint32_t> Levels() const {
    std::vector<uint32_t> levels;
    for (const LevelMeasurement& level : scenario.levels()) levels.push_back(level.plan.concurrency);
    return levels;
  }
  // How it ended, in one line.
  std::string End() const {
    const std::optional<JobFinished>& end = scenario.end();
    if (!end) return "not finished";
    return absl::StrCat(static_cast<int>(end->end), " ", end->reason, " ",
                        end->search_done ? Describe(Decision(*end->search_done)) : "");
  }

  Keeper keeper;
  JobScenario scenario;
};

JobSpec SearchJob() {
  JobSpec spec = JobScenario::List({}, 20);
  spec.search.emplace();
  spec.search->spec = Range(16, 1000);
  return spec;
}

// Loses agent b while it measures, and gets it back.
void RunWithALoss(Kept& job) {
  job.scenario.Mute("MEASURE", "b").Join("a").Join("b").Start().Lose("b").Unmute("MEASURE", "b");
  job.scenario.Join("b").Wait(600);
}

// The coordinator ends when `length` entries are written; another one goes on with the agents that there were.
void ExpectTheSameFrom(size_t length, const Kept& whole, const JobSpec& spec) {
  const JobResume resume = ResumeFrom(whole.keeper.journal(), length);
  std::vector<uint32_t> levels;
  for (const LevelOutcome& outcome : resume.history) levels.push_back(static_cast<uint32_t>(outcome.level));
  Kept rest(spec, length > 0 ? std::optional(resume) : std::nullopt);
  rest.scenario.Join("a").Join("b").Start().Wait(600);
  for (const uint32_t level : rest.Levels()) levels.push_back(level);
  EXPECT_EQ(levels, whole.Levels());
  EXPECT_EQ(rest.End(), whole.End());
}

TEST(JobReplay, AJobCutAnywhereRunsTheLevelsThatItWouldHaveRun) {
  const JobSpec spec = SearchJob();
  Kept whole(spec);
  RunWithALoss(whole);
  EXPECT_THAT(whole.Levels(), ElementsAre(16, 32, 64, 128, 96, 80, 88, 84));
  ASSERT_GT(whole.keeper.journal().size(), 18u);
  for (size_t length = 0; length <= whole.keeper.journal().size(); ++length) {
    SCOPED_TRACE(absl::StrCat("cut after ", length, " entries"));
    ExpectTheSameFrom(length, whole, spec);
  }
}

// The range of a search follows the agents that there were when it began, not those that are there now.
TEST(JobReplay, ASearchKeepsItsRangeWhenAgentsHaveChanged) {
  const JobSpec spec = SearchJob();
  Kept whole(spec);
  whole.scenario.Join("a", 70).Start().Wait(600);
  EXPECT_THAT(whole.Levels(), ElementsAre(16, 32, 64, 70));
  Kept rest(spec, ResumeFrom(whole.keeper.journal(), 3));
  rest.scenario.Join("a", 70).Join("b", 500).Start().Wait(600);
  EXPECT_THAT(rest.Levels(), ElementsAre(32, 64, 70));
  EXPECT_EQ(rest.End(), whole.End());
}

TEST(JobReplay, NoAttemptComesBackWhereverAJobIsCut) {
  const JobSpec spec = SearchJob();
  Kept whole(spec);
  RunWithALoss(whole);
  for (size_t length = 1; length <= whole.keeper.journal().size(); ++length) {
    std::set<std::string> before;
    for (const v1::JournalEntry& entry : Read(whole.keeper.journal(), length)) {
      if (!entry.has_attempt_begun()) continue;
      before.insert(absl::StrCat(entry.attempt_begun().level(), ".", entry.attempt_begun().attempt()));
    }
    Kept rest(spec, ResumeFrom(whole.keeper.journal(), length));
    rest.scenario.Join("a").Join("b").Start().Wait(600);
    for (const std::string& attempt : rest.keeper.attempts()) {
      EXPECT_EQ(before.count(attempt), 0u) << attempt << " again, cut after " << length;
    }
  }
}

// A coordinator that ends over and over, each time one entry further on.
TEST(JobReplay, AJobThatIsCutAfterEachEntryEndsAsOneThatNeverIs) {
  const JobSpec spec = SearchJob();
  Kept whole(spec);
  whole.scenario.Join("a").Join("b").Start().Wait(600);
  Stored journal;
  std::string end;
  for (int lives = 0; lives < 100 && end.empty(); ++lives) {
    Kept life(spec, journal.empty() ? std::nullopt : std::optional(ResumeFrom(journal, journal.size())));
    life.scenario.Join("a").Join("b").Start().Wait(600);
    // An attempt that is begun is let live to the level's end: else it would begin for ever.
    const size_t kept = std::min<size_t>(life.keeper.journal().size(), 2);
    if (kept == 0) end = life.End();
    for (size_t i = 0; i < kept; ++i) journal.push_back(life.keeper.journal()[i]);
  }
  EXPECT_EQ(end, whole.End());
  std::vector<uint32_t> levels;
  for (const LevelOutcome& outcome : ResumeFrom(journal, journal.size()).history) {
    levels.push_back(static_cast<uint32_t>(outcome.level));
  }
  EXPECT_EQ(levels, whole.Levels());
}

TEST(JobReplay, AJobThatHasAllItsLevelsNeedsNoAgent) {
  const JobSpec spec = JobScenario::List({4, 8}, 20);
  Kept whole(spec);
  whole.scenario.Join("a").Start().Wait(600);
  Kept rest(spec, ResumeFrom(whole.keeper.journal(), whole.keeper.journal().size()));
  rest.scenario.Start();
  ASSERT_TRUE(rest.scenario.finished());
  EXPECT_EQ(rest.End(), whole.End());
  EXPECT_THAT(rest.Levels(), IsEmpty());
}

}  // namespace
}  // namespace tidemark
