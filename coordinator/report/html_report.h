// report.html: one file that works offline and without a server. Everything can be read with
// JavaScript off, but for the charts.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_HTML_REPORT_H_
#define TIDEMARK_COORDINATOR_REPORT_HTML_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Server text in it is escaped, and a content policy forbids the page to load anything.
std::string HtmlReport(const v1::Result& result);

// The same around another chart library, for tests: Chart.js differs between Debian's releases.
std::string HtmlReportWith(const v1::Result& result, absl::string_view chart_library);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_HTML_REPORT_H_
