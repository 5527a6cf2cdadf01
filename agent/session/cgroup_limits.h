#ifndef TIDEMARK_AGENT_SESSION_CGROUP_LIMITS_H_
#define TIDEMARK_AGENT_SESSION_CGROUP_LIMITS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// What the process's control groups (a container's limits) leave it.
struct CgroupLimits {
  double cpu = 0;             // cores of the quota; 0: none
  uint64_t memory_bytes = 0;  // 0: none
  friend bool operator==(const CgroupLimits&, const CgroupLimits&) = default;
};

// The text of a file; nothing when it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// Reads the limits of the process's groups and of all above them, versions 1 and 2: the tightest
// holds. Files are asked for by their usual paths (/proc/self/cgroup, /sys/fs/cgroup/…); what is
// not there is no limit.
CgroupLimits ReadCgroupLimits(const FileReader& read);

// Cores of a version 2 "cpu.max" ("200000 100000" is 2); 0 for "max" and for what is malformed.
double ParseCpuMax(absl::string_view text);

// Bytes of a "memory.max" or "memory.limit_in_bytes"; 0 for "max", and for version 1's way to say
// none.
uint64_t ParseMemoryLimit(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_CGROUP_LIMITS_H_
