// The parts of report.html, in their order on the page. Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_HTML_SECTIONS_H_
#define TIDEMARK_COORDINATOR_REPORT_HTML_SECTIONS_H_

#include "coordinator/report/html_writer.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

void WriteAnswer(const v1::Result& result, HtmlWriter& html);  // headline and key figures
void WriteCharts(const v1::Result& result, HtmlWriter& html);  // canvases, knee, law
void WriteLevelTable(const v1::Result& result, HtmlWriter& html);
void WriteValidity(const v1::Result& result, HtmlWriter& html);      // is the generator the limit?
void WriteLevelDetails(const v1::Result& result, HtmlWriter& html);  // each visit, folded
void WriteDefinitions(const v1::Result& result, HtmlWriter& html);
void WriteConfiguration(const v1::Result& result, HtmlWriter& html);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_HTML_SECTIONS_H_
