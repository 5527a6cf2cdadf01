// Who dies or is cut off, in which phase of a level, and what happens: ARCHITECTURE.md's table, one row a case.
#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/coordinator_core/job_scenario.h"

namespace tidemark {
namespace {

using testing::HasSubstr;

struct Case {
  const char* phase;  // what is not answered, so that the level stays in this phase
  const char* who;    // "a" has slots, "spare" has none
  const char* what;   // "lost", "says error", "silent" (until the deadline), "returns"
  const char* happens;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.phase << " " << c.who << " " << c.what; }

class LossTable : public testing::TestWithParam<Case> {};

std::string Happened(const JobScenario& s) {
  if (!s.finished()) return "waits";
  if (s.end()->end == JobEnd::kFailed) return "fails: " + s.end()->reason;
  const LevelMeasurement& level = s.levels().at(0);
  if (level.voided.empty()) {
    return level.records_error.empty() ? "goes on" : "goes on, records lost";
  }
  const VoidedAttempt& voided = level.voided.at(0);
  return absl::StrCat(level.voided.size(), " void (", voided.agent, "), ", voided.sent.requests,
                      " sent, then on ", level.parts.size());
}

TEST_P(LossTable, DoesWhatTheTableSays) {
  const Case& c = GetParam();
  JobScenario s(JobScenario::List({2}, 20));
  s.records_bytes = std::string(c.phase) == "PULL" ? 10 : 0;
  const std::string what = c.what;
  // Silence is of one; else all are held where they are, so that the loss finds them there.
  s.Mute(c.phase, what == "silent" ? c.who : "");
  s.Join("a").Join("b").Join("spare").Start();
  const LevelKey key{"job", 0, 1};
  if (what == "lost") s.Lose(c.who);
  if (what == "returns") s.Say(AgentReturned{c.who});
  if (what == "says error") s.Say(AgentStopped{c.who, key, {}, "its lease lapsed"});
  if (what == "silent") s.Wait(700);
  s.Unmute(c.phase, what == "silent" ? c.who : "").Answer().Wait(10);
  EXPECT_EQ(Happened(s), c.happens);
}

INSTANTIATE_TEST_SUITE_P(
    Loss, LossTable,
    testing::Values(
        // Before ARM nothing was sent: split anew over those left.
        Case{"PREPARE", "a", "lost", "1 void (a), 0 sent, then on 2"},
        Case{"PREPARE", "a", "silent", "1 void (a), 0 sent, then on 2"},
        Case{"PREPARE", "a", "says error", "1 void (a), 0 sent, then on 2"},
        Case{"PREPARE", "a", "returns", "goes on"},
        // After ARM the attempt is void and the level runs again.
        Case{"ARM", "a", "lost", "1 void (a), 0 sent, then on 2"},
        Case{"ARM", "a", "silent", "1 void (a), 0 sent, then on 2"},
        Case{"ARM", "a", "says error", "1 void (a), 0 sent, then on 2"},
        Case{"ARM", "a", "returns", "goes on"},
        Case{"WARM", "a", "lost", "1 void (a), 0 sent, then on 2"},
        Case{"WARM", "a", "silent", "goes on"},  // measured without its WARM, and said
        Case{"WARM", "a", "says error", "1 void (a), 0 sent, then on 2"},
        Case{"WARM", "a", "returns", "goes on"},
        Case{"MEASURE", "a", "lost", "1 void (a), 0 sent, then on 2"},
        Case{"MEASURE", "a", "silent", "1 void (a), 10 sent, then on 2"},
        Case{"MEASURE", "a", "says error", "1 void (a), 0 sent, then on 2"},
        Case{"MEASURE", "a", "returns", "goes on"},
        Case{"DONE", "a", "lost", "1 void (a), 20 sent, then on 2"},
        Case{"DONE", "a", "silent", "1 void (a), 20 sent, then on 2"},
        Case{"DONE", "a", "says error", "1 void (a), 20 sent, then on 2"},
        Case{"DONE", "a", "returns", "goes on"},
        Case{"STOP", "a", "lost", "1 void (a), 20 sent, then on 2"},
        Case{"STOP", "a", "silent", "1 void (a), 20 sent, then on 2"},
        Case{"STOP", "a", "says error", "1 void (a), 20 sent, then on 2"},
        Case{"STOP", "a", "returns", "goes on"},
        // What was measured stays measured.
        Case{"PULL", "a", "lost", "goes on, records lost"},
        Case{"PULL", "a", "silent", "goes on, records lost"},
        Case{"PULL", "a", "returns", "goes on"},
        // One without slots is missed by nobody.
        Case{"PREPARE", "spare", "lost", "goes on"}, Case{"PREPARE", "spare", "silent", "goes on"},
        Case{"PREPARE", "spare", "says error", "goes on"}, Case{"ARM", "spare", "lost", "goes on"},
        Case{"ARM", "spare", "silent", "goes on"}, Case{"ARM", "spare", "says error", "goes on"},
        Case{"WARM", "spare", "lost", "goes on"}, Case{"WARM", "spare", "silent", "goes on"},
        Case{"MEASURE", "spare", "lost", "goes on"}, Case{"MEASURE", "spare", "silent", "goes on"},
        Case{"MEASURE", "spare", "says error", "goes on"},
        Case{"DONE", "spare", "lost", "goes on"}, Case{"STOP", "spare", "lost", "goes on"},
        Case{"STOP", "spare", "silent", "goes on"}, Case{"STOP", "spare", "says error", "goes on"},
        Case{"PULL", "spare", "lost", "goes on"}));

// ---- what is said again to one that was cut off for less than its lease ----

struct AgainCase {
  const char* phase;
  const char* again;  // and nothing else of the level
};
void PrintTo(const AgainCase& c, std::ostream* out) { *out << c.phase; }

class SaidAgainTable : public testing::TestWithParam<AgainCase> {};

TEST_P(SaidAgainTable, IsWhatItHasNotAnswered) {
  JobScenario s(JobScenario::List({2}, 20));
  s.records_bytes = 10;
  s.Mute(GetParam().phase).Join("a").Join("b").Start();
  if (std::string(GetParam().phase) == "CANCEL") s.Mute("MEASURE");
  const size_t before = s.log().size();
  s.Say(AgentReturned{"a"});
  std::string again;
  for (size_t i = before; i < s.log().size(); ++i) {
    const std::string& line = s.log()[i];
    if (line.rfind("TIMER", 0) != 0) absl::StrAppend(&again, line.substr(0, line.find(' ')), " ");
  }
  EXPECT_EQ(again, GetParam().again);
}

INSTANTIATE_TEST_SUITE_P(Loss, SaidAgainTable,
                         testing::Values(AgainCase{"PREPARE", "PREPARE "}, AgainCase{"ARM", "ARM "},
                                         AgainCase{"WARM", ""}, AgainCase{"MEASURE", "MEASURE "},
                                         AgainCase{"STOP", "STOP "}, AgainCase{"PULL", "PULL "}));

TEST(Loss, ACancelIsSaidAgainToOneThatReturnsWhileTheAttemptEnds) {
  JobScenario s(JobScenario::List({2}, 20));
  s.Mute("MEASURE").Mute("CANCEL").Join("a").Join("b").Start().Lose("b");
  const size_t before = s.Count("CANCEL a level 0 attempt 1");
  s.Say(AgentReturned{"a"});
  EXPECT_EQ(s.Count("CANCEL a level 0 attempt 1"), before + 1);
}

TEST(Loss, ACancelIsSaidAgainToOneThatWasGivenUpOn) {
  JobScenario s(JobScenario::List({2}, 20));
  s.Mute("PREPARE", "a").Mute("CANCEL").Join("a").Join("b").Start().Wait(30);
  ASSERT_EQ(s.Count("CANCEL a level 0 attempt 1"), 1u);
  s.Say(AgentReturned{"a"});  // while the others are waited for
  EXPECT_EQ(s.Count("CANCEL a level 0 attempt 1"), 2u);
}

TEST(Loss, ACancelIsSaidAgainToOneThatReturnsBetweenAttempts) {
  JobScenario s(JobScenario::List({150}, 200));
  s.Mute("PREPARE", "a").Join("a").Join("b").Start().Wait(30);
  ASSERT_EQ(s.Count("WARN waits for agents"), 1u);
  s.Say(AgentReturned{"a"});
  EXPECT_EQ(s.Count("CANCEL a level 0 attempt 1"), 2u);
}

// ---- who comes late, and when nobody is left ----

TEST(Loss, ASpareThatComesLateTakesPartInTheNextAttempt) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Join("b").Start().Join("late");
  EXPECT_EQ(s.Count("PREPARE late"), 0u);
  s.Lose("b").Unmute("MEASURE").Answer().Wait(3);
  EXPECT_EQ(s.Count("PREPARE late level 0 attempt 2"), 1u);
  EXPECT_TRUE(s.finished());
}

TEST(Loss, WhenAllAreLostItWaitsAndThenNamesHowManyAreMissing) {
  JobScenario s(JobScenario::List({150}, 200));
  s.Mute("MEASURE").Join("a").Join("b").Start().Lose("a").Lose("b").Wait(59);
  EXPECT_FALSE(s.finished());
  s.Wait(10);
  ASSERT_TRUE(s.finished());
  EXPECT_EQ(s.end()->end, JobEnd::kFailed);
  EXPECT_THAT(s.end()->reason, HasSubstr("not enough agents came within 60 s"));
  EXPECT_THAT(s.end()->reason, HasSubstr("needs at least 1 agent"));
}

TEST(Loss, WhenAllAreLostTheLevelRunsOnThoseThatCome) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Start().Lose("a").Wait(30);
  s.Unmute("MEASURE").Join("c").Wait(3);
  ASSERT_EQ(s.levels().size(), 1u);
  EXPECT_EQ(s.levels()[0].parts.at(0).agent, "c");
}

TEST(Loss, AgentsThatComeAndGoBeforeArmDoNotGoOnForEver) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("PREPARE").Join("a").Start();
  for (int i = 0; i < 12 && !s.finished(); ++i) s.Lose("a").Join("a").Wait(1);
  ASSERT_TRUE(s.finished());
  EXPECT_THAT(s.end()->reason, HasSubstr("could not be measured in 11 attempts"));
}

TEST(Loss, AKeyNeverComesBackWhateverIsLost) {
  JobScenario s(JobScenario::List({4}, 20));
  s.Mute("MEASURE").Join("a").Join("b").Start().Lose("a").Join("a").Wait(3);
  s.Lose("b").Join("b").Unmute("MEASURE").Wait(3);
  EXPECT_EQ(s.Count("PREPARE a level 0 attempt 1"), 1u);
  EXPECT_EQ(s.Count("PREPARE a level 0 attempt 2"), 1u);
  EXPECT_EQ(s.Count("PREPARE a level 0 attempt 3"), 1u);
}

}  // namespace
}  // namespace tidemark
