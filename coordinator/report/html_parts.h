// Pieces that the sections of report.html share. Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_HTML_PARTS_H_
#define TIDEMARK_COORDINATOR_REPORT_HTML_PARTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "coordinator/report/html_writer.h"

namespace tidemark {

// A figure for people, a dash where it cannot be had.
std::string Figure(bool known, double value);
std::string Ms(const std::optional<double>& value);

// A pill in the colour of the verdict or validity; nothing for an empty name.
void Badge(absl::string_view name, HtmlWriter& html);

// Opens the body, too.
void HeaderRow(const std::vector<std::string>& cells, HtmlWriter& html);
// The first cell names the row.
void Row(const std::vector<std::string>& cells, HtmlWriter& html);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_HTML_PARTS_H_
