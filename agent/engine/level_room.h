#ifndef TIDEMARK_AGENT_ENGINE_LEVEL_ROOM_H_
#define TIDEMARK_AGENT_ENGINE_LEVEL_ROOM_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "agent/http/transport.h"
#include "common/local_address/source_address.h"

// Whether a level's connections fit into this process and host, looked at before any is made. Pure but for
// ReadRoom; thread-safe.
namespace tidemark {

struct LevelRoom {
  uint64_t descriptors = 0;  // for connections; 0: not known
  uint32_t ports = 0;        // for connections of one source address to one address; 0: not known
};

// Of this process and host.
LevelRoom ReadRoom();

// Ports for connections to one address, over all sources that can reach the target's family; 0: not known.
uint64_t PortsToOneAddress(const std::vector<TransportTarget>& targets, const std::vector<SourceAddress>& sources,
                           const LevelRoom& room);

// InvalidArgument names an address of a family that none of the sources (if there are any) has.
absl::Status CheckFamilies(const std::vector<TransportTarget>& targets, const std::vector<SourceAddress>& sources);

// Slots are spread over targets and their addresses in turn. ResourceExhausted: too few descriptors, or ports to one address, and how many agents more it takes.
absl::Status CheckRoom(uint32_t slots, const std::vector<TransportTarget>& targets,
                       const std::vector<SourceAddress>& sources, const LevelRoom& room);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_LEVEL_ROOM_H_
