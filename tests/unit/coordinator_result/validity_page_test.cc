// docs/validity.md promises that its thresholds are the program's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "coordinator/core/result/validity.h"
#include "tests/unit/coordinator_result/level_fixture.h"

namespace tidemark {
namespace {

using Thresholds = std::map<std::string, std::pair<double, double>>;  // measure -> suspect, invalid

// Rows "| `measure` | what it is | suspect | invalid | …" of the page.
Thresholds OfThePage() {
  std::ifstream page(TIDEMARK_SOURCE_DIR "/docs/validity.md");
  Thresholds rows;
  for (std::string line; std::getline(page, line);) {
    if (line.compare(0, 3, "| `") != 0) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 5) continue;
    const std::string name = cells[1].substr(2, cells[1].rfind('`') - 2);
    rows[name] = {std::strtod(cells[3].c_str(), nullptr), std::strtod(cells[4].c_str(), nullptr)};
  }
  return rows;
}

TEST(ValidityPage, HasTheProgramsMeasuresAndThresholds) {
  LevelMeasurement level = MeasuredLevel(SpecWithLatencySla(300), 4, std::vector<double>(40, 100), 0);
  level.parts[0].addresses = {"h:1", "h:2"};
  level.parts[0].facts.addresses["h:1"].requests = 20;
  level.parts[0].facts.addresses["h:2"].requests = 20;
  SelfCheckFacts& self = level.parts[0].snapshot.self_check;
  for (Histogram* seen : {&self.reader_delay_us, &self.send_lateness_us, &self.slot_turnaround_us}) seen->Record(10);
  self.reads = 1;
  self.descriptors_limit = 1'000;
  self.ports_limit = 1'000;
  Thresholds program;
  for (const v1::ValidityCheck& check : CheckValidity(level)) {
    program[check.measure()] = {check.suspect_at(), check.invalid_at()};
  }
  EXPECT_EQ(program.size(), 15u);
  EXPECT_EQ(OfThePage(), program);
}

}  // namespace
}  // namespace tidemark
