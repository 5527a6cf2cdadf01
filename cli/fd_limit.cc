#include "cli/fd_limit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/local_address/local_ports.h"
#include "coordinator/core/splitter.h"

namespace tidemark {
namespace {

HostCapacity OfDescriptors(uint64_t limit) {
  HostCapacity capacity;
  capacity.requests = limit > kReservedDescriptors ? limit - kReservedDescriptors : 0;
  capacity.source = "open files";
  capacity.because =
      absl::StrCat("this process may open ", limit, " files and keeps ", kReservedDescriptors, " of them back");
  capacity.cure = "raise the hard limit (ulimit -Hn, LimitNOFILE= of the service) or lower the concurrency";
  return capacity;
}

HostCapacity OfPorts(const HostBounds& bounds) {
  HostCapacity capacity;
  const uint64_t all = uint64_t{bounds.ports} * std::max(1u, bounds.source_addresses);
  capacity.requests = PlannablePorts(bounds.ports) * uint64_t{std::max(1u, bounds.source_addresses)};
  capacity.source = "local ports";
  capacity.because = absl::StrCat("there are ", all, " local ports for one address of the target, of which a tenth is kept back");
  capacity.cure = "give more source addresses (--source-address) or lower the concurrency";
  return capacity;
}

HostCapacity OfSelftest(const SelftestRecord& record) {
  HostCapacity capacity;
  AgentInfo agent;
  agent.capacity = record.streams;
  agent.capacity_source = "selftest";
  capacity.requests = UsableCapacity(agent);
  capacity.source = absl::StrCat("70 % of the ", record.streams, " that the selftest of ", record.measured_at.substr(0, 10), " found");
  capacity.because = absl::StrCat("the selftest found that this host drives ", record.streams, " streams, of which 70 % are planned");
  capacity.cure = "lower the concurrency, or say what it carries with --capacity";
  return capacity;
}

HostCapacity OfUser(uint64_t stated) {
  return {stated, "--capacity", "--capacity says so", "raise --capacity or lower the concurrency"};
}

}  // namespace

HostCapacity CapacityOf(const HostBounds& bounds) {
  HostCapacity least = OfDescriptors(bounds.descriptors);
  const auto lower = [&least](HostCapacity other) {
    if (other.requests < least.requests) least = std::move(other);
  };
  if (bounds.ports > 0) lower(OfPorts(bounds));
  if (bounds.stated > 0) {
    lower(OfUser(bounds.stated));
  } else if (bounds.selftest) {
    lower(OfSelftest(*bounds.selftest));
  }
  return least;
}

}  // namespace tidemark
