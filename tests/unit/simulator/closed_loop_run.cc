#include "tests/unit/simulator/closed_loop_run.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

namespace tidemark::testing {
namespace {

struct Client {
  SimTime sent = 0;
  SimTime first_token = 0;
  int done = 0;
};

class Loop {
 public:
  Loop(const ClosedLoopSetup& setup, TokenSchedule* schedule)
      : setup_(setup), schedule_(schedule), clients_(setup.clients) {
    const int at_once = setup.start_every_steps > 0 ? 1 : setup.clients;
    for (; started_ < at_once; ++started_) {
      const int i = started_;
      arrivals_.push({setup.ramp * i / setup.clients, i});
    }
  }

  ClosedLoopResult Run() {
    const int64_t enough = static_cast<int64_t>(setup_.clients) * setup_.measured;
    for (int64_t turns = 0; measured_ < enough && turns < 50'000'000; ++turns) Turn();
    ClosedLoopResult out = sums_;
    const double n = static_cast<double>(measured_);
    out.latency_ms /= n;
    out.first_token_ms /= n;
    out.tokens_per_second = 1e9 * static_cast<double>(tokens_) / static_cast<double>(last_ - from_);
    return out;
  }

 private:
  void Turn() {
    const auto due = schedule_->NextDue();
    if (!arrivals_.empty() && (!due.has_value() || arrivals_.top().first <= *due)) {
      const auto [time, client] = arrivals_.top();
      arrivals_.pop();
      clients_[client].sent = time;
      // The id holds the client, so that an emission finds it; ids stay unique.
      const uint64_t id = ids_++ * clients_.size() + static_cast<uint64_t>(client);
      schedule_->Arrive(time, {id, setup_.prompt_tokens, setup_.output_tokens});
      return;
    }
    emissions_.clear();
    schedule_->EmitNext(*due, &emissions_);
    for (const TokenEmission& each : emissions_) Take(*due, each);
    ++steps_;
    if (started_ < setup_.clients && steps_ % setup_.start_every_steps == 0) {
      arrivals_.push({*due + setup_.turn_around, started_++});
    }
  }

  void Take(SimTime now, const TokenEmission& emission) {
    Client& client = clients_[emission.id % clients_.size()];
    if (from_ > 0) {
      ++tokens_;
      last_ = now;
    }
    if (emission.index == 0) client.first_token = now;
    if (!emission.last) return;
    arrivals_.push({now + setup_.turn_around, static_cast<int>(emission.id % clients_.size())});
    if (++client.done <= setup_.warm_up) {
      if (++warm_ == static_cast<int64_t>(clients_.size()) * setup_.warm_up) from_ = now;
      return;
    }
    if (from_ > 0) Measure(now, client);
  }

  void Measure(SimTime now, const Client& client) {
    const double latency = static_cast<double>(now - client.sent) / 1e6;
    sums_.latency_min_ms = measured_ == 0 ? latency : std::min(sums_.latency_min_ms, latency);
    sums_.latency_max_ms = std::max(sums_.latency_max_ms, latency);
    sums_.latency_ms += latency;
    sums_.first_token_ms += static_cast<double>(client.first_token - client.sent) / 1e6;
    ++measured_;
  }

  const ClosedLoopSetup setup_;
  TokenSchedule* const schedule_;
  std::vector<Client> clients_;
  using Arrival = std::pair<SimTime, int>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>> arrivals_;
  std::vector<TokenEmission> emissions_;
  ClosedLoopResult sums_;
  uint64_t ids_ = 0;
  int started_ = 0, steps_ = 0;
  int64_t warm_ = 0, measured_ = 0, tokens_ = 0;
  SimTime from_ = 0, last_ = 0;
};

}  // namespace

ClosedLoopResult RunClosedLoop(const ClosedLoopSetup& setup, TokenSchedule* schedule) {
  return Loop(setup, schedule).Run();
}

}  // namespace tidemark::testing
