#ifndef TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_FAMILIES_H_
#define TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_FAMILIES_H_

#include <cstddef>

#include "absl/types/span.h"
#include "common/exposition/metric_page.h"

namespace tidemark {

// What the coordinator exports, in the order of docs/prometheus.md.
enum class CoordinatorFamily : size_t {
  kBuildInfo,
  kJobs,
  kJobsEnded,
  kAgents,
  kCapacity,
  kAgentsLost,
  kAttemptsVoid,
  kStaleMessages,
  kHellosRefused,
  kJobInfo,
  kLevelIndex,
  kLevelPhase,
  kTargetConcurrency,
  kInFlight,
  kLevelPlanned,
  kRequests,
  kFailures,
  kOutputTokens,
  kInputTokens,
  kSentOutputTokens,
  kSentInputTokens,
  kTimeToFirstToken,
  kInterTokenLatency,
  kRequestLatency,
  kVerdict,
};

absl::Span<const MetricFamily> CoordinatorFamilies();

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_EXPORTER_COORDINATOR_FAMILIES_H_
