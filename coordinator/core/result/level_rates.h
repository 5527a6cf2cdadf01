#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RATES_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RATES_H_

#include <optional>
#include <vector>

#include "common/measurement/facts.h"

namespace tidemark {

// The level metrics that come from windows (docs/metrics.md): sums over windows of count / width,
// never a total over a common width.
struct LevelRates {
  double request_throughput = 0;       // successes/s
  double output_token_throughput = 0;  // tokens/s
  double total_token_throughput = 0;   // tokens/s
  double goodput = 0;                  // good requests/s
  double effective_concurrency = 0;    // requests
  double little_residual = 0;          // the largest of any window
  double benchmark_duration_s = 0;     // the widest window
};

// Nothing when a window with slots has no T1 or measured no request: then there is no rate.
std::optional<LevelRates> RatesOf(const std::vector<WindowFacts>& windows);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_LEVEL_RATES_H_
