#include "agent/engine/share_split.h"

#include <algorithm>
#include <numeric>

namespace tidemark {
namespace {

constexpr uint32_t kSlotsALoop = 2'000;

// `total` over `weights` by largest remainder; of equal remainders the first gets it.
std::vector<uint64_t> LargestRemainder(uint64_t total, const std::vector<uint32_t>& weights) {
  const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  std::vector<uint64_t> parts, remainders;
  uint64_t given = 0;
  for (const uint32_t weight : weights) {
    const unsigned __int128 exact = static_cast<unsigned __int128>(total) * weight;
    parts.push_back(static_cast<uint64_t>(exact / sum));
    remainders.push_back(static_cast<uint64_t>(exact % sum));
    given += parts.back();
  }
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (size_t i = 0; given < total; ++i, ++given) ++parts[order[i]];
  return parts;
}

}  // namespace

uint32_t LoopCount(const Share& share, uint32_t asked, uint32_t cores) {
  const uint32_t wanted =
      asked > 0 ? asked
                : std::min(std::max(1u, cores), (share.slots + kSlotsALoop - 1) / kSlotsALoop);
  const uint64_t requests = std::max<uint64_t>(1, share.requests);
  return static_cast<uint32_t>(std::min<uint64_t>({wanted, share.slots, requests}));
}

std::vector<Share> SplitShare(const Share& share, uint32_t loops) {
  std::vector<uint32_t> slots;
  for (uint32_t i = 0; i < loops; ++i)
    slots.push_back(share.slots / loops + (i < share.slots % loops));
  const uint64_t floor = share.requests >= loops ? 1 : 0;
  const std::vector<uint64_t> requests = LargestRemainder(share.requests - floor * loops, slots);
  std::vector<Share> parts;
  Share next{0, share.first_slot, 0, share.first_request};
  for (uint32_t i = 0; i < loops; ++i) {
    next.slots = slots[i];
    next.requests = requests[i] + floor;
    parts.push_back(next);
    next.first_slot += next.slots;
    next.first_request += next.requests;
  }
  return parts;
}

}  // namespace tidemark
