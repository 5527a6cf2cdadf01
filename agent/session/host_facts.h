#ifndef TIDEMARK_AGENT_SESSION_HOST_FACTS_H_
#define TIDEMARK_AGENT_SESSION_HOST_FACTS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/session/cgroup_limits.h"
#include "proto/tidemark/v1/agent_session.pb.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

struct HelloOptions {
  std::string agent_id;  // empty: the pod's or host's name
  uint32_t capacity =
      0;  // concurrent streams this agent carries, as asked; 0: by the host's limits
};

// What this host gives the agent.
struct HostLimits {
  uint32_t cores = 1;  // the process may run on
  CgroupLimits cgroup;
  uint64_t descriptors = 0;
  uint32_t ports = 0;  // of outgoing connections to one address
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

// The capacity of a host that was not told one: its descriptors without those kept for other
// things, or its ports where they are fewer; at least 1.
uint32_t CapacityOf(const HostLimits& limits);

// Cores it may use: the quota's where that is less. What a share of the load is weighed by.
double WeightOf(const HostLimits& limits);

// How many ports "32768\t60999" is; 0 when malformed.
uint32_t ParsePortRange(absl::string_view text);

// A stable id from a name: what is not of [A-Za-z0-9._-] becomes '-', at most 63; "agent" for an
// empty one.
std::string AgentIdFrom(absl::string_view name);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_HOST_FACTS_H_
