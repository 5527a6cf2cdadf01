// From the layers of settings to a validated job: defaults filled in, contradictions refused.
//
// Pure functions: thread-safe. Errors are InvalidArgument naming the setting, its value and what
// would be right ("not supported yet" for what is known but of a later version); no secret is in them.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_RESOLVE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_RESOLVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {

// Which cluster runs the job, as the user said it; empty: not said.
struct ClusterSettings {
  std::string coordinator;
  std::string context;
  std::optional<bool> plaintext;
  std::string tls_cert, tls_key, tls_ca;
  std::string token_file;

  // On a cluster, not on this host.
  bool wanted() const { return !coordinator.empty() || !context.empty(); }
};

// What the command does with the job; no part of what is measured.
struct CommandSettings {
  std::string output_dir;  // empty: the default folder
  bool overwrite = false;
  bool dry_run = false;
  bool json = false;
  std::string log_level = "warning";
  bool log_json = false;
  std::optional<uint32_t> capacity;  // concurrent requests of this host
  uint32_t loops = 0;                // 0: by cores and concurrency
  std::vector<std::string> source_addresses;  // of this host, as given; empty: the system chooses
  std::string http;                  // HOST:PORT of /metrics; empty: none
  std::string api_key;               // a secret: never shown or recorded
  ClusterSettings cluster;
};

struct ResolvedJob {
  JobSpec spec;  // spec.endpoint.urls is empty when none was given: the built-in simulator
  CommandSettings command;
};

// `layers` from the one that wins to the one that loses: flags, environment, --config, -f.
absl::StatusOr<ResolvedJob> Resolve(const std::vector<Settings>& layers);

// Refuses concurrency beyond what can be driven: `capacity` requests, `because` (one clause, e.g.
// "the limit of open files is 1024, of which 256 are kept back"), `cure` (one clause). A search whose
// concurrency_max was not given is lowered instead, with a note.
absl::Status ApplyCapacity(uint64_t capacity, absl::string_view because, absl::string_view cure,
                           JobSpec& spec);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_RESOLVE_H_
