#include "coordinator/core/result/agent_validity.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "coordinator/core/result/validity_limits.h"

namespace tidemark {
namespace {

constexpr ValidityLimits kLoopLagMs{2, 10};
constexpr ValidityLimits kReaderDelayMs{2, 10};
constexpr ValidityLimits kSendLatenessMs{10, 100};
constexpr ValidityLimits kTurnaroundMs{10, 100};
constexpr ValidityLimits kLoopCpu{0.85, 0.95};
constexpr ValidityLimits kRunQueueWait{0.2, 0.5};
constexpr ValidityLimits kThrottled{0, 0.05};
constexpr ValidityLimits kLoopSilentMs{2'000, 2'000};
constexpr ValidityLimits kUnreadBytes{65'536, 1'048'576};
constexpr ValidityLimits kDescriptorsLeft{64, 8};
constexpr ValidityLimits kPorts{0.9, 0.98};
constexpr ValidityLimits kQueuedInside{0, 0.01};
constexpr ValidityLimits kInFlight{0.98, 0.95};
constexpr ValidityLimits kLittle{0.005, 0.005};
constexpr double kMicrosPerMilli = 1e3;
// What an agent is asked for next: an event loop with room for what comes in bursts, and less than what
// was too much.
constexpr double kCpuWithRoom = 0.7;
constexpr double kLess = 0.9;

double P99Ms(const Histogram& micros) { return micros.Quantile(0.99) / kMicrosPerMilli; }

double OfWall(uint64_t nanos, const SelfCheckFacts& self) {
  return self.wall_ns == 0 ? 0 : static_cast<double>(nanos) / self.wall_ns;
}

bool Counts(const WindowFacts& window) {
  return window.slots > 0 && window.has_window && window.width_ns > 0;
}

// Mean requests in flight, per slot. A slot that waits after a refused connection is not one that the
// generator could not serve.
double InFlightOf(const WindowFacts& window) {
  const double busy = static_cast<double>(window.in_flight_integral_ns) + window.backoff_ns;
  return busy / window.width_ns / window.slots;
}

// Of the agent's windows with enough requests the lowest; nothing without one.
std::optional<double> LeastInFlight(const AgentPart& part) {
  std::optional<double> least;
  for (const WindowFacts& window : part.snapshot.windows) {
    if (!Counts(window) || window.measured_requests < window.slots) continue;
    least = std::min(least.value_or(1), InFlightOf(window));
  }
  return least;
}

class Checks {
 public:
  explicit Checks(const AgentPart& part)
      : part_(part), self_(part.snapshot.self_check), carried_(CarriedSlots(part)) {}

  std::vector<v1::ValidityCheck> All() {
    Throttled();  // causes first: a reader begins with them
    RunQueueWait();
    LoopCpu();
    LoopLag();
    ReaderDelay();
    SendLateness();
    Turnaround();
    LoopSilent();
    UnreadBytes();
    Descriptors();
    Ports();
    QueuedInside();
    for (const WindowFacts& window : part_.snapshot.windows) {
      if (Counts(window)) Window(window);
    }
    return std::move(checks_);
  }

 private:
  void Add(absl::string_view measure, double value, ValidityLimits limits, v1::Validity state, std::string advice) {
    v1::ValidityCheck check;
    check.set_measure(std::string(measure));
    check.set_agent(part_.agent);
    check.set_value(value);
    check.set_suspect_at(limits.suspect);
    check.set_invalid_at(limits.invalid);
    check.set_state(state);
    if (state != v1::VALID) check.set_advice(std::move(advice));
    checks_.push_back(std::move(check));
  }

  void AddAbove(absl::string_view measure, double value, ValidityLimits limits, std::string advice) {
    Add(measure, value, limits, StateAbove(value, limits), std::move(advice));
  }

  // The cure of one that has too much to do, with a number.
  std::string Less() const {
    if (part_.share.slots < 2) return "add an agent, or run it on a faster host";
    return absl::StrFormat("add an agent, or ask for at most %d concurrent requests of this one (it had %d)", carried_,
                           part_.share.slots);
  }

  bool Stamped() const { return self_.reads > 0 && self_.reader_delay_us.count() * 100 >= self_.reads * 99; }

  void LoopLag() {
    const double lag = P99Ms(self_.loop_lag_us);
    AddAbove("loop_lag_p99_ms", lag, kLoopLagMs,
             absl::StrFormat("%s woke %.1f ms late at p99, so %s: give it a core of its own, %s", part_.agent, lag,
                             Stamped() ? "it sent and read that late" : "its times are that far off", Less()));
  }

  // The kernel has stamped what was read late, so the times are true: the load alone can have suffered.
  void ReaderDelay() {
    if (self_.reader_delay_us.empty()) return;
    const double delay = P99Ms(self_.reader_delay_us);
    v1::Validity state = StateAbove(delay, kReaderDelayMs);
    const bool held = LeastInFlight(part_).value_or(1) >= kInFlight.suspect;
    if (state == v1::VALIDITY_INVALID && held) state = v1::SUSPECT;
    Add("reader_delay_p99_ms", delay, kReaderDelayMs, state,
        absl::StrFormat("%s read %.1f ms late at p99: %s", part_.agent, delay, Less()));
  }

  void SendLateness() {
    if (self_.send_lateness_us.empty()) return;
    const double late = P99Ms(self_.send_lateness_us);
    AddAbove("send_lateness_p99_ms", late, kSendLatenessMs,
             absl::StrFormat("%s sent %.1f ms later than planned at p99: %s", part_.agent, late, Less()));
  }

  void Turnaround() {
    if (self_.slot_turnaround_us.empty()) return;
    const double time = P99Ms(self_.slot_turnaround_us);
    AddAbove("slot_turnaround_p99_ms", time, kTurnaroundMs,
             absl::StrFormat("%s took %.1f ms at p99 from the end of a request to the next one of its slot: %s",
                             part_.agent, time, Less()));
  }

  void LoopCpu() {
    const double share = OfWall(self_.loop_cpu_ns, self_);
    AddAbove("loop_cpu_fraction", share, kLoopCpu,
             absl::StrFormat("%s used %.0f %% of a core in one event loop: raise --loops where it has more cores, %s",
                             part_.agent, share * 100, Less()));
  }

  void RunQueueWait() {
    const double share = OfWall(self_.run_queue_wait_ns, self_);
    AddAbove("run_queue_wait_fraction", share, kRunQueueWait,
             absl::StrFormat("an event loop of %s waited for a core for %.0f %% of the time: stop what else runs on "
                             "its host, %s",
                             part_.agent, share * 100, Less()));
  }

  void Throttled() {
    const double share = OfWall(self_.cgroup_throttled_ns, self_);
    AddAbove("cgroup_throttled_fraction", share, kThrottled,
             absl::StrFormat("%s was throttled by its CPU limit for %.1f %% of the time: raise the limit, %s",
                             part_.agent, share * 100, Less()));
  }

  void LoopSilent() {
    // The heartbeat looks at times only; the lag has each freeze while measuring.
    const double late = self_.loop_lag_us.max() / kMicrosPerMilli;
    const double silent = std::max(static_cast<double>(part_.loop_silent_ms), late);
    AddAbove("loop_silent_ms", silent, kLoopSilentMs,
             absl::StrFormat("an event loop of %s did not turn for %.0f ms: its host was stopped or overloaded",
                             part_.agent, silent));
  }

  void UnreadBytes() {
    const auto unread = static_cast<double>(self_.unread_socket_bytes_max);
    AddAbove("unread_socket_bytes", unread, kUnreadBytes,
             absl::StrFormat("%s left %.0f KiB unread in a socket, so that the endpoint may have had to wait for it: %s",
                             part_.agent, unread / 1024, Less()));
  }

  void Descriptors() {
    if (self_.descriptors_limit == 0) return;
    const double left = static_cast<double>(self_.descriptors_limit) - self_.descriptors_used_max;
    Add("descriptors_left", left, kDescriptorsLeft, StateBelow(left, kDescriptorsLeft),
        absl::StrFormat("%s had %d of %d file descriptors in use: raise the hard limit (ulimit -Hn, LimitNOFILE= of "
                        "the service), %s",
                        part_.agent, self_.descriptors_used_max, self_.descriptors_limit, Less()));
  }

  void Ports() {
    if (self_.ports_limit == 0) return;
    const double addresses = std::max<double>(1, part_.addresses.size());
    const double share = self_.connections_open_max / (addresses * self_.ports_limit);
    AddAbove("ports_fraction", share, kPorts,
             absl::StrFormat("%s used %.0f %% of its %d local ports for each of the target's addresses: give it more "
                             "addresses (--source-address), widen net.ipv4.ip_local_port_range, or add an agent",
                             part_.agent, share * 100, self_.ports_limit));
  }

  void QueuedInside() {
    const uint64_t sent = part_.snapshot.measured.sent + part_.snapshot.unmeasured.sent;
    const double share = sent == 0 ? 0 : static_cast<double>(self_.queued_inside) / sent;
    AddAbove("queued_inside_fraction", share, kQueuedInside,
             absl::StrFormat("%d requests of %s waited inside libcurl for a connection, and their latencies hold that "
                             "wait: please report it",
                             self_.queued_inside, part_.agent));
  }

  void Window(const WindowFacts& window) {
    if (window.measured_requests >= window.slots) InFlight(window);
    const double residual = LittleResidual(window);
    AddAbove("little_residual", residual, kLittle,
             absl::StrFormat("the book-keeping of %s contradicts Little's law by %.2f %%: please report it",
                             part_.agent, residual * 100));
  }

  void InFlight(const WindowFacts& window) {
    const double share = InFlightOf(window);
    Add("in_flight_fraction", share, kInFlight, StateBelow(share, kInFlight),
        absl::StrFormat("%s kept only %.1f of %d requests in flight: its slots waited for the generator; %s",
                        part_.agent, share * window.slots, window.slots, Less()));
  }

  const AgentPart& part_;
  const SelfCheckFacts& self_;
  const uint32_t carried_;
  std::vector<v1::ValidityCheck> checks_;
};

}  // namespace

std::vector<v1::ValidityCheck> CheckAgent(const AgentPart& part) { return Checks(part).All(); }

uint32_t CarriedSlots(const AgentPart& part) {
  const SelfCheckFacts& self = part.snapshot.self_check;
  const double cpu = std::max(kCpuWithRoom, OfWall(self.loop_cpu_ns, self));
  // What is throttled may count as waiting, too.
  const uint64_t kept_from_work = std::max(self.cgroup_throttled_ns, self.run_queue_wait_ns);
  const double could_work = std::max(0.0, 1 - OfWall(kept_from_work, self));
  const double share = std::min({kLess, kCpuWithRoom / cpu * could_work, LeastInFlight(part).value_or(1)});
  const uint32_t most = part.share.slots - 1;
  return std::clamp(static_cast<uint32_t>(part.share.slots * share), std::min(1u, most), most);
}

double LittleResidual(const WindowFacts& window) {
  if (window.in_flight_integral_ns == 0) return 0;
  const double integral = static_cast<double>(window.in_flight_integral_ns);
  const double expected = static_cast<double>(window.ended_sojourn_ns) -
                          static_cast<double>(window.edge_age_start_ns) +
                          static_cast<double>(window.edge_age_end_ns);
  return std::fabs(integral - expected) / integral;
}

}  // namespace tidemark
