#include "cli/first_screen.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/job_spec/secrets.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

// A file may have made the text: a terminal obeys none of it.
std::string Row(absl::string_view name, absl::string_view text) {
  return absl::StrFormat("  %-10s %s\n", std::string(name), OneLine(text));
}

std::string EndpointText(const JobSpec& spec, const FirstScreenFacts& facts) {
  const EndpointSpec shown = WithoutSecrets(spec.endpoint);
  std::string text = absl::StrJoin(shown.urls, ", ");
  if (facts.simulator) {
    absl::StrAppend(&text, text.empty() ? "" : " (", "the built-in simulator", text.empty() ? "" : ")");
  }
  if (shown.insecure_skip_verify) absl::StrAppend(&text, "; its certificate is not verified");
  return text;
}

std::string ModelText(const JobSpec& spec) {
  return spec.endpoint.model.empty() ? "the only one that /v1/models lists" : spec.endpoint.model;
}

std::string LengthText(const LengthDistribution& length) {
  if (length.stddev <= 0) return CountText(length.mean);
  return absl::StrCat(CountText(length.mean), " ± ", CountText(length.stddev));
}

std::string WorkloadText(const WorkloadSpec& workload) {
  return absl::StrCat(LengthText(workload.input), " input and ", LengthText(workload.output),
                      " output tokens",
                      workload.fixed_output_length ? " (held by ignore_eos)" : " at most (natural stop)",
                      ", seed ", workload.seed,
                      workload.extra_inputs_json.empty()
                          ? ""
                          : absl::StrCat(", extra inputs ", workload.extra_inputs_json));
}

std::string CountRule(const JobSpec& spec) {
  if (spec.request_count) {
    return absl::StrCat(CountText(static_cast<double>(*spec.request_count)),
                        " measured requests each");
  }
  return absl::StrCat("max(100, 5 × concurrency) measured requests each, or ",
                      DurationText(spec.level_cap_seconds));
}

std::string LevelsText(const JobSpec& spec) {
  if (!spec.search) {
    return absl::StrCat("concurrency ", absl::StrJoin(spec.concurrency, ", "), ": ", CountRule(spec));
  }
  const SearchSpec& search = spec.search->spec;
  return absl::StrCat(spec.search->recipe, ", ", spec.search->planner, ": concurrency ", search.min,
                      " to ", search.max, ", to within ", absl::StrFormat("%g", search.precision * 100),
                      " %, at most ", search.max_iterations, " levels; ", CountRule(spec));
}

std::string SlaText(const std::vector<Sla>& slas) {
  if (slas.empty()) return "none: levels are measured, not judged";
  std::vector<std::string> texts;
  for (const Sla& sla : slas) texts.push_back(DescribeSla(sla));
  return absl::StrJoin(texts, "; ");
}

// A level with fewer measured requests than slots is allowed and said.
std::string FewRequests(const JobSpec& spec) {
  if (!spec.request_count) return "";
  std::vector<uint32_t> levels;
  for (const uint32_t level : spec.concurrency) {
    if (*spec.request_count < level) levels.push_back(level);
  }
  if (levels.empty()) return "";
  return absl::StrCat("request_count ", *spec.request_count, " is below the concurrency of ",
                      absl::StrJoin(levels, ", "),
                      ": some slots have no measured request; 5 × concurrency is a good least");
}

std::string AgentsText(const FirstScreenFacts& facts) {
  if (!facts.cluster.empty()) return facts.cluster;
  return absl::StrCat(facts.agents, " on this host, up to ", CountText(static_cast<double>(facts.capacity.requests)),
                      " concurrent requests (", facts.capacity.source, ")");
}

}  // namespace

std::string RenderFirstScreen(const JobSpec& spec, const FirstScreenFacts& facts) {
  std::string screen = absl::StrCat("Tidemark ", facts.version, ": ", spec.name, "\n");
  screen += Row("Endpoint", EndpointText(spec, facts));
  screen += Row("Model", ModelText(spec));
  screen += Row("API", absl::StrCat(spec.endpoint.api,
                                    spec.workload.streaming ? ", streaming" : ", not streaming"));
  screen += Row("Workload", WorkloadText(spec.workload));
  screen += Row(spec.search ? "Search" : "Levels", LevelsText(spec));
  screen += Row("SLAs", SlaText(spec.slas));
  screen += Row("Agents", AgentsText(facts));
  screen += Row("Estimate", DescribeEstimate(facts.estimate));
  if (!facts.output_path.empty()) screen += Row("Results", facts.output_path);
  if (!facts.capacity_note.empty()) screen += Row("Note", facts.capacity_note);
  for (const std::string& note : spec.notes) screen += Row("Note", note);
  const std::string few = FewRequests(spec);
  if (!few.empty()) screen += Row("Warning", few);
  return screen;
}

}  // namespace tidemark
