#include "coordinator/core/agents/agent_hub.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/measurement/facts_codec.h"

namespace tidemark {
namespace {

constexpr uint64_t kLoopSilentMs = 2'000;
// Answers to older pings are not waited for.
constexpr size_t kMaxOpenPings = 16;
// An agent's, the one that it came back on while the old one is not known to be broken, and some that have not said
// who they are.
constexpr size_t kStreamsPerAgent = 4;

// Of a message that carries no measurement. What it says is kept while the level runs, or goes into the journal.
constexpr size_t kMostWords = 256 << 10;

bool CarriesMeasurement(const v1::AgentMessage& message) { return message.has_report() || message.has_stopped(); }

std::string Where(const AgentInfo& agent) {
  return absl::StrCat(agent.pod.empty() ? "" : ", pod ", agent.pod, agent.node.empty() ? "" : ", node ",
                      agent.node);
}

}  // namespace

AgentHub::AgentHub(AgentHubOptions options) : options_(std::move(options)), registry_(options_.lease) {
  fence_.Adopt(options_.epoch);
}

// ---- streams ------------------------------------------------------------------------------------

void AgentHub::StreamOpened(StreamId stream, const std::string& bound_id, int64_t now) {
  OnTime(now);
  if (streams_.size() >= kStreamsPerAgent * options_.max_agents) {
    return effects_.push_back(CloseAgentStream{stream, "there are too many streams: try again later"});
  }
  streams_[stream] = {bound_id, "", now + options_.hello_deadline};
  Deadline(now + options_.hello_deadline);
}

// No loss yet: the agent goes on, and its lease says for how long it is waited for.
void AgentHub::StreamClosed(StreamId stream, int64_t now) {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) {
    const auto link = links_.find(found->second.agent);
    if (link != links_.end()) {
      link->second.stream.reset();
      Log(false, absl::StrCat("agent ", link->first, " is cut off: its stream has closed"));
    }
    streams_.erase(found);
  }
  OnTime(now);
}

void AgentHub::Received(StreamId stream, const v1::AgentMessage& message, int64_t now) {
  OnTime(now);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;  // closed by us, and its last words are on their way
  const std::string& agent = found->second.agent;
  if (message.has_hello()) {
    if (agent.empty()) return Greet(stream, message.hello(), now);
    return CloseLink(links_.at(agent), "Hello is said once on a stream");
  }
  if (agent.empty()) return Close(stream, "say Hello first");
  Receive(links_.at(agent), message, now);
}

void AgentHub::Close(StreamId stream, const std::string& reason) {
  streams_.erase(stream);
  effects_.push_back(CloseAgentStream{stream, reason});
}

void AgentHub::CloseLink(Link& link, const std::string& reason) {
  if (link.stream) Close(*std::exchange(link.stream, std::nullopt), reason);
}

// ---- time ---------------------------------------------------------------------------------------

// Looks at everyone only when one may be due: it is called with every message.
void AgentHub::OnTime(int64_t now) {
  if (!wake_ || now < *wake_) return;
  for (const AgentInfo& agent : registry_.Expire(now)) Remove(agent.id, "its lease lapsed");
  std::vector<StreamId> silent;
  for (const auto& [id, stream] : streams_) {
    if (stream.agent.empty() && stream.hello_deadline <= now) silent.push_back(id);
  }
  for (const StreamId id : silent) Close(id, "no Hello in time");
  wake_ = NextDeadline();
}

void AgentHub::Deadline(int64_t at) { wake_ = wake_ ? std::min(*wake_, at) : at; }

std::optional<int64_t> AgentHub::NextDeadline() const {
  std::optional<int64_t> next = registry_.NextExpiry();
  for (const auto& [id, stream] : streams_) {
    if (!stream.agent.empty()) continue;
    next = next ? std::min(*next, stream.hello_deadline) : stream.hello_deadline;
  }
  return next;
}

// ---- who is here --------------------------------------------------------------------------------

void AgentHub::Greet(StreamId stream, const v1::Hello& hello, int64_t now) {
  const absl::StatusOr<AgentInfo> info = DecodeHello(hello);
  if (!info.ok()) return Refuse(stream, info.status(), true, now);
  if (const absl::Status s = CheckIdentity(stream, *info); !s.ok()) return Refuse(stream, s, true, now);
  if (const absl::Status s = CheckRoom(*info); !s.ok()) return Refuse(stream, s, false, now);
  const absl::StatusOr<Registry::Admission> admission = registry_.Admit(*info, now);
  if (!admission.ok()) return Refuse(stream, admission.status(), false, now);
  Deadline(now + options_.lease);
  Welcome(stream, *info, *admission, now);
}

