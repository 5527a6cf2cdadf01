#include "agent/engine/level_room.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/local_address/local_ports.h"

namespace tidemark {
namespace {

constexpr uint64_t kDescriptorsKept = 128;  // for all that is no connection

int FamilyOf(const std::string& address) { return absl::StartsWith(address, "[") ? AF_INET6 : AF_INET; }

uint64_t PortsTo(const std::string& address, const std::vector<SourceAddress>& sources, const LevelRoom& room) {
  const size_t ways = sources.empty() ? 1 : SourcesOfFamily(sources, FamilyOf(address));
  return uint64_t{room.ports} * ways;
}

uint64_t UpTo(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }

// As many agents as this one over it.
std::string MoreAgents(uint64_t wanted, uint64_t there) {
  const uint64_t more = UpTo(wanted, std::max<uint64_t>(1, there)) - 1;
  return absl::StrCat("needs ", more, " more agent", more == 1 ? "" : "s");
}

// Connections to each address, at most.
std::map<std::string, uint64_t> ConnectionsTo(uint32_t slots, const std::vector<TransportTarget>& targets) {
  std::map<std::string, uint64_t> connections;
  for (const TransportTarget& target : targets) {
    const uint64_t each = UpTo(slots, targets.size() * target.addresses.size());
    for (const std::string& address : target.addresses) connections[address] += each;
  }
  return connections;
}

}  // namespace

absl::Status CheckFamilies(const std::vector<TransportTarget>& targets, const std::vector<SourceAddress>& sources) {
  if (sources.empty()) return absl::OkStatus();
  for (const TransportTarget& target : targets) {
    for (const std::string& address : target.addresses) {
      if (SourcesOfFamily(sources, FamilyOf(address)) > 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("source_address: none of them reaches ", address, ": give one that is ",
                       FamilyOf(address) == AF_INET6 ? "IPv6" : "IPv4", " too, or none"));
    }
  }
  return absl::OkStatus();
}

LevelRoom ReadRoom() {
  LevelRoom room;
  // What is open now may be the level's before, which is being closed.
  const uint64_t limit = DescriptorLimit();
  if (limit > 0) room.descriptors = limit > kDescriptorsKept ? limit - kDescriptorsKept : 1;
  room.ports = LocalPorts();
  return room;
}

uint64_t PortsToOneAddress(const std::vector<TransportTarget>& targets, const std::vector<SourceAddress>& sources,
                           const LevelRoom& room) {
  uint64_t least = UINT64_MAX;
  for (const TransportTarget& target : targets) {
    for (const std::string& address : target.addresses) least = std::min(least, PortsTo(address, sources, room));
  }
  return least == UINT64_MAX ? 0 : least;
}

absl::Status CheckRoom(uint32_t slots, const std::vector<TransportTarget>& targets,
                       const std::vector<SourceAddress>& sources, const LevelRoom& room) {
  if (room.descriptors > 0 && slots > room.descriptors) {
    return absl::ResourceExhaustedError(
        absl::StrCat(slots, " concurrent requests are more than the ", room.descriptors,
                     " file descriptors there are for them: ", MoreAgents(slots, room.descriptors),
                     ", or a higher hard limit (ulimit -Hn, LimitNOFILE=)"));
  }
  for (const auto& [address, wanted] : ConnectionsTo(slots, targets)) {
    const uint64_t ports = PortsTo(address, sources, room);
    if (ports == 0 || wanted <= ports) continue;
    return absl::ResourceExhaustedError(absl::StrCat(
        slots, " concurrent requests need ", wanted, " local ports to ", address, ", and there are ", ports, ": ",
        MoreAgents(wanted, ports), ", ", UpTo(wanted, room.ports),
        " source addresses (--source-address), or a wider net.ipv4.ip_local_port_range"));
  }
  return absl::OkStatus();
}

}  // namespace tidemark
