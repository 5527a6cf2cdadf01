#include "coordinator/core/result/validity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "coordinator/core/result/agent_validity.h"
#include "coordinator/core/result/validity_limits.h"

namespace tidemark {
namespace {

constexpr ValidityLimits kAddressBalance{0.67, 0};
constexpr double kEnoughOfAnAddress = 20;  // requests: fewer say nothing of its share

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

constexpr double kBusyLoop = 0.7;  // of a core

// Whether this measure says that it was the agent's own load that it could not carry. A host that others keep
// busy makes an agent late too, but less load does not cure that.
bool TellsOfLoad(const v1::ValidityCheck& check) {
  if (check.measure() == "loop_cpu_fraction") return check.value() > kBusyLoop;
  if (check.measure() == "cgroup_throttled_fraction") return check.state() != v1::VALID;
  const bool of_limits = check.measure() == "descriptors_left" || check.measure() == "ports_fraction";
  return of_limits && check.state() == v1::VALIDITY_INVALID;
}

bool HadTooMuch(const AgentPart& part, const std::vector<v1::ValidityCheck>& checks) {
  bool invalid = false, loaded = false;
  for (const v1::ValidityCheck& check : checks) {
    if (check.agent() != part.agent) continue;
    invalid = invalid || check.state() == v1::VALIDITY_INVALID;
    loaded = loaded || TellsOfLoad(check);
  }
  return invalid && loaded;
}

}  // namespace

std::vector<v1::ValidityCheck> CheckValidity(const LevelMeasurement& measurement, size_t urls) {
  std::vector<v1::ValidityCheck> all;
  for (const AgentPart& part : measurement.parts) {
    if (part.share.slots == 0) continue;
    for (v1::ValidityCheck& check : CheckAgent(part)) all.push_back(std::move(check));
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

std::vector<AgentLoad> LoadsOf(const LevelMeasurement& measurement, const std::vector<v1::ValidityCheck>& checks) {
  std::vector<AgentLoad> loads;
  for (const AgentPart& part : measurement.parts) {
    if (part.share.slots == 0) continue;
    loads.push_back({part.agent, part.share.slots, HadTooMuch(part, checks) ? CarriedSlots(part) : part.share.slots});
  }
  return loads;
}

std::vector<std::string> InvalidReasons(const std::vector<v1::ValidityCheck>& checks) {
  std::vector<std::string> reasons;
  std::set<std::string> cured;  // agents
  for (const v1::ValidityCheck& check : checks) {
    if (check.state() != v1::VALIDITY_INVALID) continue;
    const std::string& advice = check.advice();
    reasons.push_back(cured.insert(check.agent()).second ? advice : advice.substr(0, advice.find(": ")));
  }
  return reasons;
}

}  // namespace tidemark
