#include "coordinator/core/result/job_result.h"

#include <algorithm>
#include <map>

#include "coordinator/core/job_spec/secrets.h"
#include "coordinator/core/search/knee.h"

namespace tidemark {
namespace {

constexpr char kSchemaVersion[] = "1.0";

// The last valid measurement of each level, ascending.
std::map<uint32_t, const v1::LevelResult*> LatestValid(const v1::Result& result) {
  std::map<uint32_t, const v1::LevelResult*> latest;
  for (const v1::LevelResult& level : result.levels()) {
    if (level.verdict() != v1::INVALID && level.has_output_token_throughput()) {
      latest[level.concurrency()] = &level;
    }
  }
  return latest;
}

Verdict FromProto(v1::Verdict verdict) {
  switch (verdict) {
    case v1::FAIL: return Verdict::kFail;
    case v1::INCONCLUSIVE: return Verdict::kInconclusive;
    case v1::INVALID: return Verdict::kInvalid;
    default: return Verdict::kPass;  // PASS, or no SLA was asked
  }
}

void FillFit(const Knee& knee, v1::KneeResult& out) {
  if (knee.fit) {
    out.mutable_fit()->set_log_knee(knee.fit->knee);
    out.mutable_fit()->set_slope_below(knee.fit->rise);
    out.mutable_fit()->set_slope_above(knee.fit->after);
  }
  if (knee.kneedle_level) out.set_kneedle(static_cast<uint32_t>(*knee.kneedle_level));
  if (knee.little_concurrency) out.set_best_times_single(*knee.little_concurrency);
  out.set_cross_checks_differ(knee.kneedle_disagrees || knee.little_disagrees);
  if (!knee.usl) return;
  out.mutable_scalability()->set_lambda(knee.usl->lambda);
  out.mutable_scalability()->set_sigma(knee.usl->sigma);
  out.mutable_scalability()->set_kappa(knee.usl->kappa);
  out.mutable_scalability()->set_residual(knee.usl->residual);
}

v1::KneeResult KneeOf(const v1::Result& result) {
  std::vector<SweepPoint> points;
  std::vector<JudgedLevel> judged;
  for (const auto& [concurrency, level] : LatestValid(result)) {
    if (level->output_token_throughput() > 0) {
      points.push_back({concurrency, level->output_token_throughput()});
    }
    judged.push_back({concurrency, FromProto(level->verdict())});
  }
  const Knee knee = FindKnee(points);
  v1::KneeResult out;
  out.set_found(knee.outcome == KneeOutcome::kFound);
  out.set_estimate(knee.concurrency.value_or(0));
  out.set_concurrency(static_cast<uint32_t>(knee.level.value_or(0)));
  out.set_below(static_cast<uint32_t>(knee.below.value_or(0)));
  out.set_above(static_cast<uint32_t>(knee.above.value_or(0)));
  out.set_at_or_above_last_but_one(knee.at_or_above_last_but_one);
  out.set_peaked(knee.peak_level.has_value());
  out.set_peak_concurrency(static_cast<uint32_t>(knee.peak_level.value_or(0)));
  FillFit(knee, out);
  out.set_statement(DescribeKnee(knee));
  for (const uint64_t level : SafeOperatingRegion(judged, knee)) {
    out.add_safe_region(static_cast<uint32_t>(level));
  }
  return out;
}

const v1::SlaResult* FirstFailed(const v1::LevelResult& level) {
  for (const v1::SlaResult& sla : level.slas()) {
    if (sla.verdict() == v1::FAIL) return &sla;
  }
  return nullptr;
}

// The latest measurement of a bound's level with the verdict that made it one.
void FillBound(const BoundaryPoint& point, bool feasible, const v1::Result& result, v1::SearchBound* out) {
  out->set_concurrency(static_cast<uint32_t>(point.level));
  for (const v1::LevelResult& level : result.levels()) {
    if (level.concurrency() != point.level || level.verdict() == v1::INVALID) continue;
    if ((level.verdict() != v1::FAIL) != feasible) continue;
    out->set_level(level.level());
    if (const v1::SlaResult* breach = FirstFailed(level); breach != nullptr) *out->mutable_first_breach() = *breach;
  }
}

void FillIterations(const SearchAnswer& answer, v1::Result& result, v1::SearchResult& out) {
  for (const v1::LevelResult& level : result.levels()) {
    v1::SearchIteration* iteration = out.add_iterations();
    iteration->set_level(level.level());
    iteration->set_concurrency(level.concurrency());
    iteration->set_feasible(level.verdict() == v1::PASS);
    iteration->set_objective(level.output_token_throughput());
    iteration->set_non_monotonic(std::find(answer.non_monotonic.begin(), answer.non_monotonic.end(),
                                           level.concurrency()) != answer.non_monotonic.end());
  }
}

void FillSearch(const SearchParameters& search, const JobFinished& finished, v1::Result& result) {
  v1::SearchResult& out = *result.mutable_search();
  out.set_recipe(search.recipe);
  out.set_planner(search.planner);
  out.set_concurrency_min(static_cast<uint32_t>(search.spec.min));
  out.set_concurrency_max(static_cast<uint32_t>(search.spec.max));
  out.set_max_iterations(static_cast<uint32_t>(search.spec.max_iterations));
  SearchAnswer answer;
  if (finished.search_done) {
    answer = finished.search_done->answer;
    out.set_convergence_reason(finished.search_done->reason);
  } else if (finished.impossible) {
    answer = finished.impossible->so_far;
    out.set_convergence_reason(finished.impossible->reason);
  } else {
    out.set_convergence_reason(finished.end == JobEnd::kStopped ? "stopped" : "failed");
  }
  FillIterations(answer, result, out);
  out.set_undecided(answer.undecided);
  if (answer.feasible_max) FillBound(*answer.feasible_max, true, result, out.mutable_feasible_max());
  if (answer.infeasible_min) FillBound(*answer.infeasible_min, false, result, out.mutable_infeasible_min());
}

// Once, however often it was said on the way: the job says the probe's, for one.
void AddWarning(const std::string& warning, v1::Result& result) {
  const auto& said = result.warnings();
  if (std::find(said.begin(), said.end(), warning) == said.end()) result.add_warnings(warning);
}

void FillServer(const std::optional<ProbeFindings>& probe, v1::Result& result) {
  if (!probe) return;
  const v1::Probed& report = probe->report;
  v1::ServerFingerprint& server = *result.mutable_server();
  server.set_server(report.server());
  server.set_version(report.server_version());
  server.set_tls_version(report.tls_version());
  server.set_model(report.model());
  for (const std::string& warning : report.warnings()) AddWarning(warning, result);
  result.set_requests_sent(report.requests());
  result.set_output_tokens_sent(report.output_tokens());
  result.set_input_tokens_sent(report.input_tokens());
}

// `others`: what attempts sent that no level result counts.
void AddTotals(const SentTotals& others, v1::Result& result) {
  uint64_t requests = result.requests_sent() + others.requests;
  uint64_t output = result.output_tokens_sent() + others.output_tokens;
  uint64_t input = result.input_tokens_sent() + others.input_tokens;
  for (const v1::LevelResult& level : result.levels()) {
    requests += level.measured().sent() + level.unmeasured().sent();
    output += level.sent_output_tokens();
    input += level.sent_input_tokens();
    for (const v1::AddressFacts& address : level.addresses()) {
      auto* known = result.mutable_server()->mutable_addresses();
      if (std::find(known->begin(), known->end(), address.address()) == known->end()) {
        *known->Add() = address.address();
      }
    }
  }
  result.set_requests_sent(requests);
  result.set_output_tokens_sent(output);
  result.set_input_tokens_sent(input);
}

void FillError(const JobFinished& finished, v1::Result& result) {
  if (finished.end != JobEnd::kFailed) return;
  v1::ErrorDetail& error = *result.mutable_error();
  error.set_type(finished.failure_class);
  error.set_message(finished.reason);
}

}  // namespace

v1::Result BuildResult(const JobSpec& spec, const JobRecord& record,
                       const std::optional<ProbeFindings>& probe, std::vector<v1::LevelResult> levels,
                       const JobFinished& finished) {
  v1::Result result;
  result.set_schema_version(kSchemaVersion);
  result.set_job_id(record.job_id);
  result.set_name(spec.name);
  result.set_tool_version(record.tool_version);
  result.set_started_at(record.started_at);
  result.set_ended_at(record.ended_at);
  *result.mutable_endpoint() = EncodeEndpoint(WithoutSecrets(spec.endpoint));
  *result.mutable_workload() = EncodeWorkload(spec.workload);
  result.mutable_workload()->set_nonce(record.nonce);
  result.set_job_yaml(record.job_yaml);
  for (const std::string& word : record.command) result.add_command(word);
  *result.mutable_environment() = record.environment;
  FillServer(probe, result);
  for (v1::LevelResult& level : levels) *result.add_levels() = std::move(level);
  AddTotals(finished.sent_without_level, result);
  if (result.levels_size() > 0) *result.mutable_knee() = KneeOf(result);
  if (spec.search) FillSearch(*spec.search, finished, result);
  for (const std::string& warning : record.warnings) AddWarning(warning, result);
  for (const auto& [key, value] : spec.labels) (*result.mutable_labels())[key] = value;
  FillError(finished, result);
  result.set_interrupted(finished.end == JobEnd::kStopped);
  for (const uint32_t level : finished.levels_not_run) result.add_levels_not_run(level);
  result.set_late_messages(record.late_messages);
  return result;
}

}  // namespace tidemark
