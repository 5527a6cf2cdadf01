#include "cli/help.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tidemark
