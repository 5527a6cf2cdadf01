#ifndef TIDEMARK_TESTS_UNIT_COORDINATOR_AGENTS_HUB_SCENARIO_H_
#define TIDEMARK_TESTS_UNIT_COORDINATOR_AGENTS_HUB_SCENARIO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/core/agents/agent_hub.h"

namespace tidemark {

inline constexpr int64_t kSecond = 1'000'000'000;

// What the hub wants, in one line: "2 <- Welcome", "close 2: refused", "lost a: its lease lapsed", …
std::string Describe(const HubEffect& effect);

// A hub (epoch s/1, lease 5 s, at most 3 agents) and what streams say to it. Each call returns what came of it; logs
// and, unless it is asked for, pings are left out.
class HubScenario {
 public:
  using Lines = std::vector<std::string>;

  HubScenario();

  static v1::Hello HelloOf(const std::string& id, const std::string& incarnation = "1");

  Lines Open(StreamId stream, const std::string& bound_id = "");
  Lines Say(StreamId stream, const v1::AgentMessage& message);
  Lines SayHello(StreamId stream, const v1::Hello& hello);
  // Opens a stream and says Hello on it.
  Lines Join(StreamId stream, const std::string& id, const std::string& incarnation = "1");
  Lines Close(StreamId stream);
  Lines Beat(StreamId stream, uint64_t number = 1, uint64_t epoch = 1, std::vector<uint64_t> silent_ms = {});
  Lines Pong(StreamId stream, uint64_t number, uint64_t agent_ns);
  Lines Report(StreamId stream, uint64_t sequence, uint64_t sent = 1);
  Lines Stopped(StreamId stream, uint64_t deltas);
  Lines Lose(const std::string& agent, const std::string& reason);
  Lines Wait(double seconds);
  // Level 0, attempt `attempt`, with a part for these.
  void EnterLevel(uint32_t attempt, const std::vector<std::string>& agents);

  v1::LevelKey key() const { return EncodeKey(key_); }
  int64_t now() const { return now_; }
  AgentHub& hub() { return hub_; }
  const v1::CoordinatorMessage& last_sent() const { return last_sent_; }

 private:
  Lines Take();

  AgentHub hub_;
  int64_t now_ = 100 * kSecond;
  LevelKey key_{"job", 0, 1};
  v1::CoordinatorMessage last_sent_;  // that was no ping
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COORDINATOR_AGENTS_HUB_SCENARIO_H_