absl::Status AgentHub::CheckIdentity(StreamId stream, const AgentInfo& agent) const {
  const std::string& bound = streams_.at(stream).bound_id;
  if (bound.empty() || bound == agent.id) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("hello.agent_id is ", agent.id,
                                                  ", and its certificate is that of agent ", bound,
                                                  ": start it with --id ", bound,
                                                  " or give it a certificate of its own"));
}

absl::Status AgentHub::CheckRoom(const AgentInfo& agent) const {
  if (links_.size() < options_.max_agents || Find(agent.id) != nullptr) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("agent ", agent.id, " is one more than the ", options_.max_agents,
                   " agents that this coordinator takes: raise its --max-agents"));
}

void AgentHub::Refuse(StreamId stream, const absl::Status& reason, bool permanent, int64_t now) {
  v1::CoordinatorMessage message;
  message.mutable_refused()->set_reason(std::string(reason.message()));
  message.mutable_refused()->set_permanent(permanent);
  effects_.push_back(SendToAgent{stream, std::move(message)});
  Close(stream, "refused");
  const std::optional<uint64_t> left_out = refusals_.Take(now);
  if (!left_out) return;
  Log(true, absl::StrCat("an agent is refused: ", std::string(reason.message()),
                         *left_out == 0 ? "" : absl::StrCat(" (and ", *left_out, " others before)")));
}

void AgentHub::Welcome(StreamId stream, const AgentInfo& info, Registry::Admission admission, int64_t now) {
  Link& link = links_[info.id];
  link.info = info;
  TakeStream(link, stream);
  // Before Welcome: its answer comes ahead of all that is said again, so a start is never placed by a clock that is
  // not known.
  SendPing(link, now);
  v1::CoordinatorMessage message;
  *message.mutable_welcome()->mutable_epoch() = EncodeEpoch(options_.epoch);
  message.mutable_welcome()->set_lease_ms(static_cast<uint64_t>(options_.lease / kNanosPerMilli));
  message.mutable_welcome()->set_heartbeat_ms(static_cast<uint64_t>(options_.heartbeat / kNanosPerMilli));
  Send(link, std::move(message));
  if (admission == Registry::Admission::kReturned) {
    Log(false, absl::StrCat("agent ", info.id, " is back on a new stream"));
    return Raise(AgentReturned{info.id});
  }
  Log(false, absl::StrCat("agent ", info.id, " joins: capacity ", info.capacity, Where(info)));
  Raise(AgentJoined{info});
}

void AgentHub::TakeStream(Link& link, StreamId stream) {
  CloseLink(link, "the agent came back on a new stream");
  link.open_pings.clear();
  link.stream = stream;
  streams_.at(stream).agent = link.info.id;
}

void AgentHub::Lose(const std::string& agent, const std::string& reason) {
  const Link* link = Find(agent);
  if (link == nullptr) return;
  registry_.Remove(agent, link->info.incarnation);
  // A copy: the caller's may be the link's own, which goes away here.
  Remove(std::string(agent), reason);
}

void AgentHub::Remove(const std::string& agent, const std::string& reason) {
  const auto found = links_.find(agent);
  if (found == links_.end()) return;
  CloseLink(found->second, reason);
  links_.erase(found);
  Log(false, absl::StrCat("agent ", agent, " is lost: ", reason));
  Raise(AgentLost{agent, reason});
}

// ---- what agents say ----------------------------------------------------------------------------

void AgentHub::Receive(Link& link, const v1::AgentMessage& message, int64_t now) {
  const size_t bytes = CarriesMeasurement(message) ? 0 : message.ByteSizeLong();
  if (bytes > kMostWords) {
    return Lose(link.info.id, absl::StrCat("a message of it has ", bytes, " bytes, where at most ", kMostWords,
                                           " are needed: is it an agent of Tidemark?"));
  }
  switch (message.kind_case()) {
    case v1::AgentMessage::kHeartbeat:
      return OnHeartbeat(link, message.heartbeat(), now);
    case v1::AgentMessage::kPong:
      return OnPong(link, message.pong(), now);
    case v1::AgentMessage::kProbed:
      return OnProbed(link, message.probed());
    case v1::AgentMessage::kReport:
      return OnReport(link, message.report());
    case v1::AgentMessage::kStopped:
      return OnStopped(link, message.stopped());
    case v1::AgentMessage::kReady:
      return OnReady(link, message.ready());
    case v1::AgentMessage::kLeaving:
      return Lose(link.info.id, absl::StrCat("it left: ", message.leaving().reason()));
    default:
      return OnBarrier(link, message);
  }
}

