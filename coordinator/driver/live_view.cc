#include "coordinator/driver/live_view.h"

#include "common/clock/clock.h"

namespace tidemark {
namespace {

constexpr Metric kShown[] = {Metric::kTimeToFirstToken, Metric::kInterTokenLatency, Metric::kRequestLatency};

}  // namespace

void LiveView::OnPhase(const PhaseChanged& phase, int64_t now) {
  if (!(phase.key == level_.key)) {
    *this = LiveView();
    begun_at_ = now;
  }
  level_.key = phase.key;
  level_.phase = phase.phase;
  level_.concurrency = phase.concurrency;
  level_.request_count = phase.request_count;
  if (phase.phase == LevelPhase::kMeasuring && measuring_since_ == 0) measuring_since_ = now;
}

void LiveView::OnFacts(const std::string& agent, const MeasuredFacts& facts) {
  facts_.measured.Merge(facts.measured);
  facts_.unmeasured.Merge(facts.unmeasured);
  for (const Metric shown : kShown) facts_.histogram(shown).Merge(facts.histogram(shown));
  for (const auto& [failure, count] : facts.failures) facts_.failures[failure] += count;
  facts_.output_tokens += facts.output_tokens;
  facts_.input_tokens += facts.input_tokens;
  facts_.sent_output_tokens += facts.sent_output_tokens;
  facts_.sent_input_tokens += facts.sent_input_tokens;
  in_flight_[agent] = facts.in_flight_now;
}

LiveLevel LiveView::At(int64_t now) const {
  LiveLevel out = level_;
  out.done = facts_.measured.ok + facts_.measured.failed;
  out.failed = facts_.measured.failed;
  for (const auto& [agent, in_flight] : in_flight_) out.in_flight += in_flight;
  out.elapsed_s = static_cast<double>(now - begun_at_) / kNanosPerSecond;
  const Histogram& latency = facts_.histogram(Metric::kRequestLatency);
  if (!latency.empty()) out.latency_p99_ms = ToDisplay(Metric::kRequestLatency, latency.Quantile(0.99));
  const double measuring = measuring_since_ == 0 ? 0 : static_cast<double>(now - measuring_since_) / kNanosPerSecond;
  if (measuring <= 0) return out;
  out.output_tokens_per_s = static_cast<double>(facts_.output_tokens) / measuring;
  if (out.done > 0 && out.request_count >= out.done) {
    out.left_s = measuring / static_cast<double>(out.done) * static_cast<double>(out.request_count - out.done);
  }
  return out;
}

}  // namespace tidemark
