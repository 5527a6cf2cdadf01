#include "cli/result_output.h"

#include "coordinator/report/result_json.h"
#include "coordinator/report/summary.h"

namespace tidemark {

ResultOutput FileResultOutput(const Terminal& terminal) {
  ResultOutput output;
  output.files = ResultFiles;
  output.json = ResultJson;
  output.summary = [terminal](const v1::Result& result, const std::string& output_dir) {
    SummaryOptions options;
    options.width = static_cast<size_t>(terminal.width);
    options.color = terminal.color;
    options.report_path = output_dir.empty() ? "" : output_dir + "/report.html";  // empty: there is none
    return SummaryText(result, options);
  };
  return output;
}

}  // namespace tidemark
