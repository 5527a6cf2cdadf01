// Files that report.html carries, embedded at build time by cmake/embed_file.cmake.
#ifndef TIDEMARK_COORDINATOR_REPORT_ASSETS_H_
#define TIDEMARK_COORDINATOR_REPORT_ASSETS_H_

#include "absl/strings/string_view.h"

namespace tidemark {

extern const absl::string_view kChartLibrary;  // Chart.js, from Debian's libjs-chart.js
extern const absl::string_view kReportScript;  // report.js
extern const absl::string_view kReportStyle;   // report.css

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_ASSETS_H_
