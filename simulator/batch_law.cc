#include "simulator/batch_law.h"

#include <algorithm>
#include <cmath>

namespace tidemark {
namespace {

constexpr uint64_t kJitterStream = 1;

}  // namespace

BatchLaw::BatchLaw(const LawConstants& constants, uint64_t seed)
    : constants_(constants), random_(seed, kJitterStream) {}

void BatchLaw::Arrive(SimTime now, const Sequence& sequence) {
  waiting_.push_back({now, sequence});
  if (!step_end_.has_value()) StartStep(now);
}

bool BatchLaw::Cancel(uint64_t id) {
  auto running = std::find_if(running_.begin(), running_.end(),
                              [id](const Running& each) { return each.id == id; });
  if (running != running_.end()) {
    running_.erase(running);
    return true;
  }
  auto waiting = std::find_if(waiting_.begin(), waiting_.end(),
                              [id](const Waiting& each) { return each.sequence.id == id; });
  if (waiting == waiting_.end()) return false;
  waiting_.erase(waiting);
  return true;
}

bool BatchLaw::EmitNext(SimTime now, std::vector<TokenEmission>* out) {
  const bool hopeless = now - *step_end_ > kHopelesslyLate;
  const SimTime end = hopeless ? now : *step_end_;
  for (Running& each : running_) {
    const int64_t index = each.emitted++;
    out->push_back({each.id, index, each.emitted == each.output_tokens});
  }
  running_.erase(
      std::remove_if(running_.begin(), running_.end(),
                     [](const Running& each) { return each.emitted == each.output_tokens; }),
      running_.end());
  StartStep(end);
  return hopeless;
}

void BatchLaw::StartStep(SimTime start) {
  step_end_.reset();
  if (running_.empty()) {
    if (waiting_.empty()) return;
    start = std::max(start, waiting_.front().arrived);
  }
  const int64_t prompt_tokens = Admit(start);
  step_end_ = start + StepDuration(prompt_tokens);
}

int64_t BatchLaw::Admit(SimTime start) {
  const int64_t limit = constants_.max_prompt_tokens_per_step;
  int64_t admitted = 0;
  bool any = false;
  while (!waiting_.empty() && static_cast<int64_t>(running_.size()) < constants_.max_batch) {
    const Waiting& next = waiting_.front();
    if (next.arrived > start) break;
    if (any && limit > 0 && admitted + next.sequence.prompt_tokens > limit) break;
    any = true;
    admitted += next.sequence.prompt_tokens;
    running_.push_back({next.sequence.id, 0, next.sequence.output_tokens});
    waiting_.pop_front();
  }
  return admitted;
}

SimTime BatchLaw::StepDuration(int64_t admitted_prompt_tokens) {
  double ns = constants_.prefill_us_per_token * 1e3 * static_cast<double>(admitted_prompt_tokens) +
              constants_.step_ms * 1e6 +
              constants_.sequence_ms * 1e6 * static_cast<double>(running_.size());
  if (constants_.jitter > 0) ns *= 1 + constants_.jitter * (2 * random_.Unit() - 1);
  return std::max<SimTime>(1, std::llround(ns));
}

}  // namespace tidemark
