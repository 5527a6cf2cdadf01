#include "cli/help.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/job_flags.h"
#include "coordinator/core/job_spec/parameters.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

TEST(SweepHelp, NamesEveryFlag) {
  const std::string help = SweepHelp();
  for (const Parameter& parameter : ParameterTable()) {
    EXPECT_THAT(help, HasSubstr(FlagName(parameter.name)));
  }
}

TEST(SweepHelp, FitsAWideTerminal) {
  std::istringstream lines(SweepHelp());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
}

TEST(JobHelp, EveryCommandHasItsOwnWithAnExample) {
  for (const std::string& command : JobCommands()) {
    EXPECT_THAT(JobHelp(command), HasSubstr("Usage: tidemark job " + command)) << command;
    EXPECT_THAT(JobHelp(command), HasSubstr("Example")) << command;
    EXPECT_THAT(JobHelp(""), HasSubstr("\n  " + command + " ")) << command;
  }
  EXPECT_THAT(AgentsHelp(), HasSubstr("Example"));
}

TEST(MainHelp, LeavesNothingOut) {
  for (const std::string command : {"sweep", "job", "agents"}) EXPECT_THAT(MainHelp(), HasSubstr("\n  " + command + " "));
  for (const std::string& command : LaterCommands()) EXPECT_THAT(MainHelp(), HasSubstr(command));
}

}  // namespace
}  // namespace tidemark
