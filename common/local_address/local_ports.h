#ifndef TIDEMARK_COMMON_LOCAL_ADDRESS_LOCAL_PORTS_H_
#define TIDEMARK_COMMON_LOCAL_ADDRESS_LOCAL_PORTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tidemark {

// How many connections at once one address of this host may have to one address and port of another
// (net.ipv4.ip_local_port_range, which holds for IPv6 too); 0 when there is no telling.
uint32_t LocalPorts();

// How many ports "32768\t60999" is; 0 when malformed.
uint32_t ParsePortRange(absl::string_view text);

// Of `ports` those that may be planned for: other programs need some, and a port that was closed rests for a minute.
inline uint32_t PlannablePorts(uint32_t ports) { return ports - ports / 10; }

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_LOCAL_ADDRESS_LOCAL_PORTS_H_
