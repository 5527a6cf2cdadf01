#include "simulator/law_prediction.h"

#include <algorithm>
#include <cmath>

namespace tidemark {
namespace {

// The law in milliseconds, for requests of P prompt and L output tokens.
struct Terms {
  Terms(const LawConstants& constants, double prompt_tokens, double output_tokens)
      : prefill(constants.prefill_us_per_token * 1e-3 * prompt_tokens),
        step(constants.step_ms),
        sequence(constants.sequence_ms),
        batch(static_cast<double>(constants.max_batch)),
        length(output_tokens) {}

  // Steps between two admissions of one client: it sits out the step that runs when its request
  // comes, unless that finds the server idle (a client alone); a full batch sets the pace beyond.
  double StepsPerCycle(double clients) const {
    const double own = clients > 1 ? length + 1 : length;
    return std::max(own, clients * length / batch);
  }

  double Cycle(double clients) const {
    return step * StepsPerCycle(clients) + clients * (sequence * length + prefill);
  }

  // The step that admits a request, when `clients` are in the batch and their admissions are
  // spread over `steps` steps.
  double AdmissionStep(double clients, double steps) const {
    return step + sequence * clients + prefill * std::max(1.0, clients / steps);
  }

  double prefill, step, sequence, batch, length;
};

}  // namespace

LawPrediction PredictClosedLoop(const LawConstants& constants, const ClosedLoopLoad& load) {
  const Terms law(constants, load.prompt_tokens, load.output_tokens);
  const double clients = static_cast<double>(load.concurrency);
  LawPrediction out;
  out.request_latency_ms = law.Cycle(clients);
  out.request_throughput = clients / out.request_latency_ms * 1e3;
  out.output_token_throughput = out.request_throughput * law.length;
  const double in_batch = std::min(clients, law.batch);
  const bool full = clients * law.length / law.batch >= law.length + 1;
  const double steps = full ? law.length : law.StepsPerCycle(clients);
  if (full) {
    out.wait_ms = out.request_latency_ms - law.Cycle(law.batch) + (law.batch > 1 ? law.step : 0);
  } else if (clients > 1) {
    const double cohort = std::max(1.0, clients / steps);
    out.wait_ms = law.step + law.sequence * std::max(0.0, in_batch - cohort);
  }
  out.time_to_first_token_ms = out.wait_ms + law.AdmissionStep(in_batch, steps);
  if (law.length >= 2) {
    out.inter_token_latency_ms =
        (out.request_latency_ms - out.time_to_first_token_ms) / (law.length - 1);
  }
  return out;
}

int64_t LimitUnderLatency(const LawConstants& constants, double prompt_tokens, double output_tokens,
                          double latency_ms) {
  const Terms law(constants, prompt_tokens, output_tokens);
  if (law.Cycle(1) > latency_ms) return 0;
  const double each = law.sequence * law.length + law.prefill;
  const double unqueued = (latency_ms - law.step * (law.length + 1)) / each;
  const double queued = latency_ms / (law.step * law.length / law.batch + each);
  // Cycle is the larger of two rising lines, so its limit is the smaller of theirs.
  // A latency that is exactly a level's own must give that level in spite of rounding.
  const double limit = std::min(unqueued, queued) * (1 + 1e-12);
  return std::max<int64_t>(1, static_cast<int64_t>(std::floor(limit)));
}

}  // namespace tidemark
