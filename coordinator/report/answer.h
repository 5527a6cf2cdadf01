// The answer of a job in one sentence, and the exit code that says the same to a script.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_ANSWER_H_
#define TIDEMARK_COORDINATOR_REPORT_ANSWER_H_

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// From everything but `result.answer`. Names only a level that was measured and PASSed (or, without
// SLAs, the knee or the best one); when none passed it says so and names none.
v1::Answer AnswerFor(const v1::Result& result);

// result.answer, or AnswerFor where it is not filled in.
v1::Answer AnswerOf(const v1::Result& result);

// docs' exit codes: 0 every asked SLA met, 1 could not run or no success, 2 usage, 3 SLA met
// nowhere, 4 invalid, inconclusive or undecided, 130 interrupted (the caller that was stopped by
// SIGTERM says 143). `accept_undecided` makes an undecided answer 0.
int ExitCodeFor(const v1::Result& result, bool accept_undecided = false);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_ANSWER_H_
