// Readers of AIPerf's files must find their keys in ours. The lists are those of AIPerf 0.13's
// files.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/json/json.h"
#include "coordinator/report/aiperf_level.h"
#include "coordinator/report/aiperf_sweep.h"
#include "coordinator/report/search_history.h"
#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

Json Parsed(const std::string& text) { return *ParseJson(text, "test"); }

std::set<std::string> Names(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.Members()) names.insert(name);
  return names;
}

void ExpectHas(const Json& object, const std::vector<std::string>& names) {
  for (const std::string& name : names) EXPECT_NE(object.Find(name), nullptr) << name;
}

Json Level(int index) {
  const v1::Result result = SampleSweep();
  return Parsed(AiperfLevelJson(result, result.levels(index)));
}

const std::vector<std::pair<std::string, std::string>>& UnitsOfAiperf() {
  static const auto* const units = new std::vector<std::pair<std::string, std::string>>{
      {"request_throughput", "requests/sec"},
      {"request_latency", "ms"},
      {"request_count", "requests"},
      {"time_to_first_token", "ms"},
      {"time_to_second_token", "ms"},
      {"inter_token_latency", "ms"},
      {"output_token_throughput", "tokens/sec"},
      {"output_token_throughput_per_user", "tokens/sec/user"},
      {"output_sequence_length", "tokens"},
      {"input_sequence_length", "tokens"},
      {"output_token_count", "tokens"},
      {"inter_chunk_latency", "ms"},
      {"total_output_tokens", "tokens"},
      {"benchmark_duration", "sec"},
      {"total_isl", "tokens"},
      {"total_osl", "tokens"},
      {"error_request_count", "requests"},
      {"completed_request_count", "requests"},
      {"request_error_rate", "%"},
      {"total_token_throughput", "tokens/sec"},
      {"input_token_throughput", "tokens/sec"},
      {"effective_concurrency", "requests"}};
  return *units;
}

TEST(AiperfLevel, HasAiperfsKeys) {
  ExpectHas(Level(0), {"schema_version", "benchmark_id", "input_config", "run_info",
                       "was_cancelled", "is_complete", "error_summary", "start_time", "end_time"});
}

TEST(AiperfLevel, HasAiperfsMetricsInItsUnits) {
  const Json level = Level(0);
  for (const auto& [tag, unit] : UnitsOfAiperf()) {
    const Json* metric = level.Find(tag);
    ASSERT_NE(metric, nullptr) << tag;
    EXPECT_EQ(*metric->Find("unit"), Json(unit)) << tag;
    EXPECT_TRUE(metric->Find("avg")->AsDouble().has_value()) << tag;
  }
}

TEST(AiperfLevel, BeginsInAiperfsOrder) {
  std::vector<std::string> order;
  const Json level = Level(0);
  for (const auto& [name, value] : level.Members()) {
    if (value.Find("unit") != nullptr) order.push_back(name);
  }
  ASSERT_GE(order.size(), 16u);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(order[i], UnitsOfAiperf()[i].first);
}

TEST(AiperfLevel, RequestMetricsHaveAiperfsStatistics) {
  const Json level = Level(0);
  ExpectHas(*level.Find("request_latency"),
            {"unit", "avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min",
             "max", "std", "count", "sum"});
}

TEST(AiperfLevel, LevelMetricsHaveAnAverageOnly) {
  EXPECT_EQ(Names(*Level(0).Find("request_throughput")), (std::set<std::string>{"avg", "unit"}));
}

// SageMaker's reader takes each top-level object with one of these members for a metric.
TEST(AiperfLevel, OnlyMetricsLookLikeMetrics) {
  const Json level = Level(2);
  for (const auto& [name, value] : level.Members()) {
    if (value.Find("unit") != nullptr) continue;
    for (const char* member : {"avg", "min", "max", "p50", "p90", "p99"}) {
      EXPECT_EQ(value.Find(member), nullptr) << name;
    }
  }
}

TEST(AiperfLevel, SaysWhichToolMadeIt) {
  const Json level = Level(0);
  EXPECT_EQ(*level.Find("tool"), Json("tidemark"));
  EXPECT_EQ(*level.Find("tool_version"), Json("0.1.0"));
  EXPECT_EQ(level.Find("aiperf_version"), nullptr);
}

TEST(AiperfLevel, LeavesOutWhatCannotBeHad) {
  EXPECT_EQ(Level(3).Find("total_token_throughput"), nullptr);
  EXPECT_EQ(Level(3).Find("input_token_throughput"), nullptr);
  EXPECT_EQ(Level(0).Find("reasoning_token_count"), nullptr);
}

TEST(AiperfLevel, SumsErrorsByClass) {
  const Json level = Level(2);
  const std::vector<Json>& errors = level.Find("error_summary")->Items();
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(*errors[0].Find("count"), Json(5));
  EXPECT_EQ(errors[0].Find("error_details")->Find("code")->AsInt64(), 500);
  EXPECT_EQ(*errors[0].Find("error_details")->Find("message"), Json(kHostileExcerpt));
  EXPECT_EQ(errors[1].Find("error_details")->Find("code")->AsInt64(), 503);
}

