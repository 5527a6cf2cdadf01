// How many files (and so connections) this process may have open.
#ifndef TIDEMARK_CLI_FD_LIMIT_H_
#define TIDEMARK_CLI_FD_LIMIT_H_

#include <cstdint>
#include <string>

namespace tidemark {

// Descriptors kept back from connections: logs, results, records, epoll, gRPC.
inline constexpr uint64_t kReservedDescriptors = 256;

struct HostCapacity {
  uint64_t requests = 0;  // concurrent
  std::string source;     // "open files" or "--capacity"
  std::string because;    // a clause: what bounds it, with the numbers
  std::string cure;       // a clause: how to raise it
};

// From the limit and what the user stated; 0 requests when even the reserve does not fit.
HostCapacity CapacityOf(uint64_t descriptor_limit, uint64_t stated_capacity);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_FD_LIMIT_H_
