// concurrency_<N>/profile_export_aiperf.{json,csv}: one level as AIPerf writes a run, so that its
// readers (and SageMaker's SDK) read ours. A level that a search visited again has its latest visit
// there; result.json has all of them.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_AIPERF_LEVEL_H_
#define TIDEMARK_COORDINATOR_REPORT_AIPERF_LEVEL_H_

#include <string>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// AIPerf's keys; beside them `tool`, `tool_version` and `tidemark` (verdict, SLAs, validity: what
// AIPerf has no place for). There is no `aiperf_version`, for AIPerf did not measure it.
// REQUIRES: `level` is one of result's.
std::string AiperfLevelJson(const v1::Result& result, const v1::LevelResult& level);

std::string AiperfLevelCsv(const v1::LevelResult& level);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_AIPERF_LEVEL_H_
