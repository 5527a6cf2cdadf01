#ifndef TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_PROGRAM_H_
#define TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_PROGRAM_H_

#include "absl/status/statusor.h"
#include "common/clock/clock.h"
#include "common/daemon/termination.h"
#include "coordinator/program/coordinator_settings.h"

namespace tidemark {

// Runs the coordinator until `termination` ends, and returns the exit code: then no call is taken any more, and a job
// that runs stays in the store, where the next start finds it. Errors are of the start: InvalidArgument for settings
// that are wrong, others for what the host does not give. `clock` outlives it.
absl::StatusOr<int> RunCoordinator(const CoordinatorSettings& settings, Termination* termination, const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_PROGRAM_COORDINATOR_PROGRAM_H_
