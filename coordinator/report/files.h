#ifndef TIDEMARK_COORDINATOR_REPORT_FILES_H_
#define TIDEMARK_COORDINATOR_REPORT_FILES_H_

#include <string>
#include <vector>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct ReportFile {
  std::string path;  // relative to the output folder, '/' between folders
  std::string content;
};

// Every file that is written from a result, result.json first. concurrency_<N>/ holds the latest
// visit of N; a result of no level has no sweep_aggregate/; only a search has search_history.json.
// (profile_export.jsonl and output.tar.gz are not made from the result.) Pure: thread-safe.
std::vector<ReportFile> ResultFiles(const v1::Result& result);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_FILES_H_
