// What is said before anything is sent.
#ifndef TIDEMARK_CLI_FIRST_SCREEN_H_
#define TIDEMARK_CLI_FIRST_SCREEN_H_

#include <string>

#include "cli/fd_limit.h"
#include "coordinator/core/job_spec/estimate.h"
#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

struct FirstScreenFacts {
  std::string version;
  bool simulator = false;   // the target is the built-in simulator
  int agents = 1;
  HostCapacity capacity;
  std::string cluster;      // instead of agents and capacity: those of a cluster, in words
  std::string capacity_note;  // why a selftest is not heeded; mostly empty
  JobEstimate estimate;
  std::string output_path;  // empty: none is made (--dry-run)
};

// Several lines, each ended. No secret is in it. Pure.
std::string RenderFirstScreen(const JobSpec& spec, const FirstScreenFacts& facts);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_FIRST_SCREEN_H_
