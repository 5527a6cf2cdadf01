#ifndef TIDEMARK_AGENT_SESSION_HOST_FACTS_H_
#define TIDEMARK_AGENT_SESSION_HOST_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/session/cgroup_limits.h"
#include "agent/session/selftest_record.h"
#include "proto/tidemark/v1/agent_session.pb.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct HelloOptions {
  std::string agent_id;  // empty: the pod's or host's name
  uint32_t capacity = 0;  // concurrent streams this agent carries, as asked; 0: by its selftest, else by its limits
  uint32_t source_addresses = 1;  // that its connections come from
  std::optional<SelftestRecord> selftest = std::nullopt;  // one that holds
};

// What this host gives the agent.
struct HostLimits {
  uint32_t cores = 1;  // the process may run on
  CgroupLimits cgroup;
  uint64_t descriptors = 0;
  uint32_t ports = 0;  // of outgoing connections from one address to one
};

// Reads the machine. Call RaiseDescriptorLimit (common/descriptors) first.
HostLimits ReadHostLimits();

// Hello with a new random incarnation: one a process. Pod, node and zone come from
// TIDEMARK_POD_NAME, TIDEMARK_NODE_NAME and TIDEMARK_ZONE. Warns in the log of an asked capacity
// above 1,000 a core.
v1::Hello BuildHello(const HelloOptions& options);

// What this process runs on and measures with, for the result.
v1::Environment DescribeEnvironment();

// The pure parts.

// The capacity that Hello states, and where it comes from: "flag" (as asked), "selftest", or of the host's limits
// the lower one: "limits" (descriptors, without those kept for other things) or "ports" (nine in ten of them);
// at least 1.
v1::Capacity CapacityOf(const HostLimits& limits, const HelloOptions& options);

// Cores it may use: the quota's where that is less. What a share of the load is weighed by, unless a selftest
// says how many events it drives.
double WeightOf(const HostLimits& limits, const std::optional<SelftestRecord>& selftest);

// A stable id from a name: what is not of [A-Za-z0-9._-] becomes '-', at most 63; "agent" for an
// empty one.
std::string AgentIdFrom(absl::string_view name);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_HOST_FACTS_H_
