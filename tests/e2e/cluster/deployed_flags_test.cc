// What the chart and the compose file start, the programs take: every flag stands in the program's own --help.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using testing::ReadFile;
using testing::RunToEnd;

using Flags = std::set<std::string>;

std::string Source(const std::string& path) {
  const std::string text = ReadFile(std::string(TIDEMARK_SOURCE_DIR) + "/" + path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

// The first groups of `pattern` in `text`.
Flags AllOf(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Flags found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

Flags operator+(Flags a, const Flags& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Of a template of the chart: `- --flag=…` and the names in `dict "flag" $part.value`; and what every daemon gets.
Flags FlagsOfChart(const std::string& part) {
  const std::string text = Source("helm/tidemark/templates/" + part + "/statefulset.yaml");
  return AllOf(text, "\n *- --([a-z-]+)") + AllOf(text, "(?:dict|\\$part\\.\\w+) \"([a-z-]+)\"(?= \\$part\\.)") +
         AllOf(Source("helm/tidemark/templates/_helpers.tpl"), "\n *- --([a-z-]+)");
}

// Of the command in deploy/compose.yaml that begins with `program`.
Flags FlagsOfCompose(const std::string& program) {
  const std::regex command("- " + program + "\n(( +- --[^\n]*\n)+)");
  std::smatch match;
  const std::string text = Source("deploy/compose.yaml");
  EXPECT_TRUE(std::regex_search(text, match, command)) << program;
  return AllOf(match[1], "- --([a-z-]+)");
}

Flags FlagsOfProgram(const std::string& program) {
  testing::ProcessOptions options;
  options.arguments = {std::string(TIDEMARK_BIN_DIR) + "/" + program, "--help"};
  const auto end = RunToEnd(options, 10'000);
  EXPECT_EQ(end.code, 0) << end.err;
  return AllOf(end.out, "--([a-z-]+)");
}

void ExpectTaken(const Flags& given, const std::string& program) {
  EXPECT_GE(given.size(), 5u) << "the patterns of this test see too few flags";
  const Flags taken = FlagsOfProgram(program);
  for (const std::string& flag : given) EXPECT_EQ(taken.count(flag), 1u) << program << " has no --" << flag;
}

TEST(DeployedFlags, OfTheChartsCoordinatorAreTaken) {
  const Flags flags = FlagsOfChart("coordinator");
  EXPECT_EQ(flags.count("max-agents"), 1u);
  ExpectTaken(flags, "tidemark-coordinator");
}

TEST(DeployedFlags, OfTheChartsAgentsAreTaken) {
  const Flags flags = FlagsOfChart("agents");
  EXPECT_EQ(flags.count("loops"), 1u);
  ExpectTaken(flags, "tidemark-agent");
}

TEST(DeployedFlags, OfTheComposeFileAreTaken) {
  ExpectTaken(FlagsOfCompose("tidemark-coordinator"), "tidemark-coordinator");
  ExpectTaken(FlagsOfCompose("tidemark-agent"), "tidemark-agent");
}

}  // namespace
}  // namespace tidemark
