#include "coordinator/core/job_spec/job_yaml.h"

#include <string>

#include <yaml-cpp/yaml.h>

#include "absl/strings/str_cat.h"
#include "common/job/secret_header.h"
#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

// The shortest decimal text that reads back as the same number.
std::string Exact(double value) {
  std::string text = absl::StrCat(value);  // six digits
  YAML::Node six = YAML::Load(text);
  if (six.as<double>(0) == value) return text;
  for (int digits = 7; digits <= 17; ++digits) {
    char buffer[40];
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    text = buffer;
    if (YAML::Load(text).as<double>(0) == value) break;
  }
  return text;
}

void Put(YAML::Emitter& out, const char* key, double value) {
  out << YAML::Key << key << YAML::Value << Exact(value);
}
void Put(YAML::Emitter& out, const char* key, uint64_t value) {
  out << YAML::Key << key << YAML::Value << value;
}
void Put(YAML::Emitter& out, const char* key, bool value) {
  out << YAML::Key << key << YAML::Value << value;
}
void Put(YAML::Emitter& out, const char* key, const std::string& value) {
  out << YAML::Key << key << YAML::Value << value;
}

void PutSeconds(YAML::Emitter& out, const char* key, uint64_t millis) {
  if (millis > 0) Put(out, key, static_cast<double>(millis) / 1000);
}

void PutHeaders(YAML::Emitter& out, const EndpointSpec& endpoint) {
  std::string left_out;
  bool any = false;
  for (const auto& [name, value] : endpoint.headers) {
    if (IsSecretHeader(name)) {
      absl::StrAppend(&left_out, left_out.empty() ? "" : ", ", name);
      continue;
    }
    if (!any) out << YAML::Key << "headers" << YAML::Value << YAML::BeginMap;
    any = true;
    out << YAML::Key << name << YAML::Value << YAML::DoubleQuoted << value;
  }
  if (any) out << YAML::EndMap;
  if (!left_out.empty()) out << YAML::Comment("headers not shown: " + left_out);
}

void PutEndpoint(YAML::Emitter& out, const EndpointSpec& spec) {
  const EndpointSpec endpoint = WithoutSecrets(spec);
  out << YAML::Key << "endpoint" << YAML::Value << YAML::BeginMap;
  if (!endpoint.urls.empty()) out << YAML::Key << "url" << YAML::Value << endpoint.urls;
  Put(out, "api", endpoint.api);
  if (!endpoint.model.empty()) Put(out, "model", endpoint.model);
  if (!endpoint.api_key_env.empty()) Put(out, "api_key_env", endpoint.api_key_env);
  if (endpoint.insecure_skip_verify) Put(out, "insecure", true);
  if (!endpoint.ca_cert.empty()) Put(out, "ca_cert", endpoint.ca_cert);
  PutHeaders(out, endpoint);
  out << YAML::EndMap;
}

void PutWorkload(YAML::Emitter& out, const WorkloadSpec& workload) {
  Put(out, "prompt_input_tokens_mean", workload.input.mean);
  Put(out, "prompt_input_tokens_stddev", workload.input.stddev);
  Put(out, "output_tokens_mean", workload.output.mean);
  Put(out, "output_tokens_stddev", workload.output.stddev);
  Put(out, "streaming", workload.streaming);
  Put(out, "natural_stop", !workload.fixed_output_length);
  Put(out, "random_seed", workload.seed);
  if (!workload.extra_inputs_json.empty()) Put(out, "extra_inputs", workload.extra_inputs_json);
}

void PutLimits(YAML::Emitter& out, const JobSpec& spec) {
  PutSeconds(out, "request_timeout_seconds", spec.limits.total_ms);
  PutSeconds(out, "connect_timeout_seconds", spec.limits.connect_ms);
  PutSeconds(out, "first_token_timeout_seconds", spec.limits.first_token_ms);
  PutSeconds(out, "idle_timeout_seconds", spec.limits.idle_ms);
  if (spec.grace_period_seconds) Put(out, "benchmark_grace_period", *spec.grace_period_seconds);
  Put(out, "level_cooldown", spec.level_cooldown_seconds);
}

// All in the general form, which says the statistic; implied ones come back by themselves.
void PutSlas(YAML::Emitter& out, const std::vector<Sla>& slas) {
  std::vector<std::string> texts;
  for (const Sla& sla : slas) {
    if (sla.implied) continue;
    texts.push_back(absl::StrCat(sla.metric_tag, ":", std::string(SlaStatName(sla.stat)), ":",
                                 std::string(SlaOpName(sla.op)), ":", Exact(sla.threshold)));
  }
  if (!texts.empty()) out << YAML::Key << "sla" << YAML::Value << YAML::Block << texts;
}

void PutSearch(YAML::Emitter& out, const SearchParameters& search) {
  Put(out, "search_recipe", search.recipe);
  Put(out, "search_planner", search.planner);
  Put(out, "concurrency_min", search.spec.min);
  Put(out, "concurrency_max", search.spec.max);
  if (search.spec.start) Put(out, "search_start", *search.spec.start);
  Put(out, "search_precision", search.spec.precision);
  Put(out, "search_trials", static_cast<uint64_t>(search.spec.trials));
  Put(out, "search_max_iterations", static_cast<uint64_t>(search.spec.max_iterations));
  const SearchBudget& budget = search.spec.budget;
  if (budget.seconds) Put(out, "search_budget_seconds", *budget.seconds);
  if (budget.requests) Put(out, "search_budget_requests", *budget.requests);
  if (budget.tokens) Put(out, "search_budget_tokens", *budget.tokens);
}

void PutParameters(YAML::Emitter& out, const JobSpec& spec) {
  out << YAML::Key << "parameters" << YAML::Value << YAML::BeginMap;
  if (spec.search) {
    PutSearch(out, *spec.search);
  } else {
    out << YAML::Key << "concurrency" << YAML::Value << YAML::Flow << spec.concurrency;
  }
  if (spec.request_count) {
    Put(out, "request_count", *spec.request_count);
  } else {
    Put(out, "level_cap_seconds", spec.level_cap_seconds);
  }
  PutWorkload(out, spec.workload);
  PutSlas(out, spec.slas);
  PutLimits(out, spec);
  out << YAML::EndMap;
}

std::string RecordsText(const JobSpec& spec) {
  switch (spec.records) {
    case RecordExport::kAuto: return "auto";
    case RecordExport::kAll: return "all";
    case RecordExport::kSample: return absl::StrCat("sample:", spec.record_one_in);
    case RecordExport::kNone: return "none";
  }
  return "auto";
}

}  // namespace

std::string ToYaml(const JobSpec& spec) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  Put(out, "name", spec.name);
  PutEndpoint(out, spec.endpoint);
  PutParameters(out, spec);
  Put(out, "no_fill", !spec.fill);
  if (spec.wait_ready_seconds > 0) Put(out, "wait_ready", spec.wait_ready_seconds);
  if (spec.agent_wait_seconds) Put(out, "agent_wait", *spec.agent_wait_seconds);
  Put(out, "export_records", RecordsText(spec));
  if (spec.user_timestamps) Put(out, "timestamps", std::string("user"));
  if (spec.accept_undecided) Put(out, "accept_undecided", true);
  if (!spec.labels.empty()) {
    out << YAML::Key << "labels" << YAML::Value << YAML::BeginMap;
    for (const auto& [key, value] : spec.labels) {
      out << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << value;
    }
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

std::string ToJobJson(const JobSpec& spec) {
  // The text is our own: reading it cannot fail.
  return YamlMapToJson(ToYaml(spec)).value_or("{}");
}

}  // namespace tidemark
