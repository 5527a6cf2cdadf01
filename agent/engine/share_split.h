#ifndef TIDEMARK_AGENT_ENGINE_SHARE_SPLIT_H_
#define TIDEMARK_AGENT_ENGINE_SHARE_SPLIT_H_

#include <cstdint>
#include <vector>

#include "common/job/level_task.h"

namespace tidemark {

// How many event loops carry `share`: `asked`, or with 0 one for each 2,000 slots and at most
// `cores`; never more than slots, or than measured requests (each loop's window needs one). 0
// without slots.
uint32_t LoopCount(const Share& share, uint32_t asked, uint32_t cores);

// Splits over `loops` loops: slots differ by at most 1; requests by largest remainder over the
// slots, each loop at least one where there are enough. Both sum exactly, ranges follow each other.
std::vector<Share> SplitShare(const Share& share, uint32_t loops);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_SHARE_SPLIT_H_
