#include "coordinator/report/search_history.h"

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/json/json.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

constexpr absl::string_view kDimension = "phases.profiling.concurrency";

// AIPerf's name of the planner of the same decisions.
std::string PlannerName(const std::string& planner) {
  return planner == "monotonic" ? "monotonic_sla" : planner;
}

Json Objective(const v1::SearchIteration& iteration) {
  return iteration.has_objective() ? Json(iteration.objective()) : Json();
}

Json Filters(const v1::Result& result) {
  Json filters = Json::Array();
  if (result.levels().empty()) return filters;
  for (const v1::SlaResult& sla : result.levels(0).slas()) {
    filters.Append(Json::Object({{"metric_tag", sla.metric_tag()},
                                 {"stat", sla.stat()},
                                 {"op", sla.op()},
                                 {"threshold", sla.threshold()}}));
  }
  return filters;
}

Json Config(const v1::Result& result) {
  const v1::SearchResult& search = result.search();
  const Json objective = Json::Object({{"metric", "output_token_throughput"},
                                       {"stat", "avg"},
                                       {"direction", "MAXIMIZE"},
                                       {"threshold", Json()}});
  const Json dimension = Json::Object({{"path", kDimension},
                                       {"lo", static_cast<double>(search.concurrency_min())},
                                       {"hi", static_cast<double>(search.concurrency_max())},
                                       {"kind", "int"}});
  return Json::Object({{"planner", PlannerName(search.planner())},
                       {"objectives", Json::Array({objective})},
                       {"outcome_constraints", Json::Array()},
                       {"max_iterations", search.max_iterations()},
                       {"n_initial_points", 1},
                       {"random_seed", result.workload().seed()},
                       {"search_space", Json::Array({dimension})},
                       {"sla_filters", Filters(result)}});
}

Json Values(uint32_t concurrency) { return Json::Object({{std::string(kDimension), concurrency}}); }

Json Iterations(const v1::SearchResult& search) {
  Json iterations = Json::Array();
  for (const v1::SearchIteration& iteration : search.iterations()) {
    iterations.Append(Json::Object({{"iteration_idx", iteration.level()},
                                    {"variation_values", Values(iteration.concurrency())},
                                    {"objective_values", Json::Array({Objective(iteration)})},
                                    {"feasible", iteration.feasible()},
                                    {"non_monotonic_warning", iteration.non_monotonic()}}));
  }
  return iterations;
}

const v1::SearchIteration* IterationOf(const v1::SearchResult& search, uint32_t level) {
  for (const v1::SearchIteration& iteration : search.iterations()) {
    if (iteration.level() == level) return &iteration;
  }
  return nullptr;
}

// The feasible iteration of the greatest objective; ours has one objective, so there is one.
Json BestTrials(const v1::SearchResult& search) {
  const v1::SearchIteration* best = nullptr;
  uint64_t feasible = 0;
  for (const v1::SearchIteration& iteration : search.iterations()) {
    if (!iteration.feasible()) continue;
    ++feasible;
    if (best == nullptr || iteration.objective() > best->objective()) best = &iteration;
  }
  if (best == nullptr) return Json::Array();
  return Json::Array({Json::Object({{"iteration_idx", best->level()},
                                    {"objective_values", Json::Array({Objective(*best)})},
                                    {"variation_values", Values(best->concurrency())},
                                    {"feasible", true},
                                    {"feasible_count", feasible},
                                    {"pareto_rank", 0}})});
}

Json Breach(const v1::SlaResult& sla) {
  return Json::Object({{"metric_tag", sla.metric_tag()},
                       {"stat", sla.stat()},
                       {"op", sla.op()},
                       {"threshold", sla.threshold()},
                       {"observed", sla.observed_known() ? Json(sla.observed()) : Json()}});
}

Json Bound(const v1::SearchResult& search, const v1::SearchBound& bound) {
  const v1::SearchIteration* iteration = IterationOf(search, bound.level());
  Json json =
      Json::Object({{"value", bound.concurrency()},
                    {"iteration_idx", bound.level()},
                    {"objective_value", iteration == nullptr ? Json() : Objective(*iteration)}});
  if (bound.has_first_breach()) json.Set("first_breach", Breach(bound.first_breach()));
  return json;
}

Json Boundary(const v1::SearchResult& search) {
  return Json::Object(
      {{"swept_dim_path", kDimension},
       {"feasible_max", search.has_feasible_max() ? Bound(search, search.feasible_max()) : Json()},
       {"infeasible_min",
        search.has_infeasible_min() ? Bound(search, search.infeasible_min()) : Json()}});
}

}  // namespace

std::string SearchHistoryJson(const v1::Result& result) {
  const v1::SearchResult& search = result.search();
  return Json::Object({{"config", Config(result)},
                       {"iterations", Iterations(search)},
                       {"best_trials", BestTrials(search)},
                       {"boundary_summary", Boundary(search)},
                       {"recipe", search.recipe()},
                       {"convergence_reason", search.convergence_reason()},
                       {"tool", "tidemark"},
                       {"tool_version", result.tool_version()},
                       {"undecided", search.undecided()}})
             .Dump(2) +
         "\n";
}

}  // namespace tidemark
