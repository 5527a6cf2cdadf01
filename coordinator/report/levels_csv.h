#ifndef TIDEMARK_COORDINATOR_REPORT_LEVELS_CSV_H_
#define TIDEMARK_COORDINATOR_REPORT_LEVELS_CSV_H_

#include <string>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// levels.csv: one row a visit of a level, in the order of the visits; all level figures and the
// main percentiles, as exact as they are in result.json. An empty cell: the figure cannot be had.
// Times in ms. Pure: thread-safe.
std::string LevelsCsv(const v1::Result& result);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_LEVELS_CSV_H_
