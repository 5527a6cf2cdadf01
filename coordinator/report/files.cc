#include "coordinator/report/files.h"

#include "absl/strings/str_cat.h"
#include "coordinator/report/aiperf_level.h"
#include "coordinator/report/aiperf_sweep.h"
#include "coordinator/report/html_report.h"
#include "coordinator/report/level_view.h"
#include "coordinator/report/levels_csv.h"
#include "coordinator/report/result_json.h"
#include "coordinator/report/search_history.h"
#include "coordinator/report/summary.h"

namespace tidemark {

std::vector<ReportFile> ResultFiles(const v1::Result& result) {
  std::vector<ReportFile> files = {{"result.json", ResultJson(result)},
                                   {"summary.txt", SummaryText(result)},
                                   {"report.html", HtmlReport(result)},
                                   {"levels.csv", LevelsCsv(result)}};
  for (const v1::LevelResult* level : LatestVisits(result)) {
    const std::string folder = absl::StrCat("concurrency_", level->concurrency(), "/");
    files.push_back({folder + "profile_export_aiperf.json", AiperfLevelJson(result, *level)});
    files.push_back({folder + "profile_export_aiperf.csv", AiperfLevelCsv(*level)});
  }
  if (!result.levels().empty()) {
    files.push_back({"sweep_aggregate/profile_export_aiperf_sweep.json", AiperfSweepJson(result)});
    files.push_back({"sweep_aggregate/profile_export_aiperf_sweep.csv", AiperfSweepCsv(result)});
  }
  if (result.has_search()) files.push_back({"search_history.json", SearchHistoryJson(result)});
  return files;
}

}  // namespace tidemark
