#ifndef TIDEMARK_COORDINATOR_CORE_AGENTS_AGENT_HUB_H_
#define TIDEMARK_COORDINATOR_CORE_AGENTS_AGENT_HUB_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "common/log/log_budget.h"
#include "common/session/delta_sequence.h"
#include "common/session/fencing.h"
#include "coordinator/core/clock_offset.h"
#include "coordinator/core/job/job_machine.h"
#include "coordinator/core/registry.h"
#include "proto/tidemark/v1/agent_session.pb.h"

// The coordinator's side of the session (agent_session.proto) as a pure machine: who the agents are, which
// stream is whose, leases, fencing, delta sequences and pings. It turns what agents say into events of the
// job machine. Its owner feeds it what streams and timers say, and carries out its effects.
namespace tidemark {

// A stream's number, given by the owner; never used again.
using StreamId = uint64_t;

// ---- Effects ------------------------------------------------------------------------------------

struct SendToAgent { StreamId stream = 0; v1::CoordinatorMessage message; };
// The hub has forgotten the stream: what still comes from it changes nothing.
struct CloseAgentStream { StreamId stream = 0; std::string reason; };
// AgentJoined, Returned, Lost, LoopSilent; of the running job also AgentProbed, and of its level AgentReady,
// Started, Warm, Facts, ShareDone, Stopped.
struct RaiseJobEvent { JobEvent event; };
struct HubLog { bool warning = false; std::string text; };

using HubEffect = std::variant<SendToAgent, CloseAgentStream, RaiseJobEvent, HubLog>;

struct AgentHubOptions {
  SessionEpoch epoch;
  int64_t lease = kDefaultLease;          // ns
  int64_t heartbeat = kDefaultHeartbeat;  // ns
  int64_t hello_deadline = 10'000'000'000;  // ns from a stream's opening to its Hello
  size_t max_agents = 1'000;              // more are refused for now
};

// What is known of an agent whose lease holds.
struct AgentStatus {
  AgentInfo info;
  bool cut_off = false;  // no stream; its lease still holds
  bool in_level = false;
  // Its CLOCK_MONOTONIC minus the coordinator's and the bound of that offset's error, ns; nothing before its
  // first answer to a ping.
  std::optional<std::pair<int64_t, int64_t>> clock_offset_and_error;
};

// Times are the coordinator's CLOCK_MONOTONIC, ns. Thread-compatible. After each call take the effects and
// carry them out in order; carrying out a RaiseJobEvent may call the hub, so take again until there are none.
class AgentHub {
 public:
  explicit AgentHub(AgentHubOptions options);

  // ---- what the streams say ----

  // `bound_id`: the agent id that the stream's certificate names; "": any.
  void StreamOpened(StreamId stream, const std::string& bound_id, int64_t now);
  void StreamClosed(StreamId stream, int64_t now);
  void Received(StreamId stream, const v1::AgentMessage& message, int64_t now);

  // To be called at NextWake(), harmless at any time: leases that lapsed, streams without Hello.
  void OnTime(int64_t now);
  // Never later than there is something to do, and now and then sooner; nothing while nobody is here.
  std::optional<int64_t> NextWake() const { return wake_; }

  // ---- what the running job says ----

  // Whose PROBED is let through.
  void EnterJob(const std::string& job_id) { job_id_ = job_id; }
  void LeaveJob();

  // The attempt whose messages are let through; its plan has as many SLAs. Agents are added with their
  // PREPARE: what others say of it is dropped. Who is at work for another attempt is told that it is over.
  void EnterLevel(const LevelKey& key, size_t sla_count);
  // Its deltas count from 1. Nothing when it is in already, or not here.
  void AddToLevel(const std::string& agent);
  void LeaveLevel();
  const std::optional<LevelKey>& level() const { return fence_.key(); }

  // Dropped when the agent is cut off or gone: the job machine says it again when it returns.
  void Tell(const std::string& agent, v1::CoordinatorMessage message);
  // Its lease ends here and now.
  void Lose(const std::string& agent, const std::string& reason);

  std::vector<HubEffect> TakeEffects() { return std::exchange(effects_, {}); }

  // ---- what is known ----

  const SessionEpoch& epoch() const { return options_.epoch; }
  std::vector<AgentStatus> Agents() const;  // in the order in which they joined
  uint64_t TotalStreams() const;            // capacity of all
  // Of an agent's clock, ns; 0 while it is not known, or the agent is gone.
  int64_t ClockOffsetOf(const std::string& agent) const;
  int64_t ClockErrorOf(const std::string& agent) const;
  uint64_t stale_messages() const { return fence_.stale() + strangers_; }  // dropped so far

 private:
  struct Stream {
    std::string bound_id;
    std::string agent;           // "": has not said Hello
    int64_t hello_deadline = 0;
  };
  struct Link {
    AgentInfo info;
    std::optional<StreamId> stream;  // nothing while it is cut off
    ClockOffset clock;
    uint64_t pings = 0;
    std::deque<std::pair<uint64_t, int64_t>> open_pings;  // number, sent at
    std::optional<DeltaReceiver> deltas;                  // of the level, when it has a part in it
  };

  void Greet(StreamId stream, const v1::Hello& hello, int64_t now);
  absl::Status CheckIdentity(StreamId stream, const AgentInfo& agent) const;
  absl::Status CheckRoom(const AgentInfo& agent) const;
  void Refuse(StreamId stream, const absl::Status& reason, bool permanent, int64_t now);
  void Welcome(StreamId stream, const AgentInfo& info, Registry::Admission admission, int64_t now);
  void TakeStream(Link& link, StreamId stream);
  void Deadline(int64_t at);
  std::optional<int64_t> NextDeadline() const;
  void Remove(const std::string& agent, const std::string& reason);
  void Close(StreamId stream, const std::string& reason);
  void CloseLink(Link& link, const std::string& reason);

  void Receive(Link& link, const v1::AgentMessage& message, int64_t now);
  void OnHeartbeat(Link& link, const v1::Heartbeat& heartbeat, int64_t now);
  void SendPing(Link& link, int64_t now);
  static void OnPong(Link& link, const v1::Pong& pong, int64_t now);
  void OnProbed(const Link& link, const v1::Probed& report);
  void OnReport(Link& link, const v1::Report& report);
  void Acknowledge(const Link& link, const v1::LevelKey& key);
  void OnStopped(Link& link, const v1::Stopped& stopped);
  void OnReady(const Link& link, const v1::Ready& ready);
  void OnBarrier(const Link& link, const v1::AgentMessage& message);
  std::optional<LevelKey> Admit(const Link& link, const v1::LevelKey& key);
  std::optional<LevelKey> Current(const Link& link, const v1::LevelKey& key);

  const Link* Find(const std::string& agent) const;
  void Send(const Link& link, v1::CoordinatorMessage message);
  void Raise(JobEvent event) { effects_.push_back(RaiseJobEvent{std::move(event)}); }
  void Log(bool warning, std::string text) { effects_.push_back(HubLog{warning, std::move(text)}); }

  const AgentHubOptions options_;
  Registry registry_;
  Fence fence_;
  uint64_t strangers_ = 0;  // messages about the level of agents without a part in it
  std::optional<std::string> job_id_;
  size_t sla_count_ = 0;
  std::map<StreamId, Stream> streams_;
  std::map<std::string, Link> links_;
  std::optional<int64_t> wake_;  // not later than any deadline: those of leases only move on
  LogBudget refusals_;           // of Hellos: anyone may say them
  std::vector<HubEffect> effects_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_AGENTS_AGENT_HUB_H_
