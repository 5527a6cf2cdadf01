#include "coordinator/core/job_spec/search_settings.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/measurement/metric_table.h"
#include "coordinator/core/search/sla_parameters.h"

namespace tidemark {
namespace {

constexpr char kRecipe[] = "max-concurrency-under-sla";
constexpr absl::string_view kLaterRecipes[] = {"max-request-rate-under-sla", "concurrency-ramp",
                                               "max-throughput-under-sla", "max-goodput-under-slo",
                                               "pareto"};
constexpr double kDefaultBudgetSeconds = 1800;

void CheckRecipe(const std::string& recipe, SettingReader& reader) {
  if (recipe == kRecipe) return;
  const auto later = std::find(std::begin(kLaterRecipes), std::end(kLaterRecipes), recipe);
  if (later != std::end(kLaterRecipes)) {
    reader.Refuse("search_recipe", recipe, absl::StrCat("not supported yet: want ", kRecipe));
    return;
  }
  reader.Refuse("search_recipe", recipe,
                absl::StrCat("want ", kRecipe, " (not supported yet: ",
                             absl::StrJoin(kLaterRecipes, ", "), ")"));
}

void CheckPlanner(const std::string& planner, SettingReader& reader) {
  if (planner == "monotonic") return;
  reader.Refuse("search_planner", planner,
                planner == "adaptive" ? "not supported yet: want monotonic" : "want monotonic");
}

void RefuseWithoutRecipe(SettingReader& reader) {
  for (const Parameter& parameter : ParameterTable()) {
    const bool of_search = absl::string_view(parameter.group) == "Search";
    if (of_search && parameter.support == ParameterSupport::kSupported &&
        reader.Has(parameter.name)) {
      reader.Note(RefuseSetting(*reader.Find(parameter.name),
                                absl::StrCat("has an effect only in a search: add search_recipe ",
                                             kRecipe)));
    }
  }
}

void CheckRange(const SearchSpec& search, SettingReader& reader) {
  if (search.min > search.max) {
    const absl::string_view given = reader.Has("concurrency_min") ? "concurrency_min" : "concurrency_max";
    reader.Refuse(given, absl::StrCat(given == "concurrency_min" ? search.min : search.max),
                  absl::StrCat("want concurrency_min at most concurrency_max (", search.min, " and ",
                               search.max, ")"));
  } else if (search.start && (*search.start < search.min || *search.start > search.max)) {
    reader.Refuse("search_start", absl::StrCat(*search.start),
                  absl::StrCat("want it from concurrency_min, ", search.min,
                               ", to concurrency_max, ", search.max));
  }
}

SearchSpec ReadSpec(SettingReader& reader) {
  SearchSpec search;
  search.min = reader.Integer("concurrency_min").value_or(1);
  search.max = reader.Integer("concurrency_max").value_or(std::max<uint64_t>(1000, search.min));
  search.start = reader.Integer("search_start");
  search.precision = reader.Number("search_precision").value_or(0.05);
  search.trials = static_cast<int>(reader.Integer("search_trials").value_or(1));
  search.max_iterations = static_cast<int>(reader.Integer("search_max_iterations").value_or(20));
  search.budget.seconds = reader.Number("search_budget_seconds").value_or(kDefaultBudgetSeconds);
  search.budget.requests = reader.Integer("search_budget_requests");
  search.budget.tokens = reader.Integer("search_budget_tokens");
  return search;
}

// Everything an SLA may name: the request metrics that a concurrency level has, and level figures.
std::vector<SlaMetric> KnownMetrics() {
  std::vector<SlaMetric> known;
  for (const MetricInfo& info : MetricTable()) {
    if (info.metric == Metric::kScheduleDelay || info.metric == Metric::kEffectiveLatency) continue;
    known.push_back({std::string(info.tag), true, info.streaming_only, false});
  }
  known.push_back({"error_rate", false, false, true});
  for (const char* tag :
       {"request_throughput", "output_token_throughput", "total_token_throughput"}) {
    known.push_back({tag, false, false, false});
  }
  return known;
}

}  // namespace

std::optional<SearchParameters> ReadSearch(SettingReader& reader) {
  const std::optional<std::string> recipe = reader.Text("search_recipe");
  if (!recipe) {
    RefuseWithoutRecipe(reader);
    return std::nullopt;
  }
  CheckRecipe(*recipe, reader);
  if (const RawSetting* fixed = reader.Find("concurrency")) {
    reader.Note(RefuseValue(*fixed, absl::StrJoin(fixed->values, ","),
                            "a search chooses the concurrency itself: give search_recipe or "
                            "concurrency, not both (concurrency_min and concurrency_max bound a "
                            "search)"));
  }
  SearchParameters search;
  search.recipe = *recipe;
  search.planner = reader.Text("search_planner").value_or("monotonic");
  CheckPlanner(search.planner, reader);
  search.spec = ReadSpec(reader);
  search.max_given = reader.Has("concurrency_max");
  CheckRange(search.spec, reader);
  if (reader.status().ok()) reader.Note(ValidateSearchSpec(search.spec));
  return search;
}

std::vector<Sla> ReadSlas(SettingReader& reader, bool is_search, bool streaming) {
  SlaParameters parameters;
  parameters.ttft_sla_ms = reader.Number("ttft_sla_ms");
  parameters.tpot_sla_ms = reader.Number("tpot_sla_ms");
  parameters.e2e_sla_ms = reader.Number("e2e_sla_ms");
  parameters.error_rate_sla = reader.Number("error_rate_sla");
  parameters.search_stat = reader.Text("search_stat");
  parameters.slas = reader.TextList("sla");
  parameters.streaming = streaming;
  parameters.is_search = is_search;
  absl::StatusOr<std::vector<Sla>> slas = BuildSlas(parameters, KnownMetrics());
  if (!slas.ok()) {
    reader.Note(slas.status());
    return {};
  }
  const bool asked =
      std::any_of(slas->begin(), slas->end(), [](const Sla& sla) { return !sla.implied; });
  if (is_search && !asked) {
    reader.Note(RefuseSetting(*reader.Find("search_recipe"),
                              "a search needs an SLA: give e2e_sla_ms, ttft_sla_ms, tpot_sla_ms, "
                              "error_rate_sla or sla"));
  }
  return *std::move(slas);
}

}  // namespace tidemark
