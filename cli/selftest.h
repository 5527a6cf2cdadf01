// `tidemark selftest`: what this host can drive, against an endpoint of its own.
#ifndef TIDEMARK_CLI_SELFTEST_H_
#define TIDEMARK_CLI_SELFTEST_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/session/selftest_record.h"
#include "cli/selftest_search.h"
#include "cli/selftest_trial.h"
#include "common/clock/clock.h"

namespace tidemark {

// The world around the command; tests give their own. All must outlive RunSelftest.
struct SelftestWorld {
  std::ostream* out = nullptr;  // the answer
  std::ostream* err = nullptr;  // progress
  const Clock* clock = nullptr;
  std::vector<std::string> environment;  // "K=V"
  SelftestKey key;                       // of this host, read before the endpoint takes a core
  uint32_t most_streams = 0;             // by descriptors and ports
  // Starts the null endpoint and an engine of so many loops (0: the engine's rule), and returns what measures one
  // level there, for as long as it is kept.
  using Trial = std::function<absl::StatusOr<SelftestTrial>(const TrialPlan&)>;
  std::function<absl::StatusOr<Trial>(const NullSchedule&, uint32_t loops)> start;
};

// `arguments` are those after "selftest". Returns the exit code: 1 when this host could not be measured, or drives
// nothing.
int RunSelftest(const SelftestWorld& world, const std::vector<std::string>& arguments);

// The real endpoint (tidemark-sim --null as a child process) and engine.
absl::StatusOr<SelftestWorld::Trial> StartNullEndpoint(const std::string& simulator_program, const NullSchedule& schedule,
                                                       uint32_t loops, const Clock& clock);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SELFTEST_H_
