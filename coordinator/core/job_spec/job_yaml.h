// A resolved job as text: what result.json keeps and --dry-run shows.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_YAML_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_YAML_H_

#include <string>

#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

// A job file with every default written out; reading it gives the same job again. Values of secret
// headers are left out (a comment names them).
std::string ToYaml(const JobSpec& spec);

// ToYaml's text as one line of JSON, without the comments.
std::string ToJobJson(const JobSpec& spec);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_JOB_YAML_H_