TEST(AiperfLevel, InputConfigSaysWhatWasAsked) {
  const Json level = Level(1);
  const Json* config = level.Find("input_config");
  EXPECT_EQ(config->Find("endpoint")->Find("type")->Dump(), "\"chat\"");
  EXPECT_EQ(config->Find("endpoint")->Find("extra")->Dump(),
            R"({"temperature":0,"ignore_eos":true})");
  EXPECT_EQ(config->Find("phases")->Items()[0].Find("concurrency")->AsInt64(), 16);
}

TEST(AiperfSweep, HasAiperfsKeys) {
  const Json sweep = Parsed(AiperfSweepJson(SampleSweep()));
  EXPECT_EQ(Names(sweep),
            (std::set<std::string>{"aggregation_type", "num_profile_runs", "num_successful_runs",
                                   "failed_runs", "metadata", "per_combination_metrics",
                                   "best_configurations", "pareto_optimal"}));
  ExpectHas(*sweep.Find("metadata"),
            {"sweep_parameters", "num_combinations", "sla_constraints", "sweep_mode",
             "confidence_level", "num_trials_per_value", "pareto_axes", "aggregation_type"});
  const Json& combination = sweep.Find("per_combination_metrics")->Items()[0];
  EXPECT_EQ(combination.Find("parameters")->Dump(), R"({"concurrency":1})");
  ExpectHas(*combination.Find("metrics")->Find("request_latency"),
            {"mean", "avg", "std", "min", "max", "cv", "ci_low", "ci_high", "unit", "p1", "p50",
             "p99", "count", "sum"});
}

TEST(AiperfSweep, NamesTheBestAndTheParetoOptimal) {
  const Json sweep = Parsed(AiperfSweepJson(SampleSweep()));
  const Json* best = sweep.Find("best_configurations");
  EXPECT_EQ(best->Find("best_throughput")->Find("parameters")->Dump(), R"({"concurrency":32})");
  EXPECT_EQ(best->Find("best_latency_p99")->Find("parameters")->Dump(), R"({"concurrency":1})");
  EXPECT_EQ(sweep.Find("pareto_optimal")->Dump(),
            R"([{"concurrency":1},{"concurrency":16},{"concurrency":32}])");
}

TEST(AiperfSweep, AnInvalidLevelIsAFailedRunAndNothingElse) {
  const Json sweep = Parsed(AiperfSweepJson(SampleSweep()));
  EXPECT_EQ(sweep.Find("num_profile_runs")->AsInt64(), 4);
  EXPECT_EQ(sweep.Find("num_successful_runs")->AsInt64(), 3);
  EXPECT_EQ(*sweep.Find("failed_runs")->Items()[0].Find("label"), Json("concurrency_64"));
  EXPECT_EQ(sweep.Find("per_combination_metrics")->Items().size(), 3u);
}

TEST(SearchHistory, HasAiperfsKeys) {
  const Json history = Parsed(SearchHistoryJson(SampleSearch()));
  ExpectHas(history, {"config", "iterations", "best_trials", "boundary_summary", "recipe",
                      "convergence_reason"});
  ExpectHas(*history.Find("config"),
            {"planner", "objectives", "outcome_constraints", "max_iterations", "n_initial_points",
             "random_seed", "search_space", "sla_filters"});
  EXPECT_EQ(Names(history.Find("iterations")->Items()[0]),
            (std::set<std::string>{"iteration_idx", "variation_values", "objective_values",
                                   "feasible", "non_monotonic_warning"}));
  ExpectHas(history.Find("best_trials")->Items()[0],
            {"iteration_idx", "objective_values", "variation_values", "feasible", "feasible_count",
             "pareto_rank"});
}

TEST(SearchHistory, SaysBothEndsOfTheBracket) {
  const Json history = Parsed(SearchHistoryJson(SampleSearch()));
  const Json* boundary = history.Find("boundary_summary");
  EXPECT_EQ(boundary->Find("feasible_max")->Find("value")->AsInt64(), 24);
  const Json* infeasible = boundary->Find("infeasible_min");
  EXPECT_EQ(infeasible->Find("value")->AsInt64(), 28);
  EXPECT_EQ(
      infeasible->Find("first_breach")->Dump(),
      R"({"metric_tag":"request_latency","stat":"p99","op":"lt","threshold":2000.0,"observed":2211.5})");
}

TEST(SearchHistory, AnEndThatWasNotFoundIsNull) {
  v1::Result result = SampleSearch();
  result.mutable_search()->clear_feasible_max();
  result.mutable_search()->clear_infeasible_min();
  const Json boundary = *Parsed(SearchHistoryJson(result)).Find("boundary_summary");
  EXPECT_TRUE(boundary.Find("feasible_max")->IsNull());
  EXPECT_TRUE(boundary.Find("infeasible_min")->IsNull());
}

}  // namespace
}  // namespace tidemark
