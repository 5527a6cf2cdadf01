// sweep_aggregate/profile_export_aiperf_sweep.{json,csv}: all levels side by side, as AIPerf
// aggregates a sweep. INVALID levels are in `failed_runs` and in nothing else; of a level that was
// visited again the latest visit counts.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_AIPERF_SWEEP_H_
#define TIDEMARK_COORDINATOR_REPORT_AIPERF_SWEEP_H_

#include <string>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

std::string AiperfSweepJson(const v1::Result& result);
std::string AiperfSweepCsv(const v1::Result& result);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_AIPERF_SWEEP_H_
