// Every file of the report, byte for byte. TIDEMARK_UPDATE_GOLDEN=1 writes the expected files anew:
// look at the difference before committing it.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include "coordinator/report/files.h"
#include "coordinator/report/html_report.h"
#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

fs::path GoldenFolder() { return fs::path(TIDEMARK_SOURCE_DIR) / "tests/golden/report/expected"; }

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void WriteFile(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// Chart.js is another in each Debian release, so the page is compared around stand-ins.
std::vector<ReportFile> FilesToCompare(const v1::Result& result) {
  std::vector<ReportFile> files = ResultFiles(result);
  for (ReportFile& file : files) {
    if (file.path == "report.html")
      file.content =
          HtmlReportWith(result, {"/* style */\n", "/* chart library */", "/* script */\n"});
  }
  return files;
}

void ExpectGolden(const std::string& folder, const v1::Result& result) {
  const bool update = std::getenv("TIDEMARK_UPDATE_GOLDEN") != nullptr;
  for (const ReportFile& file : FilesToCompare(result)) {
    const fs::path path = GoldenFolder() / folder / file.path;
    if (update) WriteFile(path, file.content);
    EXPECT_EQ(ReadFile(path), file.content) << path;
  }
}

// "1.234,5", as in German.
class CommaDecimal : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ReportGolden, WritesASweep) { ExpectGolden("sweep", SampleSweep()); }

TEST(ReportGolden, WritesASearch) { ExpectGolden("search", SampleSearch()); }

TEST(ReportGolden, IsTheSameUnderAForeignLocale) {
  const std::vector<ReportFile> plain = ResultFiles(SampleSweep());
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaDecimal));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;  // where it is installed
  }
  const std::vector<ReportFile> foreign = ResultFiles(SampleSweep());
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  ASSERT_EQ(plain.size(), foreign.size());
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_EQ(plain[i].content, foreign[i].content) << plain[i].path;
}

TEST(ReportGolden, WritesSearchHistoryOnlyForASearch) {
  const auto has_history = [](const v1::Result& result) {
    for (const ReportFile& file : ResultFiles(result)) {
      if (file.path == "search_history.json") return true;
    }
    return false;
  };
  EXPECT_TRUE(has_history(SampleSearch()));
  EXPECT_FALSE(has_history(SampleSweep()));
}

TEST(ReportGolden, KeepsTheLatestVisitOfALevel) {
  int folders = 0;
  for (const ReportFile& file : ResultFiles(SampleSearch())) {
    if (file.path != "concurrency_24/profile_export_aiperf.json") continue;
    ++folders;
    EXPECT_NE(file.content.find("\"variation_index\": 4"), std::string::npos);
  }
  EXPECT_EQ(folders, 1);
}

}  // namespace
}  // namespace tidemark
