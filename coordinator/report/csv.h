#ifndef TIDEMARK_COORDINATOR_REPORT_CSV_H_
#define TIDEMARK_COORDINATOR_REPORT_CSV_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

// One line of RFC 4180, ending in "\n". A cell that a spreadsheet would run as a formula (a leading
// = + - @ that does not begin a number) gets an apostrophe in front.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_CSV_H_
