#include "coordinator/core/result/validity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tidemark {
namespace {

// Thresholds of docs/validity.md. A measure above (below, where less is worse) `suspect` is said; at
// `invalid` the level has no verdict.
struct Limits {
  double suspect;
  double invalid;
};
constexpr Limits kLoopLagMs{2, 10};
constexpr Limits kLoopCpu{0.85, 0.95};
constexpr Limits kInFlight{0.98, 0.95};
constexpr Limits kThrottled{0, 0.05};
constexpr Limits kLoopSilentMs{2'000, 2'000};
constexpr Limits kLittle{0.005, 0.005};
constexpr Limits kAddressBalance{0.67, 0};
constexpr double kEnoughOfAnAddress = 20;  // requests: fewer say nothing of its share
constexpr double kMicrosPerMilli = 1e3;

v1::Validity StateAbove(double value, Limits limits) {
  if (value > limits.invalid) return v1::VALIDITY_INVALID;
  return value > limits.suspect ? v1::SUSPECT : v1::VALID;
}

v1::Validity StateBelow(double value, Limits limits) {
  if (value < limits.invalid) return v1::VALIDITY_INVALID;
  return value < limits.suspect ? v1::SUSPECT : v1::VALID;
}

class Checks {
 public:
  explicit Checks(const AgentPart& part) : part_(part) {}

  std::vector<v1::ValidityCheck> All() {
    LoopLag();
    LoopCpu();
    Throttled();
    LoopSilent();
    for (const WindowFacts& window : part_.snapshot.windows) {
      if (window.slots > 0 && window.has_window && window.width_ns > 0) Window(window);
    }
    return std::move(checks_);
  }

 private:
  void Add(absl::string_view measure, double value, Limits limits, v1::Validity state, std::string advice) {
    v1::ValidityCheck check;
    check.set_measure(std::string(measure));
    check.set_agent(part_.agent);
    check.set_value(value);
    check.set_suspect_at(limits.suspect);
    check.set_invalid_at(limits.invalid);
    check.set_state(state);
    if (state != v1::VALID) check.set_advice(std::move(advice));
    checks_.push_back(std::move(check));
  }

  void LoopLag() {
    const double lag = part_.snapshot.self_check.loop_lag_us.Quantile(0.99) / kMicrosPerMilli;
    Add("loop_lag_p99_ms", lag, kLoopLagMs, StateAbove(lag, kLoopLagMs),
        absl::StrFormat("%s woke %.1f ms late at p99, so its times are that far off: give it a core of its "
                        "own, add an agent, or ask for less concurrency",
                        part_.agent, lag));
  }

  void LoopCpu() {
    const SelfCheckFacts& self = part_.snapshot.self_check;
    const double share = self.wall_ns == 0 ? 0 : static_cast<double>(self.loop_cpu_ns) / self.wall_ns;
    Add("loop_cpu_fraction", share, kLoopCpu, StateAbove(share, kLoopCpu),
        absl::StrFormat("%s used %.0f %% of a core in one event loop: raise --loops, add an agent, or ask "
                        "for less concurrency",
                        part_.agent, share * 100));
  }

  void Throttled() {
    const SelfCheckFacts& self = part_.snapshot.self_check;
    const double share = self.wall_ns == 0 ? 0 : static_cast<double>(self.cgroup_throttled_ns) / self.wall_ns;
    Add("cgroup_throttled_fraction", share, kThrottled, StateAbove(share, kThrottled),
        absl::StrFormat("%s was throttled by its CPU limit for %.1f %% of the time: raise the limit or add an "
                        "agent",
                        part_.agent, share * 100));
  }

  void LoopSilent() {
    // The heartbeat looks at times only; the lag has each freeze while measuring.
    const double late = part_.snapshot.self_check.loop_lag_us.max() / kMicrosPerMilli;
    const double silent = std::max(static_cast<double>(part_.loop_silent_ms), late);
    Add("loop_silent_ms", silent, kLoopSilentMs, StateAbove(silent, kLoopSilentMs),
        absl::StrFormat("an event loop of %s did not turn for %.0f ms: its host was stopped or overloaded",
                        part_.agent, silent));
  }

  void Window(const WindowFacts& window) {
    if (window.measured_requests >= window.slots) InFlight(window);
    const double residual = LittleResidual(window);
    Add("little_residual", residual, kLittle, StateAbove(residual, kLittle),
        absl::StrFormat("the book-keeping of %s contradicts Little's law by %.2f %%: please report it",
                        part_.agent, residual * 100));
  }

