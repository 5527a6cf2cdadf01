#include "coordinator/driver/job_messages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "coordinator/report/answer.h"

namespace tidemark {

v1::JobUpdate JobChanged(v1::Job job) {
  v1::JobUpdate update;
  *update.mutable_job() = std::move(job);
  return update;
}

v1::JobUpdate LevelDone(const v1::LevelResult& level) {
  v1::JobUpdate update;
  *update.mutable_level() = level;
  return update;
}

v1::JobUpdate Progress(const LiveLevel& live) {
  v1::JobUpdate update;
  v1::LevelProgress& out = *update.mutable_progress();
  out.set_level(live.key.level);
  out.set_attempt(live.key.attempt);
  out.set_concurrency(live.concurrency);
  out.set_phase(LevelPhaseName(live.phase));
  out.set_in_flight(live.in_flight);
  out.set_done(live.done);
  out.set_planned(live.request_count);
  out.set_failed(live.failed);
  out.set_output_tokens_per_s(live.output_tokens_per_s);
  if (live.latency_p99_ms) out.set_request_latency_p99_ms(*live.latency_p99_ms);
  if (live.left_s) out.set_left_s(*live.left_s);
  return update;
}

v1::Agent ToProto(const AgentStatus& agent) {
  v1::Agent out;
  out.set_id(agent.info.id);
  out.set_incarnation(agent.info.incarnation);
  out.set_state(agent.cut_off ? v1::CUT_OFF : agent.in_level ? v1::BUSY : v1::IDLE);
  out.set_capacity(agent.info.capacity);
  out.set_capacity_source(agent.info.capacity_source);
  out.set_weight(agent.info.weight);
  out.set_cores(agent.info.cores);
  out.set_pod(agent.info.pod);
  out.set_node(agent.info.node);
  out.set_zone(agent.info.zone);
  out.set_build(agent.info.build);
  if (agent.clock_offset_and_error) {
    out.set_clock_error_ms(static_cast<double>(agent.clock_offset_and_error->second) / kNanosPerMilli);
  }
  return out;
}

std::string DescribeProbe(const JobSpec& spec, const v1::Probed& probe) {
  std::string text = absl::StrCat("probe: model ", spec.endpoint.model.empty() ? "(unnamed)" : spec.endpoint.model,
                                  " answered in ", probe.latency_us() / 1000, " ms");
  if (probe.calibrated()) {
    absl::StrAppend(&text, "; a prompt of w words has ", probe.calibration().intercept(), " + ",
                    probe.calibration().slope(), " w tokens");
  }
  return text;
}

v1::Result ResultOfNoLevel(const JobSpec& spec, const JobRecord& record, const JobFinished& finished) {
  v1::Result result = BuildResult(spec, record, std::nullopt, {}, finished);
  *result.mutable_answer() = AnswerFor(result);
  return result;
}

}  // namespace tidemark
