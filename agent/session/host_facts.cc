#include "agent/session/host_facts.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/descriptors/descriptor_limit.h"
#include "common/environment/environment.h"
#include "common/http_client/http_client.h"
#include "common/local_address/local_ports.h"
#include "common/log/log.h"
#include "common/rng/random_id.h"
#include "common/session/protocol_version.h"

namespace tidemark {
namespace {

constexpr uint64_t kDescriptorsKept = 256;  // for all that is no stream
constexpr uint32_t kStreamsACore = 1'000;
constexpr size_t kIdBytes = 63;

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Env(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

std::string HostName() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "";
}

std::string PodName() {
  std::string pod = Env("TIDEMARK_POD_NAME");
  if (!pod.empty()) return pod;
  std::string host = Env("HOSTNAME");  // a pod's name by default
  return host.empty() ? HostName() : host;
}

void WarnOfCapacity(const v1::Hello& hello) {
  const uint64_t sensible = uint64_t{kStreamsACore} * hello.cores();
  if (hello.capacity().streams() <= sensible) return;
  // A host's own limits are always far above; only who asks for so much needs to hear it.
  Log(hello.capacity().source() == "flag" ? LogLevel::kWarning : LogLevel::kDebug,
      "capacity is above 1,000 streams a core: large levels may measure this agent, not the "
      "endpoint "
      "(tidemark selftest finds what it drives; --capacity sets it)",
      {{"capacity", absl::StrCat(hello.capacity().streams())},
       {"cores", absl::StrCat(hello.cores())}});
}

}  // namespace

HostLimits ReadHostLimits() {
  HostLimits limits;
  limits.cores = AllowedCores();
  limits.cgroup = ReadCgroupLimits(ReadFile);
  limits.descriptors = DescriptorLimit();
  limits.ports = LocalPorts();
  return limits;
}

v1::Hello BuildHello(const HelloOptions& options) {
  const HostLimits limits = ReadHostLimits();
  v1::Hello hello;
  hello.set_protocol_major(kProtocolMajor);
  hello.set_protocol_minor(kProtocolMinor);
  hello.set_agent_id(options.agent_id.empty() ? AgentIdFrom(PodName()) : options.agent_id);
  hello.set_incarnation(RandomId());
  hello.set_build(BuildString());
  hello.set_cores(limits.cores);
  hello.set_cpu_limit(limits.cgroup.cpu);
  hello.set_memory_limit_bytes(limits.cgroup.memory_bytes);
  hello.set_descriptor_limit(limits.descriptors);
  hello.set_port_limit(limits.ports * std::max(1u, options.source_addresses));
  *hello.mutable_capacity() = CapacityOf(limits, options);
  hello.set_weight(WeightOf(limits, options.selftest));
  hello.set_pod(PodName());
  hello.set_node(Env("TIDEMARK_NODE_NAME"));
  hello.set_zone(Env("TIDEMARK_ZONE"));
  WarnOfCapacity(hello);
  return hello;
}

v1::Environment DescribeEnvironment() {
  v1::Environment environment = DescribeHost();
  environment.set_curl_version(CurlVersion());
  return environment;
}

v1::Capacity CapacityOf(const HostLimits& limits, const HelloOptions& options) {
  v1::Capacity capacity;
  if (options.selftest) capacity.set_events_per_second(options.selftest->events_per_second);
  if (options.capacity > 0 || options.selftest) {
    capacity.set_streams(options.capacity > 0 ? options.capacity : options.selftest->streams);
    capacity.set_source(options.capacity > 0 ? "flag" : "selftest");
    return capacity;
  }
  const uint64_t descriptors = limits.descriptors > kDescriptorsKept ? limits.descriptors - kDescriptorsKept : 1;
  const uint64_t ports = uint64_t{PlannablePorts(limits.ports)} * std::max(1u, options.source_addresses);
  const bool few_ports = ports > 0 && ports < descriptors;
  const uint64_t least = few_ports ? ports : descriptors;
  capacity.set_streams(static_cast<uint32_t>(std::clamp<uint64_t>(least, 1, UINT32_MAX)));
  capacity.set_source(few_ports ? "ports" : "limits");
  return capacity;
}

double WeightOf(const HostLimits& limits, const std::optional<SelftestRecord>& selftest) {
  if (selftest) return selftest->events_per_second / kEventsOfACore;
  const double cores = limits.cores;
  return limits.cgroup.cpu > 0 ? std::min(cores, limits.cgroup.cpu) : cores;
}

std::string AgentIdFrom(absl::string_view name) {
  std::string id(name.substr(0, kIdBytes));
  for (char& c : id) {
    const bool plain =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  if (id == "." || id == "..") id.assign(id.size(), '-');  // it names a folder, too
  return id.empty() ? "agent" : id;
}

}  // namespace tidemark
