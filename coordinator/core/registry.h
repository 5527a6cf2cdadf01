#ifndef TIDEMARK_COORDINATOR_CORE_REGISTRY_H_
#define TIDEMARK_COORDINATOR_CORE_REGISTRY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/lease.h"
#include "common/session/protocol_version.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

// What an agent said of itself in Hello, validated.
struct AgentInfo {
  std::string id;
  std::string incarnation;
  uint32_t capacity = 0;  // concurrent streams
  std::string capacity_source;
  double weight = 1;
  uint32_t cores = 1;
  std::string pod, node, zone, build;
};

// InvalidArgument names the field, its value and what would be right; FailedPrecondition: another
// major version of the protocol (Refused.permanent).
absl::StatusOr<AgentInfo> DecodeHello(const v1::Hello& hello);

// The agents there are, each with its lease. Pure: times are arguments (the coordinator's
// CLOCK_MONOTONIC, ns). Thread-compatible.
class Registry {
 public:
  explicit Registry(int64_t lease = kDefaultLease) : lease_(lease) {}

  enum class Admission {
    kJoined,    // not known before
    kReturned,  // the same incarnation on a new stream: nothing was lost
    kReplaced,  // the old incarnation is lost (its lease had lapsed), and this one joined
  };

  // An agent said Hello. AlreadyExists: its id belongs to another live process; it may try again
  // when that one's lease has lapsed.
  absl::StatusOr<Admission> Admit(const AgentInfo& agent, int64_t now);

  // False when this incarnation holds no lease: its stream must be closed, for it has to say Hello.
  bool Heartbeat(absl::string_view id, absl::string_view incarnation, int64_t now);

  // Removes the agents whose lease has lapsed, and returns them in the order in which they joined.
  std::vector<AgentInfo> Expire(int64_t now);

  // Removes an agent that said that it leaves. False when this incarnation is not registered.
  bool Remove(absl::string_view id, absl::string_view incarnation);

  // When to call Expire next; nothing when there are no agents.
  std::optional<int64_t> NextExpiry() const;

  // In the order in which they joined.
  std::vector<AgentInfo> Agents() const;
  const AgentInfo* Find(absl::string_view id) const;  // nullptr when there is none

 private:
  struct Entry {
    AgentInfo info;
    CoordinatorLease lease;
    uint64_t joined;  // a number that grows
  };
  int64_t lease_;
  uint64_t joins_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_REGISTRY_H_
