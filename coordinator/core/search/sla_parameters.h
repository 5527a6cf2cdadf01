// From a job's SLA parameters to the list of SLAs that every level is judged by.
//
// Plain values and a pure function: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_PARAMETERS_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_PARAMETERS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {

// The error rate that fails a level of a search that states none.
inline constexpr double kImpliedErrorRateLimit = 0.01;

struct SlaParameters {
  std::optional<double> ttft_sla_ms;
  std::optional<double> tpot_sla_ms;
  std::optional<double> e2e_sla_ms;
  std::optional<double> error_rate_sla;    // a fraction
  std::optional<std::string> search_stat;  // avg, p50, p90, p95 or p99; of the three latencies
  std::vector<std::string> slas;           // tag:stat:op:threshold each
  bool streaming = true;
  bool is_search = false;  // then the implied error rate joins, unless one is given
};

// The SLAs in a fixed order: ttft, tpot, e2e, error rate, the general ones, the implied one.
// Without search_stat ttft and tpot are judged at p95, e2e at p99. Error: InvalidArgument naming
// the parameter, its value and what would be right.
absl::StatusOr<std::vector<Sla>> BuildSlas(const SlaParameters& parameters,
                                           absl::Span<const SlaMetric> known);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_SLA_PARAMETERS_H_
