#ifndef TIDEMARK_COMMON_JOB_JOB_STATE_H_
#define TIDEMARK_COMMON_JOB_JOB_STATE_H_

#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// COMPLETED, FAILED or STOPPED: nothing more happens to it. Pure: thread-safe.
bool HasEnded(const v1::Job& job);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_JOB_JOB_STATE_H_
