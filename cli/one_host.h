// A job alone on this host: the real coordinator and the real agent in one process, over gRPC's
// in-process channel. There is one path, not two.
#ifndef TIDEMARK_CLI_ONE_HOST_H_
#define TIDEMARK_CLI_ONE_HOST_H_

#include <memory>
#include <string>

#include "cli/runner.h"
#include "common/clock/clock.h"

namespace tidemark {

// `clock` must outlive the runner. gRPC's threads start in Run.
std::unique_ptr<Runner> NewOneHostRunner(const std::string& version, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_ONE_HOST_H_
