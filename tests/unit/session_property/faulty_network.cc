#include "tests/unit/session_property/faulty_network.h"

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

constexpr int64_t kMicro = kNanosPerMicro;
constexpr int64_t kMilli = kNanosPerMilli;

}  // namespace

bool FaultyNetwork::Reachable(size_t agent) const {
  const auto blocked = blocked_until_.find(agent);
  return coordinator_up_ && (blocked == blocked_until_.end() || blocked->second <= time_->now());
}

int64_t FaultyNetwork::Delay() {
  if (!options_.gentle && rng_.Below(25) == 0) return static_cast<int64_t>(rng_.Below(1'500)) * kMilli;
  return static_cast<int64_t>(50 + rng_.Below(5'000)) * kMicro;
}

// How long an end takes to know that its stream broke: a reset comes soon, silence only with a timeout.
int64_t FaultyNetwork::Notice() {
  const bool silent = !options_.gentle && rng_.Below(3) == 0;
  return static_cast<int64_t>(rng_.Below(silent ? 12'000 : 200)) * kMilli;
}

StreamId FaultyNetwork::Open(size_t agent, AgentEnd end) {
  const StreamId id = ++opened_;
  Stream& stream = streams_[id];
  stream.agent = agent;
  stream.end = std::move(end);
  if (!Reachable(agent)) {
    stream.broken_at = time_->now();
    time_->In(Notice(), [this, id] { AgentHears(id); });
    return id;
  }
  Up(id, [this, id](Stream& s) {
    s.coordinator_open = true;
    coordinator_.opened(id);
  });
  return id;
}

bool FaultyNetwork::Arrives(const Stream& stream, bool rest) const {
  return !stream.broken_at || rest || time_->now() <= *stream.broken_at;
}

void FaultyNetwork::Up(StreamId id, std::function<void(Stream&)> what) {
  Stream& stream = streams_.at(id);
  if (stream.broken_at) return;
  stream.last_up = std::max(stream.last_up, time_->now() + Delay());
  time_->At(stream.last_up, [this, id, what = std::move(what)] {
    Stream& s = streams_.at(id);
    if (Arrives(s, s.rest_arrives_up) && coordinator_up_) what(s);
  });
}

void FaultyNetwork::Down(StreamId id, std::function<void(Stream&)> what) {
  Stream& stream = streams_.at(id);
  if (stream.broken_at) return;
  stream.last_down = std::max(stream.last_down, time_->now() + Delay());
  time_->At(stream.last_down, [this, id, what = std::move(what)] {
    Stream& s = streams_.at(id);
    if (s.agent_open && Arrives(s, s.rest_arrives_down)) what(s);
  });
}

void FaultyNetwork::AgentSends(StreamId id, const v1::AgentMessage& message) {
  Up(id, [this, id, message = std::make_shared<v1::AgentMessage>(message)](Stream& s) {
    if (s.coordinator_open) coordinator_.received(id, *message);
  });
}

void FaultyNetwork::CoordinatorSends(StreamId id, v1::CoordinatorMessage message) {
  Down(id, [message = std::make_shared<v1::CoordinatorMessage>(std::move(message))](Stream& s) {
    // A copy: the agent may let go of the stream while it hears this.
    const auto said = s.end.said;
    said(*message);
  });
}

// Its last words may still arrive, late.
void FaultyNetwork::AgentCloses(StreamId id) {
  Stream& stream = streams_.at(id);
  stream.agent_open = false;
  if (!stream.broken_at) Break(id);
}

void FaultyNetwork::CoordinatorCloses(StreamId id) {
  Stream& stream = streams_.at(id);
  stream.coordinator_open = false;
  Down(id, [this, id](Stream& s) {
    s.broken_at = time_->now();
    AgentHears(id);
  });
}

void FaultyNetwork::Break(StreamId id) {
  Stream& stream = streams_.at(id);
  stream.broken_at = time_->now();
  stream.rest_arrives_up = rng_.Below(2) == 0;
  stream.rest_arrives_down = rng_.Below(2) == 0;
  time_->At(std::max(stream.last_down, time_->now() + Notice()), [this, id] { AgentHears(id); });
  time_->At(std::max(stream.last_up, time_->now() + Notice()), [this, id] { CoordinatorHears(id); });
}

void FaultyNetwork::AgentHears(StreamId id) {
  Stream& stream = streams_.at(id);
  if (!std::exchange(stream.agent_open, false)) return;
  const auto lost = stream.end.lost;
  lost();
}

void FaultyNetwork::CoordinatorHears(StreamId id) {
  if (std::exchange(streams_.at(id).coordinator_open, false)) coordinator_.closed(id);
}

void FaultyNetwork::Cut(size_t agent, int64_t for_ns) {
  blocked_until_[agent] = std::max(blocked_until_[agent], time_->now() + for_ns);
  for (auto& [id, stream] : streams_) {
    if (stream.agent == agent && !stream.broken_at) Break(id);
  }
}

void FaultyNetwork::CoordinatorDies() {
  coordinator_up_ = false;
  for (auto& [id, stream] : streams_) {
    stream.coordinator_open = false;
    if (!stream.broken_at) Break(id);
    stream.rest_arrives_up = false;
  }
}

}  // namespace tidemark
