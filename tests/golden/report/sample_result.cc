#include "tests/golden/report/sample_result.h"

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/measurement/metric_table.h"

namespace tidemark {
namespace {

constexpr std::pair<double, double> kShape[] = {
    {0.01, 0.55}, {0.05, 0.7}, {0.1, 0.8},   {0.25, 0.9}, {0.5, 1.0},
    {0.75, 1.1},  {0.9, 1.2},  {0.95, 1.25}, {0.99, 1.4}, {0.999, 1.625}};

// A distribution around `median`, of a fixed shape.
void AddMetric(v1::LevelResult* level, const char* tag, double median, uint64_t count) {
  const MetricInfo& info = InfoOf(*MetricByTag(tag));
  v1::MetricStatistics* metric = level->add_metrics();
  metric->set_tag(tag);
  metric->set_unit(std::string(info.unit));
  metric->set_count(count);
  if (count == 0) return;
  metric->set_avg(median * 1.03125);
  metric->set_sum(metric->avg() * static_cast<double>(count));
  metric->set_std(median * 0.1875);
  metric->set_min(median * 0.5);
  metric->set_max(median * 1.75);
  for (const auto& [p, factor] : kShape) {
    v1::Quantile* quantile = metric->add_quantiles();
    quantile->set_p(p);
    quantile->set_value(median * factor);
    quantile->set_low(median * factor * 0.96875);
    quantile->set_low_known(true);
    quantile->set_high(p > 0.98 ? 0 : median * factor * 1.03125);
    quantile->set_high_known(p <= 0.98);
  }
  v1::Histogram* histogram = metric->mutable_histogram();
  histogram->set_count(count);
  histogram->set_min(static_cast<uint64_t>(median * 0.5));
  histogram->set_max(static_cast<uint64_t>(median * 1.75));
  histogram->set_sum_squares_low(18446744073709551615u);  // beyond a double's exact integers
  for (const uint32_t gap : {100u, 7u, 12u}) {
    histogram->add_bucket_gap(gap);
    histogram->add_bucket_count(count / 4 + 1);
  }
}

v1::LevelResult Level(uint32_t index, uint32_t concurrency, uint64_t ok, uint64_t failed) {
  const double slots = concurrency;
  const double latency = 640 + (slots > 16 ? (slots - 16) * 48 : slots * 18);
  const double rate = slots / latency * 1000;
  v1::LevelResult level;
  level.set_level(index);
  level.set_concurrency(concurrency);
  level.set_request_count(ok + failed);
  level.set_attempt(1);
  level.set_validity(v1::VALID);
  level.mutable_measured()->set_sent(ok + failed);
  level.mutable_measured()->set_ok(ok);
  level.mutable_measured()->set_failed(failed);
  level.mutable_unmeasured()->set_sent(3 * concurrency);
  level.mutable_unmeasured()->set_ok(2 * concurrency);
  level.mutable_unmeasured()->set_cancelled(concurrency);
  level.set_request_throughput(rate);
  level.set_output_token_throughput(rate * 128);
  level.set_total_token_throughput(rate * 640);
  level.set_error_rate(static_cast<double>(failed) / static_cast<double>(ok + failed));
  level.set_effective_concurrency(slots * 0.9975);
  level.set_little_residual(0.0009765625);
  level.set_benchmark_duration_s(static_cast<double>(ok) / rate);
  level.set_total_output_tokens(ok * 128);
  level.set_total_input_tokens(ok * 512);
  (*level.mutable_token_count_sources())["usage"] = ok;
  level.set_short_window(ok + failed < 5 * concurrency);
  level.set_started_at("2026-11-30T15:50:47.195971Z");
  level.set_ended_at("2026-11-30T15:51:02.5Z");
  AddMetric(&level, "time_to_first_token", 40 + latency / 16, ok);
  AddMetric(&level, "time_to_second_token", latency / 96, ok);
  AddMetric(&level, "request_latency", latency, ok);
  AddMetric(&level, "inter_token_latency", latency / 128, ok);
  AddMetric(&level, "inter_chunk_latency", latency / 130, ok * 127);
  AddMetric(&level, "output_token_throughput_per_user", 128000 / latency, ok);
  AddMetric(&level, "input_sequence_length", 512, ok);
  AddMetric(&level, "output_sequence_length", 128, ok);
  AddMetric(&level, "reasoning_token_count", 0, 0);
  return level;
}

v1::SlaResult* AddLatencySla(v1::LevelResult* level, double observed, v1::Verdict verdict,
                             uint64_t violating) {
  v1::SlaResult* sla = level->add_slas();
  sla->set_metric_tag("request_latency");
  sla->set_stat("p99");
  sla->set_op("lt");
  sla->set_threshold(2000);
  sla->set_observed(observed);
  sla->set_observed_known(true);
  sla->set_verdict(verdict);
  sla->set_n(level->measured().ok() + level->measured().failed());
  sla->set_v(violating);
  sla->set_statement(verdict == v1::PASS ? "passes by count; at 95 % undecided" : "fails at 95 %");
  level->set_verdict(verdict);
  return sla;
}

void AddImpliedErrorRate(v1::LevelResult* level, v1::Verdict verdict) {
  v1::SlaResult* sla = level->add_slas();
  sla->set_metric_tag("error_rate");
  sla->set_stat("rate");
  sla->set_op("le");
  sla->set_threshold(0.01);
  sla->set_implied(true);
  sla->set_observed(level->error_rate());
  sla->set_observed_known(true);
  sla->set_verdict(verdict);
}

v1::LevelResult FailedLevel(uint32_t index, uint32_t concurrency) {
  v1::LevelResult level = Level(index, concurrency, 152, 8);
  AddLatencySla(&level, 2211.5, v1::FAIL, 11);
  level.set_verdict_reason("request_latency p99 is 2211.5 ms, over 2000 ms");
  level.set_failed_tokens(77);
  v1::FailureCount* failure = level.add_failures();
  failure->set_failure_class("stream_error");
  failure->set_count(5);
  failure = level.add_failures();
  failure->set_failure_class("http_503");
  failure->set_count(3);
  v1::FailureExample* example = level.add_examples();
  example->set_failure_class("stream_error");
  example->set_status(500);
  example->set_excerpt(kHostileExcerpt);
  example->set_server("nginx\" onload=\"alert(1)");
  example->set_via("1.1 gateway");
  example->set_age_us(1234567);
  return level;
}

v1::LevelResult InvalidLevel(uint32_t index) {
  v1::LevelResult level = Level(index, 64, 200, 0);
  level.set_verdict(v1::INVALID);
  level.set_verdict_reason("loop lag p99 was 14.2 ms on agent local");
  level.set_validity(v1::VALIDITY_INVALID);
  level.set_ended_by_cap(true);
  level.clear_total_token_throughput();
  v1::ValidityCheck* check = level.add_validity_checks();
  check->set_measure("loop_lag_p99_ms");
  check->set_agent("local");
  check->set_value(14.25);
  check->set_suspect_at(2);
  check->set_invalid_at(10);
  check->set_state(v1::VALIDITY_INVALID);
  check->set_advice(
      "The generator's loop was late: give the agent a core of its own, or add agents.");
  level.add_notes("The level ended by its cap of 60 s.");
  return level;
}

void AddSurroundings(v1::Result* result) {
  result->set_schema_version("1.0");
  result->set_job_id("5f0c1e2a");
  result->set_name("llama on <two> GPUs");
  result->set_tool_version("0.1.0");
  result->set_started_at("2026-11-30T15:50:40Z");
  result->set_ended_at("2026-11-30T15:52:40Z");
  result->mutable_endpoint()->add_urls("http://vllm:8000/v1/chat/completions");
  result->mutable_endpoint()->set_api("openai-chat");
  result->mutable_endpoint()->set_model("llama");
  v1::Workload* workload = result->mutable_workload();
  workload->mutable_input()->set_mean(512);
  workload->mutable_output()->set_mean(128);
  workload->set_streaming(true);
  workload->set_fixed_output_length(true);
  workload->set_extra_inputs_json(R"({"temperature": 0})");
  workload->set_seed(42);
  workload->set_nonce("c0ffee");
  result->set_job_yaml(
      "endpoint: {url: \"http://vllm:8000\"}\nparameters: {concurrency: [1, 16, 32, 64]}\n");
  for (const char* word :
       {"tidemark", "sweep", "--url", "http://vllm:8000", "--name", "llama on <two> GPUs"}) {
    result->add_command(word);
  }
  result->mutable_environment()->set_host("bench-1");
  result->mutable_environment()->set_cores(8);
  (*result->mutable_labels())["team"] = "a & b";
  (*result->mutable_labels())["gpu"] = "2x H100";
  result->set_requests_sent(1021);
}

void AddKnee(v1::Result* result) {
  v1::KneeResult* knee = result->mutable_knee();
  knee->set_found(true);
  knee->set_estimate(17.25);
  knee->set_concurrency(16);
  knee->set_below(16);
  knee->set_above(32);
  knee->set_statement("knee at concurrency 16 (fitted 17.2, between the measured 16 and 32)");
  knee->add_safe_region(1);
  knee->add_safe_region(16);
}

void AddIteration(v1::SearchResult* search, const v1::LevelResult& level) {
  v1::SearchIteration* iteration = search->add_iterations();
  iteration->set_level(level.level());
  iteration->set_concurrency(level.concurrency());
  iteration->set_feasible(level.verdict() == v1::PASS);
  iteration->set_objective(level.output_token_throughput());
}

}  // namespace

v1::Result SampleSweep() {
  v1::Result result;
  AddSurroundings(&result);
  v1::LevelResult* level = result.add_levels();
  *level = Level(0, 1, 100, 0);
  AddLatencySla(level, 921.5, v1::PASS, 0);
  level = result.add_levels();
  *level = Level(1, 16, 100, 0);
  AddLatencySla(level, 1299.25, v1::PASS, 0);
  *result.add_levels() = FailedLevel(2, 32);
  *result.add_levels() = InvalidLevel(3);
  AddKnee(&result);
  for (const auto& [concurrency, throughput] :
       {std::pair<uint32_t, double>{1, 194.5}, {16, 2207}, {32, 2911}, {64, 2950}}) {
    v1::LawPrediction* law = result.add_law();
    law->set_concurrency(concurrency);
    law->set_output_token_throughput(throughput);
  }
  result.set_law_statement("By its law the simulator saturates at 16 requests.");
  result.add_warnings(
      "64 was not measured validly: give the agent a core of its own, or leave 64 out.");
  return result;
}

v1::Result SampleSweepWithoutSlas() {
  v1::Result result = SampleSweep();
  for (v1::LevelResult& level : *result.mutable_levels()) {
    level.clear_slas();
    if (level.verdict() != v1::INVALID) level.set_verdict(v1::VERDICT_UNSPECIFIED);
  }
  return result;
}

v1::Result SampleSearch() {
  v1::Result result;
  AddSurroundings(&result);
  v1::SearchResult* search = result.mutable_search();
  search->set_recipe("max-concurrency-under-sla");
  search->set_planner("monotonic");
  search->set_concurrency_min(1);
  search->set_concurrency_max(64);
  search->set_max_iterations(20);
  search->set_convergence_reason("monotonic_precision_reached");
  uint32_t index = 0;
  for (const uint32_t concurrency : {16u, 32u, 24u, 28u, 24u}) {
    const bool passes = concurrency <= 24;
    v1::LevelResult level =
        passes ? Level(index, concurrency, 160 + index, 0) : FailedLevel(index, concurrency);
    if (passes) AddLatencySla(&level, 1600 + concurrency, v1::PASS, 1);
    AddImpliedErrorRate(&level, passes ? v1::PASS : v1::FAIL);
    AddIteration(search, level);
    *result.add_levels() = std::move(level);
    ++index;
  }
  search->mutable_feasible_max()->set_concurrency(24);
  search->mutable_feasible_max()->set_level(4);
  search->mutable_infeasible_min()->set_concurrency(28);
  search->mutable_infeasible_min()->set_level(3);
  *search->mutable_infeasible_min()->mutable_first_breach() = result.levels(3).slas(0);
  return result;
}

}  // namespace tidemark