void AgentHub::OnHeartbeat(Link& link, const v1::Heartbeat& heartbeat, int64_t now) {
  if (!fence_.AdmitEpoch(DecodeEpoch(heartbeat.epoch()))) return;
  registry_.Heartbeat(link.info.id, link.info.incarnation, now);
  v1::CoordinatorMessage message;
  message.mutable_heartbeat_ack()->set_number(heartbeat.number());
  Send(link, std::move(message));
  SendPing(link, now);
  uint64_t silent = 0;
  for (const v1::LoopPulse& loop : heartbeat.loops()) silent = std::max(silent, loop.silent_ms());
  if (silent > kLoopSilentMs) Raise(AgentLoopSilent{link.info.id, silent});
}

void AgentHub::SendPing(Link& link, int64_t now) {
  link.open_pings.emplace_back(++link.pings, now);
  if (link.open_pings.size() > kMaxOpenPings) link.open_pings.pop_front();
  v1::CoordinatorMessage message;
  message.mutable_ping()->set_number(link.pings);
  message.mutable_ping()->set_sent_ns(static_cast<uint64_t>(now));
  Send(link, std::move(message));
}

// The time of sending is our own note, not the echo: an agent cannot make up a round trip.
void AgentHub::OnPong(Link& link, const v1::Pong& pong, int64_t now) {
  auto& open = link.open_pings;
  const auto ping = std::find_if(open.begin(), open.end(),
                                 [&pong](const auto& p) { return p.first == pong.number(); });
  if (ping == open.end() || pong.agent_ns() > static_cast<uint64_t>(INT64_MAX)) return;
  link.clock.Add(ping->second, static_cast<int64_t>(pong.agent_ns()), now);
  open.erase(ping);
}

// Said again at each reconnect: the job machine takes one.
void AgentHub::OnProbed(const Link& link, const v1::Probed& report) {
  if (!fence_.AdmitEpoch(DecodeEpoch(report.epoch()))) return;
  if (report.job_id() != job_id_) {
    ++strangers_;
    return;
  }
  Raise(AgentProbed{link.info.id, ProbeFindings{report}});
}

// The key of a message about the current level; nothing, and counted, for another one.
std::optional<LevelKey> AgentHub::Admit(const Link& link, const v1::LevelKey& key) {
  absl::StatusOr<LevelKey> decoded = DecodeKey(key);
  if (decoded.ok() && !fence_.Admit(*decoded)) return std::nullopt;
  if (decoded.ok() && link.deltas) return *std::move(decoded);
  ++strangers_;
  return std::nullopt;
}

// The same for what only an agent says that has the level in hand: when nobody asks for it any more, the CANCEL
// that told it so was lost with a stream.
std::optional<LevelKey> AgentHub::Current(const Link& link, const v1::LevelKey& key) {
  std::optional<LevelKey> current = Admit(link, key);
  if (!current && DecodeKey(key).ok()) {
    v1::CoordinatorMessage message;
    *message.mutable_cancel()->mutable_key() = key;
    message.mutable_cancel()->set_reason("the attempt is over");
    Send(link, std::move(message));
  }
  return current;
}

void AgentHub::OnReport(Link& link, const v1::Report& report) {
  if (!fence_.AdmitEpoch(DecodeEpoch(report.epoch()))) return;
  const std::optional<LevelKey> key = Current(link, report.key());
  if (!key) return;
  const absl::StatusOr<bool> fresh = link.deltas->Receive(report.delta().sequence());
  if (!fresh.ok()) return CloseLink(link, std::string(fresh.status().message()));
  if (*fresh) {
    absl::StatusOr<MeasuredFacts> facts = DecodeDelta(report.delta(), sla_count_);
    if (!facts.ok()) {
      return Lose(link.info.id, absl::StrCat("its report is not valid: ", facts.status().message()));
    }
    Raise(AgentFacts{link.info.id, *key, *std::move(facts)});
  }
  Acknowledge(link, report.key());
}

