// What the command makes of a result: files, result.json, the last screen.
#ifndef TIDEMARK_CLI_RESULT_OUTPUT_H_
#define TIDEMARK_CLI_RESULT_OUTPUT_H_

#include "cli/runner.h"
#include "cli/terminal.h"

namespace tidemark {

// The product's own writers. `terminal` is where the last screen goes.
ResultOutput FileResultOutput(const Terminal& terminal);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_RESULT_OUTPUT_H_
