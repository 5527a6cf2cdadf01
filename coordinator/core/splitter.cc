#include "coordinator/core/splitter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

// Of an agent's capacity by its selftest, for that was measured with nothing else to do.
constexpr double kSelftestShare = 0.7;

// Hands out `left` more, one each, by the largest remainder; ties to the first.
template <typename Count, typename Remainder>
void HandOut(uint64_t left, const std::vector<size_t>& takers,
             const std::vector<Remainder>& remainders, std::vector<Count>& counts) {
  std::vector<size_t> order = takers;
  std::stable_sort(order.begin(), order.end(), [&remainders](size_t a, size_t b) {
    return remainders[a] > remainders[b];
  });
  for (size_t i = 0; i < left && i < order.size(); ++i) ++counts[order[i]];
}

// Gives agents whose part by weight reaches their capacity exactly that, and takes them from `open`;
// what they cannot carry falls to the others, so it is asked again until none is capped anew.
uint64_t FixCapped(absl::Span<const AgentInfo> agents, uint64_t concurrency,
                   std::vector<size_t>& open, std::vector<uint32_t>& slots) {
  uint64_t left = concurrency;
  while (!open.empty()) {
    double weight = 0;
    for (size_t i : open) weight += agents[i].weight;
    const double a_weight = static_cast<double>(left) / weight;
    const auto capped = std::stable_partition(open.begin(), open.end(), [&](size_t i) {
      return a_weight * agents[i].weight < static_cast<double>(UsableCapacity(agents[i]));
    });
    if (capped == open.end()) break;
    for (auto it = capped; it != open.end(); ++it) {
      slots[*it] = UsableCapacity(agents[*it]);
      left -= slots[*it];
    }
    open.erase(capped, open.end());
  }
  return left;
}

std::vector<uint32_t> SplitSlots(absl::Span<const AgentInfo> agents, uint64_t concurrency) {
  std::vector<uint32_t> slots(agents.size(), 0);
  std::vector<size_t> open(agents.size());
  std::iota(open.begin(), open.end(), 0);
  const uint64_t left = FixCapped(agents, concurrency, open, slots);
  double weight = 0;
  for (size_t i : open) weight += agents[i].weight;
  std::vector<double> remainders(agents.size(), 0);
  uint64_t given = 0;
  for (size_t i : open) {
    const double part = static_cast<double>(left) / weight * agents[i].weight;
    slots[i] = static_cast<uint32_t>(part);
    remainders[i] = part - slots[i];
    given += slots[i];
  }
  HandOut(left - given, open, remainders, slots);
  return slots;
}

// Every agent with slots has a request when there are that many: one of the richest's.
void GiveEachOne(const std::vector<size_t>& with_slots, std::vector<uint64_t>& requests) {
  for (size_t i : with_slots) {
    if (requests[i] > 0) continue;
    const auto richest = std::max_element(requests.begin(), requests.end());
    if (*richest < 2) return;
    --*richest;
    requests[i] = 1;
  }
}

std::vector<uint64_t> SplitRequests(const std::vector<uint32_t>& slots, uint64_t concurrency,
                                    uint64_t request_count) {
  std::vector<uint64_t> requests(slots.size(), 0);
  std::vector<uint64_t> remainders(slots.size(), 0);
  std::vector<size_t> with_slots;
  uint64_t given = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == 0) continue;
    with_slots.push_back(i);
    const unsigned __int128 product = static_cast<unsigned __int128>(request_count) * slots[i];
    requests[i] = static_cast<uint64_t>(product / concurrency);
    remainders[i] = static_cast<uint64_t>(product % concurrency);
    given += requests[i];
  }
  HandOut(request_count - given, with_slots, remainders, requests);
  GiveEachOne(with_slots, requests);
  return requests;
}

std::string Plural(uint64_t n, absl::string_view what) {
  return absl::StrCat(n, " ", what, n == 1 ? "" : "s");
}

}  // namespace

uint32_t UsableCapacity(const AgentInfo& agent) {
  if (agent.capacity_source != "selftest") return agent.capacity;
  return std::max(1u, static_cast<uint32_t>(std::floor(agent.capacity * kSelftestShare)));
}

uint64_t TotalCapacity(absl::Span<const AgentInfo> agents) {
  uint64_t total = 0;
  for (const AgentInfo& agent : agents) total += UsableCapacity(agent);
  return total;
}

absl::Status CheckCapacity(absl::Span<const AgentInfo> agents, uint64_t concurrency) {
  const uint64_t total = TotalCapacity(agents);
  if (concurrency <= total) return absl::OkStatus();
  if (agents.empty()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("concurrency ", concurrency, " has no agent to run on: needs at least 1 agent"));
  }
  uint32_t each = 1;  // none may carry any
  bool ports = false;  // are what bounds the one that carries most
  for (const AgentInfo& agent : agents) {
    if (UsableCapacity(agent) < each) continue;
    each = UsableCapacity(agent);
    ports = agent.capacity_source == "ports";
  }
  const uint64_t more = (concurrency - total + each - 1) / each;
  return absl::ResourceExhaustedError(absl::StrCat(
      "concurrency ", concurrency, " is more than the ", total, " that ",
      Plural(agents.size(), "agent"), agents.size() == 1 ? " carries" : " carry", ": needs ",
      Plural(more, "more agent"), " of ", each, " each",
      ports ? ", more local ports for each (tidemark-agent --source-address)" : "", ", or a lower concurrency"));
}

absl::StatusOr<std::vector<AgentShare>> SplitLevel(absl::Span<const AgentInfo> agents,
                                                   uint32_t concurrency, uint64_t request_count) {
  if (absl::Status s = CheckCapacity(agents, concurrency); !s.ok()) return s;
  const std::vector<uint32_t> slots = SplitSlots(agents, concurrency);
  const std::vector<uint64_t> requests = SplitRequests(slots, concurrency, request_count);
  std::vector<AgentShare> shares;
  Share next;
  for (size_t i = 0; i < agents.size(); ++i) {
    next.slots = slots[i];
    next.requests = requests[i];
    shares.push_back({agents[i].id, next});
    next.first_slot += slots[i];
    next.first_request += requests[i];
  }
  return shares;
}

}  // namespace tidemark
