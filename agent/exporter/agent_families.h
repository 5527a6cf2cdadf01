#ifndef TIDEMARK_AGENT_EXPORTER_AGENT_FAMILIES_H_
#define TIDEMARK_AGENT_EXPORTER_AGENT_FAMILIES_H_

#include <cstddef>

#include "absl/types/span.h"
#include "common/exposition/metric_page.h"

namespace tidemark {

// What an agent exports, in the order of docs/prometheus.md.
enum class AgentFamily : size_t {
  kBuildInfo,
  kConnected,
  kLeaseRemaining,
  kReconnects,
  kStaleMessages,
  kCapacity,
  kLevelInfo,
  kSlots,
  kInFlight,
  kSent,
  kEnded,
  kLoopSilence,
  kLoopLag,
  kLoopCpu,
  kThrottled,
  kThrottledPeriods,
  kPeriods,
  kSpoolBytes,
  kSpoolLimit,
  kRecordsLost,
  kProcessCpu,
  kProcessMemory,
  kOpenDescriptors,
  kDescriptorLimit,
};

absl::Span<const MetricFamily> AgentFamilies();

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_EXPORTER_AGENT_FAMILIES_H_
