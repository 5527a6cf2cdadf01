#include "cli/law_statement.h"

#include <cmath>
#include <set>

#include "absl/strings/str_format.h"
#include "simulator/law_prediction.h"

namespace tidemark {
namespace {

// The knee of the law is the batch: beyond it more requests only wait.
std::string Statement(const JobSpec& spec, const LawConstants& law) {
  ClosedLoopLoad full{law.max_batch, spec.workload.input.mean, spec.workload.output.mean};
  std::string text = absl::StrFormat("By its law the simulator saturates at %d concurrent requests, at %.0f tok/s",
                                     law.max_batch, PredictClosedLoop(law, full).output_token_throughput);
  for (const Sla& sla : spec.slas) {
    if (sla.metric_tag != "request_latency" || !IsUpperLimit(sla.op)) continue;
    absl::StrAppendFormat(&text, "; a mean latency of %g ms is kept up to %d", sla.threshold,
                          LimitUnderLatency(law, full.prompt_tokens, full.output_tokens, sla.threshold));
  }
  return text + ".";
}

}  // namespace

void AddLawStatement(const JobSpec& spec, v1::Result* result) {
  const LawConstants law;
  std::set<uint32_t> levels;
  for (const v1::LevelResult& level : result->levels()) levels.insert(level.concurrency());
  for (const uint32_t concurrency : levels) {
    const LawPrediction prediction =
        PredictClosedLoop(law, {concurrency, spec.workload.input.mean, spec.workload.output.mean});
    v1::LawPrediction* out = result->add_law();
    out->set_concurrency(concurrency);
    out->set_output_token_throughput(prediction.output_token_throughput);
    out->set_request_latency_ms(prediction.request_latency_ms);
    out->set_time_to_first_token_ms(prediction.time_to_first_token_ms);
  }
  result->set_target_note("built-in simulator");
  result->set_law_statement(Statement(spec, law));
}

}  // namespace tidemark
