#include "cli/fd_limit.h"

#include "absl/strings/str_cat.h"

namespace tidemark {

HostCapacity CapacityOf(uint64_t descriptor_limit, uint64_t stated_capacity) {
  HostCapacity capacity;
  capacity.requests =
      descriptor_limit > kReservedDescriptors ? descriptor_limit - kReservedDescriptors : 0;
  capacity.source = "open files";
  capacity.because = absl::StrCat("this process may open ", descriptor_limit, " files and keeps ",
                                  kReservedDescriptors, " of them back");
  capacity.cure = "raise the hard limit (ulimit -Hn, LimitNOFILE= of the service) or lower the concurrency";
  if (stated_capacity > 0 && stated_capacity < capacity.requests) {
    capacity.requests = stated_capacity;
    capacity.source = "--capacity";
    capacity.because = "--capacity says so";
    capacity.cure = "raise --capacity or lower the concurrency";
  }
  return capacity;
}

}  // namespace tidemark
