// search_history.json: what a search asked and what it found, in AIPerf's schema. SageMaker's SDK
// takes a result that holds this file for a search, so it is written for searches only.
//
// Pure function: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_SEARCH_HISTORY_H_
#define TIDEMARK_COORDINATOR_REPORT_SEARCH_HISTORY_H_

#include <string>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// REQUIRES: result.has_search().
std::string SearchHistoryJson(const v1::Result& result);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_SEARCH_HISTORY_H_
