// How many requests this host may have in flight: as asked, as its selftest found, or as its limits allow.
#ifndef TIDEMARK_CLI_FD_LIMIT_H_
#define TIDEMARK_CLI_FD_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "agent/session/selftest_record.h"

namespace tidemark {

// Descriptors kept back from connections: logs, results, records, epoll, gRPC.
inline constexpr uint64_t kReservedDescriptors = 256;

// What bounds the requests of a host.
struct HostBounds {
  uint64_t descriptors = 0;       // that this process may open
  uint32_t ports = 0;             // of connections from one address to one; 0: not known
  uint32_t source_addresses = 1;  // that they come from
  uint64_t stated = 0;            // --capacity; 0: not said
  std::optional<SelftestRecord> selftest;
};

struct HostCapacity {
  uint64_t requests = 0;  // concurrent
  std::string source;     // "open files", "local ports", "--capacity", or of the selftest, in words
  std::string because;    // a clause: what bounds it, with the numbers
  std::string cure;       // a clause: how to raise it
};

// What the user stated, else 70 % of a selftest's, else what descriptors and nine in ten of the ports allow; more
// than these never. 0 requests when even the reserve does not fit.
HostCapacity CapacityOf(const HostBounds& bounds);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_FD_LIMIT_H_
