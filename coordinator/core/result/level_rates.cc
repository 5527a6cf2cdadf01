#include "coordinator/core/result/level_rates.h"

#include <algorithm>

#include "common/clock/clock.h"
#include "coordinator/core/result/agent_validity.h"

namespace tidemark {
namespace {

constexpr double kMilli = 1e-3;

bool Usable(const WindowFacts& window) {
  return window.has_window && window.width_ns > 0 && window.measured_requests > 0;
}

void Add(const WindowFacts& window, LevelRates& rates) {
  const double seconds = static_cast<double>(window.width_ns) / kNanosPerSecond;
  const double output = static_cast<double>(window.output_millitokens) * kMilli;
  const double input = static_cast<double>(window.input_millitokens) * kMilli;
  rates.request_throughput += static_cast<double>(window.successes) / seconds;
  rates.output_token_throughput += output / seconds;
  rates.total_token_throughput += (output + input) / seconds;
  rates.goodput += static_cast<double>(window.good_requests) / seconds;
  rates.effective_concurrency +=
      static_cast<double>(window.in_flight_integral_ns) / static_cast<double>(window.width_ns);
  rates.little_residual = std::max(rates.little_residual, LittleResidual(window));
  rates.benchmark_duration_s = std::max(rates.benchmark_duration_s, seconds);
}

}  // namespace

std::optional<LevelRates> RatesOf(const std::vector<WindowFacts>& windows) {
  LevelRates rates;
  bool any = false;
  for (const WindowFacts& window : windows) {
    if (window.slots == 0) continue;
    if (!Usable(window)) return std::nullopt;
    Add(window, rates);
    any = true;
  }
  if (!any) return std::nullopt;
  return rates;
}

}  // namespace tidemark
