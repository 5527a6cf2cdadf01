#include "coordinator/core/registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kMaxName = 253;  // as of a host

// It is shown in logs, tables and labels.
bool IsName(absl::string_view id) {
  return id.size() <= kMaxName &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) { return absl::ascii_isgraph(c); });
}

// Sums of so many weights are finite, and none is lost in them.
constexpr double kLeastWeight = 1e-6, kMostWeight = 1e12;

// The same, and it may have spaces or be empty.
bool IsLine(absl::string_view text) {
  return text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isprint(c); });
}

absl::Status Bad(absl::string_view field, absl::string_view value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat("hello.", field, " is ", value, ": ", right));
}

absl::Status CheckLines(const v1::Hello& hello) {
  const std::pair<absl::string_view, const std::string&> lines[] = {
      {"incarnation", hello.incarnation()}, {"capacity.source", hello.capacity().source()},
      {"pod", hello.pod()},                 {"node", hello.node()},
      {"zone", hello.zone()},               {"build", hello.build()}};
  for (const auto& [field, text] : lines) {
    if (!IsLine(text)) {
      return Bad(field, absl::CEscape(text.substr(0, kMaxName)), absl::StrCat("at most ", kMaxName, " printable characters"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AgentInfo> DecodeHello(const v1::Hello& hello) {
  if (hello.protocol_major() != kProtocolMajor) {
    return absl::FailedPreconditionError(absl::StrCat(
        "agent ", absl::CEscape(hello.agent_id().substr(0, kMaxName)), " speaks protocol ", hello.protocol_major(), ".",
        hello.protocol_minor(), " and this coordinator ", kProtocolMajor, ".", kProtocolMinor,
        ": run the same release of both"));
  }
  if (hello.agent_id().empty()) return Bad("agent_id", "empty", "name the agent (--id)");
  if (!IsName(hello.agent_id())) {
    return Bad("agent_id", absl::CEscape(hello.agent_id().substr(0, kMaxName)),
               absl::StrCat("at most ", kMaxName, " printable characters without spaces (--id)"));
  }
  if (hello.incarnation().empty()) return Bad("incarnation", "empty", "draw one at each start");
  if (hello.capacity().streams() == 0) {
    return Bad("capacity.streams", "0", "at least 1 concurrent stream (--capacity)");
  }
  if (!(hello.weight() >= kLeastWeight && hello.weight() <= kMostWeight)) {
    return Bad("weight", absl::StrCat(hello.weight()), absl::StrCat("a number from ", kLeastWeight, " to ", kMostWeight));
  }
  if (absl::Status s = CheckLines(hello); !s.ok()) return s;
  AgentInfo info;
  info.id = hello.agent_id();
  info.incarnation = hello.incarnation();
  info.capacity = hello.capacity().streams();
  info.capacity_source = hello.capacity().source();
  info.weight = hello.weight();
  info.cores = std::max(1u, hello.cores());
  info.pod = hello.pod();
  info.node = hello.node();
  info.zone = hello.zone();
  info.build = hello.build();
  return info;
}

absl::StatusOr<Registry::Admission> Registry::Admit(const AgentInfo& agent, int64_t now) {
  const auto it = entries_.find(agent.id);
  if (it == entries_.end()) {
    entries_.emplace(agent.id, Entry{agent, CoordinatorLease(lease_, now), joins_++});
    return Admission::kJoined;
  }
  Entry& entry = it->second;
  const bool held = entry.lease.held(now);
  if (held && entry.info.incarnation == agent.incarnation) {
    entry.lease.Renew(now);
    return Admission::kReturned;
  }
  if (held) {
    return absl::AlreadyExistsError(absl::StrCat(
        "agent ", agent.id, " is already here as another process",
        entry.info.pod.empty() ? "" : absl::StrCat(" (pod ", entry.info.pod, ")"),
        ": give this one another --id, or wait ",
        (entry.lease.expires_at() - now + 999'999'999) / 1'000'000'000,
        " s for the other's lease to lapse"));
  }
  entry = Entry{agent, CoordinatorLease(lease_, now), joins_++};
  return Admission::kReplaced;
}

bool Registry::Heartbeat(absl::string_view id, absl::string_view incarnation, int64_t now) {
  const auto it = entries_.find(std::string(id));
  if (it == entries_.end() || it->second.info.incarnation != incarnation) return false;
  if (!it->second.lease.held(now)) return false;
  it->second.lease.Renew(now);
  return true;
}

std::vector<AgentInfo> Registry::Expire(int64_t now) {
  std::vector<AgentInfo> lost;
  for (const AgentInfo& agent : Agents()) {
    const auto it = entries_.find(agent.id);
    if (it->second.lease.held(now)) continue;
    lost.push_back(agent);
    entries_.erase(it);
  }
  return lost;
}

bool Registry::Remove(absl::string_view id, absl::string_view incarnation) {
  const auto it = entries_.find(std::string(id));
  if (it == entries_.end() || it->second.info.incarnation != incarnation) return false;
  entries_.erase(it);
  return true;
}

std::optional<int64_t> Registry::NextExpiry() const {
  std::optional<int64_t> next;
  for (const auto& [id, entry] : entries_) {
    const int64_t expires = entry.lease.expires_at();
    next = next ? std::min(*next, expires) : expires;
  }
  return next;
}

std::vector<AgentInfo> Registry::Agents() const {
  std::vector<const Entry*> entries;
  for (const auto& [id, entry] : entries_) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->joined < b->joined; });
  std::vector<AgentInfo> out;
  for (const Entry* entry : entries) out.push_back(entry->info);
  return out;
}

const AgentInfo* Registry::Find(absl::string_view id) const {
  const auto it = entries_.find(std::string(id));
  return it == entries_.end() ? nullptr : &it->second.info;
}

}  // namespace tidemark