void AgentHub::Acknowledge(const Link& link, const v1::LevelKey& key) {
  v1::CoordinatorMessage message;
  *message.mutable_delta_ack()->mutable_key() = key;
  message.mutable_delta_ack()->set_sequence(link.deltas->last_sequence());
  Send(link, std::move(message));
}

void AgentHub::OnStopped(Link& link, const v1::Stopped& stopped) {
  const std::optional<LevelKey> key = Admit(link, stopped.key());
  if (!key) return;
  absl::StatusOr<FinalSnapshot> snapshot = DecodeSnapshot(stopped.snapshot());
  if (!snapshot.ok()) {
    return Lose(link.info.id,
                absl::StrCat("its final snapshot is not valid: ", snapshot.status().message()));
  }
  // The missing reports come again, and Stopped after them, on a new stream.
  if (snapshot->deltas != link.deltas->last_sequence()) {
    return CloseLink(link, "reports are missing before Stopped");
  }
  Raise(AgentStopped{link.info.id, *key, *std::move(snapshot), stopped.error()});
}

void AgentHub::OnReady(const Link& link, const v1::Ready& ready) {
  const std::optional<LevelKey> key = Current(link, ready.key());
  if (!key) return;
  Raise(AgentReady{link.info.id, *key, ready.error(), {ready.addresses().begin(), ready.addresses().end()}});
}

// What a newer agent may say beyond it is passed over.
void AgentHub::OnBarrier(const Link& link, const v1::AgentMessage& message) {
  const std::string& id = link.info.id;
  if (message.has_started()) {
    if (const auto key = Current(link, message.started().key())) {
      Raise(AgentStarted{id, *key, message.started().skew_ns()});
    }
  } else if (message.has_warm()) {
    const v1::Warm& warm = message.warm();
    if (const auto key = Current(link, warm.key())) {
      Raise(AgentWarm{id, *key, warm.deadline_passed(), warm.mean_latency_us()});
    }
  } else if (message.has_share_done()) {
    if (const auto key = Current(link, message.share_done().key())) Raise(AgentShareDone{id, *key});
  }
}

// ---- the running job ----------------------------------------------------------------------------

void AgentHub::LeaveJob() {
  LeaveLevel();
  job_id_.reset();
}

void AgentHub::EnterLevel(const LevelKey& key, size_t sla_count) {
  LeaveLevel();
  fence_.Enter(key);
  sla_count_ = sla_count;
}

void AgentHub::LeaveLevel() {
  fence_.Leave();
  for (auto& [id, link] : links_) link.deltas.reset();
}

void AgentHub::AddToLevel(const std::string& agent) {
  const auto found = links_.find(agent);
  if (found != links_.end() && !found->second.deltas) found->second.deltas.emplace();
}

void AgentHub::Tell(const std::string& agent, v1::CoordinatorMessage message) {
  if (const Link* link = Find(agent)) Send(*link, std::move(message));
}

void AgentHub::Send(const Link& link, v1::CoordinatorMessage message) {
  if (link.stream) effects_.push_back(SendToAgent{*link.stream, std::move(message)});
}

// ---- what is known ------------------------------------------------------------------------------

const AgentHub::Link* AgentHub::Find(const std::string& agent) const {
  const auto found = links_.find(agent);
  return found == links_.end() ? nullptr : &found->second;
}

std::vector<AgentStatus> AgentHub::Agents() const {
  std::vector<AgentStatus> out;
  for (AgentInfo& info : registry_.Agents()) {
    const Link& link = links_.at(info.id);
    AgentStatus& status = out.emplace_back();
    status.info = std::move(info);
    status.cut_off = !link.stream;
    status.in_level = link.deltas.has_value();
    if (!link.clock.known()) continue;
    status.clock_offset_and_error = std::pair(link.clock.offset_ns(), link.clock.error_ns());
  }
  return out;
}

uint64_t AgentHub::TotalStreams() const {
  uint64_t total = 0;
  for (const auto& [id, link] : links_) total += link.info.capacity;
  return total;
}

int64_t AgentHub::ClockOffsetOf(const std::string& agent) const {
  const Link* link = Find(agent);
  return link == nullptr ? 0 : link->clock.offset_ns();
}

int64_t AgentHub::ClockErrorOf(const std::string& agent) const {
  const Link* link = Find(agent);
  return link == nullptr ? 0 : link->clock.error_ns();
}

}  // namespace tidemark
