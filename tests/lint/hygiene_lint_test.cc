// What a reader should never meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "tests/lint/rule.h"

namespace tidemark::lint {
namespace {

bool AnyFile(const std::string&) { return true; }
bool CodeOrScript(const std::string& path) { return !HasSuffix(path, ".md"); }

// Patterns are written so that they do not match their own line.
Rule UnfinishedRule() {
  return {"unfinished", View::kRaw, "\\b(TOD[O]|FIXM[E]|XX[X])\\b", AnyFile, {}, "finish it, or open an issue"};
}

Rule WorkshopRule() {
  return {"workshop paths", View::kRaw, "/wor[k]/|\\.\\./share[d]", CodeOrScript, {},
          "nothing reads what lies outside the project: copy what is needed into it"};
}

Rule DisabledTestRule() {
  return {"disabled tests", View::kCode, R"re(\bDISABLED_\w|\bGTEST_SKIP\s*\(\s*\)\s*;)re", AnyCpp, {},
          "mend or remove the test; a skip says why"};
}

Rule EndlRule() {
  return {"std::endl", View::kCode, R"re(\bstd::endl\b)re", ProductCpp,
          {{"cli/", "lines of the screen, flushed on purpose"}, {"simulator/main.cc", "the line its parent waits for"}},
          "write '\\n'; flush only what somebody waits for"};
}

Rule ExceptionRule() {
  return {"throw", View::kCode, R"re(\bthrow\s+[\w:])re", ProductCpp, {}, "return a Status"};
}

TEST(Hygiene, NothingIsLeftUnfinished) { EXPECT_EQ(Violations(UnfinishedRule(), Tree()), std::vector<std::string>()); }
TEST(Hygiene, NothingReadsOutsideTheProject) {
  EXPECT_EQ(Violations(WorkshopRule(), Tree()), std::vector<std::string>());
}
TEST(Hygiene, NoTestIsDisabledOrSkippedWithoutAReason) {
  EXPECT_EQ(Violations(DisabledTestRule(), Tree()), std::vector<std::string>());
}
TEST(Hygiene, LinesEndWithoutAFlush) { EXPECT_EQ(Violations(EndlRule(), Tree()), std::vector<std::string>()); }
TEST(Hygiene, OurCodeThrowsNothing) { EXPECT_EQ(Violations(ExceptionRule(), Tree()), std::vector<std::string>()); }

TEST(HygieneLint, SeesWhatIsUnfinished) {
  for (const std::string mark : {"TO" "DO", "FIX" "ME", "X" "XX"}) {
    EXPECT_TRUE(Refuses(UnfinishedRule(), "agent/made_up.cc", "// " + mark + "(me): later")) << mark;
  }
  EXPECT_FALSE(Refuses(UnfinishedRule(), "agent/made_up.cc", "char name[] = \"/tmp/a_XXXXXX\";"));
}

TEST(HygieneLint, SeesPathsOutsideTheProject) {
  EXPECT_TRUE(Refuses(WorkshopRule(), "tests/unit/made_up.cc", "Open(\"/wor" "k/main\");"));
  EXPECT_TRUE(Refuses(WorkshopRule(), "dev", "cat ../sha" "red/x"));
}

TEST(HygieneLint, SeesDisabledTests) {
  EXPECT_TRUE(Refuses(DisabledTestRule(), "tests/unit/a_test.cc", "TEST(A, DISABLED_B) {"));
  EXPECT_TRUE(Refuses(DisabledTestRule(), "tests/unit/a_test.cc", "if (x) GTEST_SKIP();"));
  EXPECT_FALSE(Refuses(DisabledTestRule(), "tests/unit/a_test.cc", "GTEST_SKIP() << \"no locale\";"));
}

TEST(HygieneLint, SeesFlushesAndThrows) {
  EXPECT_TRUE(Refuses(EndlRule(), "agent/made_up.cc", "out << std::endl;"));
  EXPECT_TRUE(Refuses(ExceptionRule(), "agent/made_up.cc", "throw std::runtime_error(x);"));
  EXPECT_FALSE(Refuses(ExceptionRule(), "agent/made_up.cc", "// they throw what they like"));
}

std::string GuardOf(const std::string& path) {
  std::string guard = "TIDEMARK_" + path + "_";
  std::transform(guard.begin(), guard.end(), guard.begin(), [](unsigned char c) {
    return std::isalnum(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
  });
  return guard;
}

std::vector<std::string> WrongGuards(const std::vector<SourceFile>& files) {
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    if (!HasSuffix(file.path, ".h")) continue;
    const std::string guard = GuardOf(file.path);
    const bool guarded = file.raw.find("#ifndef " + guard + "\n#define " + guard + "\n") != std::string::npos;
    if (!guarded) wrong.push_back(file.path + ": its guard should be " + guard);
  }
  return wrong;
}

TEST(Hygiene, HeadersHaveGuardsOfTheirPath) { EXPECT_EQ(WrongGuards(Tree()), std::vector<std::string>()); }

TEST(HygieneLint, SeesAWrongGuard) {
  EXPECT_EQ(WrongGuards({MakeSourceFile("agent/a.h", "#ifndef A_H\n#define A_H\n#endif\n")}).size(), 1u);
  EXPECT_EQ(WrongGuards({MakeSourceFile("agent/a.h", "#pragma once\n")}).size(), 1u);
  EXPECT_TRUE(WrongGuards({MakeSourceFile("agent/a.h", "#ifndef TIDEMARK_AGENT_A_H_\n#define TIDEMARK_AGENT_A_H_\n")})
                  .empty());
}

constexpr size_t kMostLines = 500;

// Files that may be longer, up to a ceiling of their own: they may shrink, never grow past it.
const std::map<std::string, size_t>& LongFiles() {
  static const auto* const kFiles = new std::map<std::string, size_t>{
      {"agent/http/curl_transport.cc", 550},             // one libcurl handle's whole life
      {"coordinator/core/job/level_machine.cc", 540}};   // one level's barriers, in order
  return *kFiles;
}

std::vector<std::string> TooLong(const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (!ProductCpp(file.path)) continue;
    const auto own = LongFiles().find(file.path);
    const size_t most = own == LongFiles().end() ? kMostLines : own->second;
    const size_t lines = Lines(file.raw).size();
    if (lines > most) found.push_back(file.path + ": " + std::to_string(lines) + " lines, at most " + std::to_string(most));
  }
  return found;
}

TEST(Hygiene, FilesAreShort) { EXPECT_EQ(TooLong(Tree()), std::vector<std::string>()); }

TEST(HygieneLint, SeesALongFile) {
  EXPECT_EQ(TooLong({MakeSourceFile("agent/a.cc", std::string(kMostLines + 1, '\n'))}).size(), 1u);
  EXPECT_TRUE(TooLong({MakeSourceFile("agent/a.cc", std::string(kMostLines, '\n'))}).empty());
}

}  // namespace
}  // namespace tidemark::lint
