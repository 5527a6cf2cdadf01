#ifndef TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_MACHINE_H_
#define TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_MACHINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "common/job/level_task.h"
#include "common/measurement/facts.h"
#include "common/session/fencing.h"
#include "proto/tidemark/v1/agent_session.pb.h"

// The agent's side of the session (agent_session.proto) as a pure machine: (state, event, now) ->
// effects. Its owner feeds it what the stream, the engine and the timer say, from one thread, and
// carries out the effects in order. Times are the agent's CLOCK_MONOTONIC, ns.
namespace tidemark {

// ---- Events -------------------------------------------------------------------------------------

struct AgentBegin {};                            // once, first
struct StreamOpened {};                          // of OpenStream: the stream is there
struct StreamLost { std::string reason; };       // it could not be opened, or it broke or was closed
struct CoordinatorSaid { v1::CoordinatorMessage message; };
// The timer of WakeAt; also welcome at any other time. Milliseconds since each loop's last turn
// (Engine::LoopSilenceMillis) go out with a heartbeat.
struct AgentTimer { std::vector<uint64_t> loop_silent_ms; };
// The process was told to end: its level is given up, and ExitAgent follows.
struct AgentLeaves { std::string reason; };

// Of RunProbe. job_id and epoch are filled in by the machine.
struct ProbeDone { std::string job_id; v1::Probed report; };

// Of the engine; `key` is that of the task whose events these are.
struct EngineReady { LevelKey key; absl::Status status; std::vector<std::string> addresses; };
struct EngineStarted { LevelKey key; int64_t skew_ns = 0; };
struct EngineWarm { LevelKey key; bool deadline_passed = false; uint64_t mean_latency_us = 0; };
struct EngineFacts { LevelKey key; MeasuredFacts facts; };
struct EngineShareDone { LevelKey key; };
struct EngineStopped { LevelKey key; FinalSnapshot snapshot; };

using AgentEvent = std::variant<AgentBegin, StreamOpened, StreamLost, CoordinatorSaid, AgentTimer,
                                AgentLeaves, ProbeDone, EngineReady, EngineStarted, EngineWarm,
                                EngineFacts, EngineShareDone, EngineStopped>;

// ---- Effects ------------------------------------------------------------------------------------

struct OpenStream {};                            // answer with StreamOpened or StreamLost
struct CloseStream { std::string reason; };      // needs no answer; a later StreamLost of it is ignored
struct SendToCoordinator { v1::AgentMessage message; };
struct WakeAt { int64_t at = 0; };               // replaces the one before
struct RunProbe { ProbeTask task; };             // answer with ProbeDone; a new one supersedes the old
struct EnginePrepare { LevelTask task; };
struct EngineArm { LevelKey key; int64_t start = 0; int64_t slice_origin = 0; };
struct EngineMeasure { LevelKey key; int64_t start = 0; };
struct EngineStop { LevelKey key; int64_t drain_ns = 0; };
struct EngineCancel { LevelKey key; };           // before EngineArm it needs no EngineStopped
struct EngineSetSendDeadline { int64_t until = 0; };  // the lease: no send from then on
struct UploadRecords { LevelKey key; };
struct AgentLog { bool warning = false; std::string text; };
struct ExitAgent { std::string reason; bool failed = false; };  // last effect

using AgentEffect = std::variant<OpenStream, CloseStream, SendToCoordinator, WakeAt, RunProbe,
                                 EnginePrepare, EngineArm, EngineMeasure, EngineStop, EngineCancel,
                                 EngineSetSendDeadline, UploadRecords, AgentLog, ExitAgent>;

struct AgentMachineOptions {
  int64_t reconnect_first = 200'000'000;   // ns; doubled at each failure, up to:
  int64_t reconnect_most = 2'000'000'000;  // ns
  int64_t welcome_deadline = 10'000'000'000;  // ns from OpenStream to Welcome
  // A cancelled engine has this long to stop before the agent exits rather than carry two levels, ns.
  int64_t cancel_deadline = 30'000'000'000;
};

class AgentMachine {
 public:
  // `hello` is sent as it is at each new stream (protocol version, id, incarnation, capacity, …).
  explicit AgentMachine(v1::Hello hello, AgentMachineOptions options = {});
  ~AgentMachine();

  std::vector<AgentEffect> Handle(const AgentEvent& event, int64_t now);

  bool welcomed() const;            // a stream is up and Welcome has come
  bool busy() const;                // a level is prepared or runs
  uint64_t stale_messages() const;  // dropped by fencing
  const SessionEpoch& epoch() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_SESSION_MACHINE_AGENT_MACHINE_H_
