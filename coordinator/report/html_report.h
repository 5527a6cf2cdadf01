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

// What the page carries, as it is.
struct HtmlAssets {
  absl::string_view style;
  absl::string_view chart_library;
  absl::string_view script;
};

// The same around other assets, for tests: Chart.js differs between Debian's releases.
std::string HtmlReportWith(const v1::Result& result, const HtmlAssets& assets);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_HTML_REPORT_H_
