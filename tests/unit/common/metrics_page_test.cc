// docs/metrics.md promises that its table of request metrics is the program's.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/measurement/metric_table.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

// The table's rows under "## Request metrics", without heading, spaces and back-quotes.
std::vector<std::string> PageRows() {
  std::ifstream page(TIDEMARK_SOURCE_DIR "/docs/metrics.md");
  std::vector<std::string> rows;
  bool in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (absl::StartsWith(line, "#")) in_section = line == "## Request metrics";
    if (!in_section || !absl::StartsWith(line, "| `")) continue;
    line.erase(std::remove(line.begin(), line.end(), '`'), line.end());
    rows.push_back(std::string(absl::StripAsciiWhitespace(line)));
  }
  return rows;
}

TEST(MetricsPage, HasTheProgramsRequestMetricsInItsOrder) {
  std::vector<std::string> rows;
  for (const MetricInfo& info : MetricTable()) {
    rows.push_back(absl::StrCat("| ", info.tag, " | ", info.unit, " | ", info.formula, " | ",
                                info.when, " |"));
  }
  EXPECT_EQ(PageRows(), rows);
}

}  // namespace
}  // namespace tidemark
