// summary.txt, and the last screen of `tidemark sweep`: the answer, the levels, the knee, what to
// mind, and where to look next.
//
// Pure function: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_SUMMARY_H_
#define TIDEMARK_COORDINATOR_REPORT_SUMMARY_H_

#include <cstddef>
#include <string>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct SummaryOptions {
  size_t width = 100;                       // columns but for the answer; the table of levels needs up to 100
  bool color = false;                       // ANSI colours, for a terminal
  std::string report_path = "report.html";  // as the user would open it
};

// The answer is the first line, however long. Server text in it is stripped of control characters.
// Ends with a newline.
std::string SummaryText(const v1::Result& result, const SummaryOptions& options = {});

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_SUMMARY_H_