  void InFlight(const WindowFacts& window) {
    // A slot that waits after a refused connection is not one that the generator could not serve.
    const double busy = static_cast<double>(window.in_flight_integral_ns) + window.backoff_ns;
    const double mean = busy / window.width_ns;
    const double share = mean / window.slots;
    Add("in_flight_fraction", share, kInFlight, StateBelow(share, kInFlight),
        absl::StrFormat("%s kept only %.1f of %d requests in flight: its slots waited for the generator; "
                        "add an agent or ask for less concurrency",
                        part_.agent, mean, window.slots));
  }

  const AgentPart& part_;
  std::vector<v1::ValidityCheck> checks_;
};

struct AddressShare {
  double expected = 0, actual = 0;  // requests
};

// Slots take an agent's addresses in turn: an address is owed what its slots' share of the requests is.
std::map<std::string, AddressShare> SharesOfAddresses(const LevelMeasurement& measurement) {
  std::map<std::string, AddressShare> shares;
  for (const AgentPart& part : measurement.parts) {
    if (part.share.slots == 0 || part.addresses.empty()) continue;
    uint64_t requests = 0;
    for (const auto& [address, facts] : part.facts.addresses) {
      shares[address].actual += static_cast<double>(facts.requests);
      requests += facts.requests;
    }
    const double of_a_slot = static_cast<double>(requests) / part.share.slots;
    for (uint32_t i = 0; i < part.share.slots; ++i) {
      shares[part.addresses[(part.share.first_slot + i) % part.addresses.size()]].expected += of_a_slot;
    }
  }
  return shares;
}

// The least served address's share of what it is owed, per that of the most served; nothing while an
// address has too few requests, or there is but one.
std::optional<double> AddressBalance(const LevelMeasurement& measurement) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  size_t addresses = 0;
  for (const auto& [address, share] : SharesOfAddresses(measurement)) {
    if (share.expected < kEnoughOfAnAddress) return std::nullopt;
    least = std::min(least, share.actual / share.expected);
    most = std::max(most, share.actual / share.expected);
    ++addresses;
  }
  if (addresses < 2 || most == 0) return std::nullopt;
  return least / most;
}

std::optional<v1::ValidityCheck> CheckAddresses(const LevelMeasurement& measurement) {
  const std::optional<double> balance = AddressBalance(measurement);
  if (!balance) return std::nullopt;
  v1::ValidityCheck check;
  check.set_measure("address_balance");
  check.set_value(*balance);
  check.set_suspect_at(kAddressBalance.suspect);
  check.set_invalid_at(kAddressBalance.invalid);
  check.set_state(StateBelow(*balance, kAddressBalance));
  if (check.state() != v1::VALID) {
    check.set_advice(absl::StrFormat(
        "the target's addresses got unequal shares of the requests (one %.0f %% of another's, per slot): one "
        "of them is slower or refuses",
        *balance * 100));
  }
  return check;
}

}  // namespace

double LittleResidual(const WindowFacts& window) {
  if (window.in_flight_integral_ns == 0) return 0;
  const double integral = static_cast<double>(window.in_flight_integral_ns);
  const double expected = static_cast<double>(window.ended_sojourn_ns) -
                          static_cast<double>(window.edge_age_start_ns) +
                          static_cast<double>(window.edge_age_end_ns);
  return std::fabs(integral - expected) / integral;
}

std::vector<v1::ValidityCheck> CheckValidity(const LevelMeasurement& measurement, size_t urls) {
  std::vector<v1::ValidityCheck> all;
  for (const AgentPart& part : measurement.parts) {
    if (part.share.slots == 0) continue;
    for (v1::ValidityCheck& check : Checks(part).All()) all.push_back(std::move(check));
  }
  if (std::optional<v1::ValidityCheck> check = CheckAddresses(measurement); check && urls == 1) {
    all.push_back(*std::move(check));
  }
  std::stable_sort(all.begin(), all.end(), [](const v1::ValidityCheck& a, const v1::ValidityCheck& b) {
    return a.state() > b.state();
  });
  return all;
}

v1::Validity WorstOf(const std::vector<v1::ValidityCheck>& checks) {
  v1::Validity worst = v1::VALID;
  for (const v1::ValidityCheck& check : checks) worst = std::max(worst, check.state());
  return worst;
}

std::vector<std::string> InvalidReasons(const std::vector<v1::ValidityCheck>& checks) {
  std::vector<std::string> reasons;
  for (const v1::ValidityCheck& check : checks) {
    if (check.state() == v1::VALIDITY_INVALID) reasons.push_back(check.advice());
  }
  return reasons;
}

}  // namespace tidemark
