// What the built-in simulator's capacity law says of a job, beside what was measured.
#ifndef TIDEMARK_CLI_LAW_STATEMENT_H_
#define TIDEMARK_CLI_LAW_STATEMENT_H_

#include "coordinator/core/job_spec/job_spec.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Fills `law` (a prediction for each measured level) and `law_statement`. The simulator is taken to run
// with its defaults. Pure.
void AddLawStatement(const JobSpec& spec, v1::Result* result);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_LAW_STATEMENT_H_
