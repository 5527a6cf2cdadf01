#include "coordinator/core/job_spec/parameters.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

using Kind = ParameterKind;
using Section = ParameterSection;
using Support = ParameterSupport;
using Source = ParameterSource;

constexpr double kMaxConcurrency = 1'000'000;
constexpr double kMaxRequests = 1e12;
constexpr double kMaxTokens = 10'000'000;
constexpr double kMaxSeconds = 1'000'000;
constexpr double kMaxSeed = 9'007'199'254'740'992;  // 2^53: every JSON reader keeps it

constexpr char kEndpoint[] = "Endpoint";
constexpr char kLoad[] = "Load";
constexpr char kWorkload[] = "Workload";
constexpr char kObjectives[] = "Objectives (SLAs)";
constexpr char kSearch[] = "Search";
constexpr char kTime[] = "Time limits";
constexpr char kJob[] = "Job and output";
constexpr char kCommand[] = "Command";
constexpr char kCluster[] = "Cluster";
constexpr char kLater[] = "Not supported yet";

constexpr Parameter Text(absl::string_view name, absl::string_view aliases, char letter,
                         Section section, absl::string_view group, absl::string_view value,
                         absl::string_view default_text, absl::string_view help) {
  return {name,  aliases, letter, Kind::kText,  section,      Support::kSupported, Source::kAnywhere,
          group, 0,       0,      value,        default_text, help};
}

constexpr Parameter As(Parameter parameter, Kind kind) {
  parameter.kind = kind;
  return parameter;
}

constexpr Parameter Integer(absl::string_view name, absl::string_view aliases, Section section,
                            absl::string_view group, double min, double max, absl::string_view unit,
                            absl::string_view default_text, absl::string_view help) {
  return {name,  aliases, 0,   Kind::kInteger, section,      Support::kSupported, Source::kAnywhere,
          group, min,     max, unit,           default_text, help};
}

constexpr Parameter Number(absl::string_view name, absl::string_view aliases, Section section,
                           absl::string_view group, double min, double max, absl::string_view unit,
                           absl::string_view default_text, absl::string_view help) {
  return As(Integer(name, aliases, section, group, min, max, unit, default_text, help),
            Kind::kNumber);
}

constexpr Parameter Switch(absl::string_view name, absl::string_view aliases, Section section,
                           absl::string_view group, absl::string_view default_text,
                           absl::string_view help) {
  return As(Text(name, aliases, 0, section, group, "", default_text, help), Kind::kSwitch);
}

constexpr Parameter CommandOnly(Parameter parameter) {
  parameter.source = Source::kCommandLine;
  return parameter;
}

constexpr Parameter Ignored(Parameter parameter) {
  parameter.support = Support::kIgnored;
  return parameter;
}

constexpr Parameter Later(absl::string_view name, absl::string_view aliases, Section section,
                          absl::string_view help) {
  Parameter parameter = Text(name, aliases, 0, section, kLater, "VALUE", "", help);
  parameter.support = Support::kLater;
  return parameter;
}

constexpr Parameter kTable[] = {
    // --- Endpoint
    As(Text("url", "urls", 'u', Section::kEndpoint, kEndpoint, "URL", "a built-in simulator",
            "host:port, base, /v1 or full path of the endpoint; repeat it to spread requests over "
            "several"),
       Kind::kTextList),
    Text("api", "endpoint_type", 0, Section::kEndpoint, kEndpoint, "API", "openai-chat",
         "openai-chat (chat) or openai-completions (completions)"),
    Text("model", "", 'm', Section::kEndpoint, kEndpoint, "NAME", "the only one of /v1/models",
         "model to ask for"),
    As(Text("header", "headers", 'H', Section::kEndpoint, kEndpoint, "'NAME: VALUE'", "",
            "header of every request; repeatable. Values of secret headers are never shown; prefer "
            "api_key_env"),
       Kind::kPairs),
    Text("api_key_env", "", 0, Section::kEndpoint, kEndpoint, "VARIABLE", "",
         "environment variable that holds the API key, sent as a bearer token"),
    CommandOnly(Text("api_key", "", 0, Section::kEndpoint, kEndpoint, "KEY", "",
                     "the API key itself; other users may see a command line, so api_key_env is "
                     "better. Never shown or recorded")),
    Switch("insecure", "insecure_skip_verify", Section::kEndpoint, kEndpoint, "false",
           "do not verify the endpoint's TLS certificate"),
    Text("ca_cert", "", 0, Section::kEndpoint, kEndpoint, "FILE", "the system's",
         "PEM file of the authorities that the endpoint's certificate may come from"),
    // --- Load
    As(Integer("concurrency", "", Section::kParameters, kLoad, 1, kMaxConcurrency, "N[,N…]",
               "1,2,4,8,16,32,64", "levels to measure: concurrent requests, in this order"),
       Kind::kIntegerList),
    Integer("request_count", "num_requests num_prompts", Section::kParameters, kLoad, 1,
            kMaxRequests, "N", "max(100, 5 × concurrency), capped in time",
            "measured requests of each level, exactly; has no time cap"),
    Number("level_cap_seconds", "", Section::kParameters, kLoad, 0.1, kMaxSeconds, "S", "60",
           "without request_count a level also ends this long after its first measured request"),
    Switch("no_fill", "", Section::kTop, kLoad, "false",
           "do not keep the load up with unmeasured requests until a level's last measured one "
           "ends (for endpoints that are paid by the token)"),
    Number("level_cooldown", "", Section::kParameters, kLoad, 0, 3600, "S", "0.2",
           "pause between levels"),
    // --- Workload
    Number("prompt_input_tokens_mean", "synthetic_input_tokens_mean isl", Section::kParameters,
           kWorkload, 1, kMaxTokens, "TOKENS", "512", "mean length of the prompts"),
    Number("prompt_input_tokens_stddev", "synthetic_input_tokens_stddev isl_stddev",
           Section::kParameters, kWorkload, 0, kMaxTokens, "TOKENS", "0",
           "standard deviation of the prompts' length"),
    Number("output_tokens_mean", "prompt_output_tokens_mean osl", Section::kParameters, kWorkload,
           1, kMaxTokens, "TOKENS", "128", "mean length of the answers asked for"),
    Number("output_tokens_stddev", "prompt_output_tokens_stddev osl_stddev", Section::kParameters,
           kWorkload, 0, kMaxTokens, "TOKENS", "0", "standard deviation of the answers' length"),
    As(Text("streaming", "stream", 0, Section::kParameters, kWorkload, "true|false", "true",
            "ask for streamed answers; with false there are no first-token metrics"),
       Kind::kSwitch),
    Switch("natural_stop", "", Section::kParameters, kWorkload, "false",
           "let the model end its answers: do not send ignore_eos and min_tokens"),
    As(Text("extra_inputs", "", 0, Section::kParameters, kWorkload, "'K:V …'", "",
            "more fields of every request's body: k:v pairs or a JSON object"),
       Kind::kObject),
    Integer("random_seed", "seed", Section::kParameters, kWorkload, 0, kMaxSeed, "N", "42",
            "seed of prompt and answer lengths"),
    // --- Objectives
    Number("ttft_sla_ms", "", Section::kParameters, kObjectives, 1e-6, 1e9, "MS", "",
           "time to first token must stay below this, at p95 or search_stat"),
    Number("tpot_sla_ms", "", Section::kParameters, kObjectives, 1e-6, 1e9, "MS", "",
           "time per output token must stay below this, at p95 or search_stat"),
    Number("e2e_sla_ms", "", Section::kParameters, kObjectives, 1e-6, 1e9, "MS", "",
           "request latency must stay below this, at p99 or search_stat"),
    Number("error_rate_sla", "", Section::kParameters, kObjectives, 0, 1, "FRACTION",
           "0.01 in a search", "share of failed requests that may not be passed"),
    Text("search_stat", "", 0, Section::kParameters, kObjectives, "STAT", "p95; e2e_sla_ms p99",
         "statistic of the three latency SLAs: avg, p50, p90, p95 or p99"),
    As(Text("sla", "slas", 0, Section::kParameters, kObjectives, "TAG:STAT:OP:VALUE", "",
            "any metric, e.g. inter_chunk_latency:p99:lt:80; op lt, le, gt or ge; repeatable"),
       Kind::kTextList),
    // --- Search
    Text("search_recipe", "", 0, Section::kParameters, kSearch, "RECIPE", "",
         "max-concurrency-under-sla: find the highest concurrency that meets the SLAs"),
    Integer("concurrency_min", "", Section::kParameters, kSearch, 1, kMaxConcurrency, "N", "1",
            "lowest concurrency of a search"),
    Integer("concurrency_max", "", Section::kParameters, kSearch, 1, kMaxConcurrency, "N",
            "1000, or the capacity", "highest concurrency of a search"),
    Integer("search_start", "", Section::kParameters, kSearch, 1, kMaxConcurrency, "N",
            "concurrency_min", "concurrency a search begins with"),
    Number("search_precision", "", Section::kParameters, kSearch, 0.001, 0.5, "FRACTION", "0.05",
           "a search ends when its bracket is narrower than this share of its upper end"),
    Integer("search_max_iterations", "", Section::kParameters, kSearch, 1, 1000, "N", "20",
            "most levels that a search measures"),
    Integer("search_trials", "", Section::kParameters, kSearch, 1, 100, "N", "1",
            "verdicts that must agree at a level"),
    Text("search_planner", "", 0, Section::kParameters, kSearch, "PLANNER", "monotonic",
         "monotonic: double until a level fails, then bisect"),
    Number("search_budget_seconds", "", Section::kParameters, kSearch, 1, kMaxSeconds, "S", "1800",
           "a search starts no further level after this time"),
    Integer("search_budget_requests", "", Section::kParameters, kSearch, 1, kMaxRequests, "N", "",
            "a search starts no further level after so many requests"),
    Integer("search_budget_tokens", "", Section::kParameters, kSearch, 1, 1e15, "N", "",
            "a search starts no further level after so many tokens, input and output"),
    Ignored(Integer("search_initial_points", "", Section::kParameters, kSearch, 1, 1000, "N", "",
                    "accepted without effect: the planner has no initial points")),
    // --- Time limits
    Number("request_timeout_seconds", "", Section::kParameters, kTime, 0.001, kMaxSeconds, "S",
           "600", "a request fails after this time in all"),
    Number("connect_timeout_seconds", "", Section::kParameters, kTime, 0.001, kMaxSeconds, "S",
           "30", "a connection must be made within this time"),
    Number("first_token_timeout_seconds", "", Section::kParameters, kTime, 0.001, kMaxSeconds, "S",
           "none", "the first token must come within this time"),
    Number("idle_timeout_seconds", "", Section::kParameters, kTime, 0.001, kMaxSeconds, "S", "none",
           "a stream may be silent this long"),
    Number("benchmark_grace_period", "", Section::kParameters, kTime, 0, kMaxSeconds, "S",
           "request_timeout_seconds",
           "time for measured requests to end after a level's last measured start"),
    Number("wait_ready", "", Section::kTop, kTime, 0, kMaxSeconds, "S", "0",
           "try the endpoint each second for so long before giving it up"),
    // --- Job and output
    Text("name", "", 0, Section::kTop, kJob, "NAME", "sweep or search",
         "name of the job and of its result folder, at most 63 letters, digits and - _ . signs"),
    As(Text("label", "labels", 0, Section::kTop, kJob, "K=V", "",
            "label kept with the result; repeatable"),
       Kind::kPairs),
    Text("output_dir", "", 0, Section::kTop, kJob, "DIR", "./tidemark-results/<UTC>-<name>/",
         "folder of the result files"),
    Switch("overwrite", "", Section::kTop, kJob, "false",
           "write into output_dir although it has files; those of an older run are removed "
           "first"),
    Text("export_records", "", 0, Section::kTop, kJob, "auto|all|sample:N|none", "auto",
         "requests kept one by one in profile_export.jsonl: all up to 100,000 a level (auto), all, "
         "one in N (sample:N), or none"),
    Text("timestamps", "", 0, Section::kTop, kJob, "kernel|user", "kernel",
         "whose arrival times count: the kernel's, where it gives them, or those of the event loop that reads"),
    Switch("accept_undecided", "", Section::kTop, kJob, "false",
           "exit with 0 also when the answer is undecided or inconclusive"),
    Integer("capacity", "", Section::kTop, kJob, 1, kMaxConcurrency, "N",
            "the selftest's, or the limits", "most concurrent requests that this host may drive"),
    As(Text("source_address", "", 0, Section::kTop, kJob, "IP[,IP…]", "as the system chooses",
            "addresses of this host that its connections come from, in turn: each has local ports of its own"),
       Kind::kTextList),
    Integer("loops", "", Section::kTop, kJob, 1, 256, "N", "by cores and concurrency",
            "event loop threads that drive the requests"),
    // --- Command
    CommandOnly(Text("file", "", 'f', Section::kTop, kCommand, "FILE", "",
                     "job file, YAML or JSON; - is standard input")),
    CommandOnly(Text("config", "", 0, Section::kTop, kCommand, "FILE", "",
                     "file of defaults for this machine or team; comes before the job file's "
                     "settings, after flags and environment")),
    CommandOnly(Switch("dry_run", "", Section::kTop, kCommand, "false",
                       "say what would be run (levels, requests, tokens, time) and end")),
    Switch("json", "", Section::kTop, kCommand, "false", "print result.json on standard output"),
    Text("http", "", 0, Section::kTop, kCommand, "HOST:PORT", "",
         "serve /metrics, /healthz and /readyz here during the run; port 0 picks one"),
    Text("log_level", "", 0, Section::kTop, kCommand, "LEVEL", "warning",
         "debug, info, warning, error or off"),
    Switch("log_json", "", Section::kTop, kCommand, "false", "log as JSON lines"),
    // --- Cluster. A job file must not choose who gets the user's token: flags and environment only.
    CommandOnly(Text("coordinator", "", 0, Section::kTop, kCluster, "HOST:PORT", "",
                     "run the job on a cluster, through its coordinator")),
    CommandOnly(Text("context", "", 0, Section::kTop, kCluster, "NAME", "",
                     "the same, with address, certificates and token of "
                     "~/.config/tidemark/contexts.yaml")),
    CommandOnly(Switch("plaintext", "", Section::kTop, kCluster, "false",
                       "talk to the coordinator without TLS, as it runs with --plaintext too")),
    CommandOnly(Text("tls_cert", "", 0, Section::kTop, kCluster, "FILE", "",
                     "PEM file of this client's certificate")),
    CommandOnly(Text("tls_key", "", 0, Section::kTop, kCluster, "FILE", "",
                     "PEM file of the certificate's key")),
    CommandOnly(Text("tls_ca", "", 0, Section::kTop, kCluster, "FILE", "",
                     "PEM file of the authority that signed the coordinator's certificate")),
    CommandOnly(Text("token_file", "", 0, Section::kTop, kCluster, "FILE", "",
                     "file that holds the bearer token, where the coordinator wants one; or "
                     "TIDEMARK_TOKEN")),
    Number("agent_wait", "", Section::kTop, kCluster, 0, kMaxSeconds, "S", "the coordinator's --agent-wait, 60",
           "how long the job waits for agents that it lacks"),
    // --- Known, of later versions
    Later("request_rate", "", Section::kParameters, "requests per second, open loop"),
    Later("request_rate_mode", "arrival_pattern", Section::kParameters,
          "constant, poisson or gamma arrivals"),
    Later("arrival_smoothness", "vllm_burstiness", Section::kParameters, "shape of gamma arrivals"),
    Later("max_concurrency", "", Section::kParameters, "cap on concurrency under a request rate"),
    Later("prefill_concurrency", "", Section::kParameters,
          "requests that may wait for a first token"),
    Later("benchmark_duration", "", Section::kParameters, "measure for a time, not a count"),
    Later("warmup_request_count", "num_warmup_requests", Section::kParameters,
          "warm-up by a count of requests"),
    Later("warmup_duration", "", Section::kParameters, "warm-up by time"),
    Later("warmup_concurrency", "", Section::kParameters, "concurrency of the warm-up"),
    Later("warmup_request_rate", "", Section::kParameters, "request rate of the warm-up"),
    Later("tokenizer", "", Section::kParameters, "count tokens with this tokenizer"),
    Later("goodput", "", Section::kParameters, "per-request objectives"),
    Later("num_conversations", "", Section::kParameters, "users with multi-turn sessions"),
    Later("model_selection_strategy", "", Section::kParameters, "spread over several models"),
    Later("public_dataset", "", Section::kParameters, "prompts of a public dataset"),
    Later("custom_dataset_type", "", Section::kParameters, "format of input_file"),
    Later("input_file", "", Section::kParameters, "prompts or a trace from a file"),
    Later("dataset_sampling_strategy", "", Section::kParameters, "order of a dataset's prompts"),
    Later("connection_reuse_strategy", "", Section::kEndpoint,
          "pooled (as now), never or sticky-user-sessions"),
    Later("window", "", Section::kParameters, "whole: rates as AIPerf reckons them"),
};

std::string Spaced(absl::string_view name, char separator, bool upper) {
  std::string result;
  for (const char c : name) {
    const char shown = c == '_' ? separator : c;
    result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(shown))) : shown;
  }
  return result;
}

absl::string_view KindText(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::kText: return "text";
    case Kind::kTextList: return "text or list";
    case Kind::kInteger: return "whole number";
    case Kind::kIntegerList: return "whole number or list";
    case Kind::kNumber: return "number";
    case Kind::kSwitch: return "true or false";
    case Kind::kPairs:
    case Kind::kObject: return "map";
  }
  return "";
}

bool HasRange(const Parameter& parameter) {
  return parameter.kind == Kind::kInteger || parameter.kind == Kind::kIntegerList ||
         parameter.kind == Kind::kNumber;
}

std::string Plain(double value) { return absl::StrFormat("%.16g", value); }

std::string MarkdownRow(const Parameter& parameter) {
  std::string names = absl::StrCat("`", parameter.name, "`");
  for (const std::string& alias : NamesOf(parameter)) {
    if (alias != std::string(parameter.name)) absl::StrAppend(&names, " `", alias, "`");
  }
  std::string flag = absl::StrCat("`", FlagName(parameter.name), "`");
  if (parameter.letter != 0) {
    absl::StrAppend(&flag, " `-", absl::string_view(&parameter.letter, 1), "`");
  }
  std::string type(KindText(parameter));
  if (HasRange(parameter)) {
    const bool over_zero = parameter.min > 0 && parameter.min <= 1e-6;
    absl::StrAppend(&type, over_zero ? ", over 0" : ", " + Plain(parameter.min), " to ",
                    Plain(parameter.max));
  }
  std::string help(parameter.help);
  if (parameter.source == Source::kCommandLine) help += " (not in files)";
  const std::string row = absl::StrCat("| ", names, " | ", flag, " | ", type, " | ",
                                       parameter.default_text, " | ", help, " |\n");
  return absl::StrReplaceAll(row, {{"auto|all|sample:N|none", "auto, all, sample:N or none"}});
}

constexpr char kMarkdownHead[] =
    R"(# Parameters

<!-- Written from coordinator/core/job_spec/parameters.cc; a test keeps the two equal. -->

Every parameter is a key of the job file (`-f`) and of `--config`, a flag (dashes for underscores) and an
environment variable (`TIDEMARK_` and the name in capitals: `TIDEMARK_REQUEST_COUNT`). A flag wins over the
environment, that over `--config`, that over `-f`. Names after the first one in a row are aliases.
Endpoint parameters stand under `endpoint:`, those of load, workload, objectives, search and time limits under
`parameters:`, the others at the top of a file; any may also stand at the top.

```yaml
name: llama-8b
endpoint: {url: http://vllm:8000, api: openai-chat, model: llama, headers: {X-Team: a}, api_key_env: KEY}
parameters: {concurrency: [64, 256, 1024], request_count: 500, prompt_input_tokens_mean: 1024, output_tokens_mean: 256}
labels: {hardware: 8xH100}
```

Unknown keys, flags and values are refused with exit code 2; unknown `TIDEMARK_` variables are left alone.
)";

}  // namespace

absl::Span<const Parameter> ParameterTable() { return kTable; }

std::vector<std::string> NamesOf(const Parameter& parameter) {
  std::vector<std::string> names = {std::string(parameter.name)};
  for (absl::string_view alias : absl::StrSplit(parameter.aliases, ' ', absl::SkipEmpty())) {
    names.emplace_back(alias);
  }
  return names;
}

const Parameter* FindParameter(absl::string_view name) {
  for (const Parameter& parameter : kTable) {
    if (parameter.name == name) return &parameter;
    for (absl::string_view alias : absl::StrSplit(parameter.aliases, ' ', absl::SkipEmpty())) {
      if (alias == name) return &parameter;
    }
  }
  return nullptr;
}

std::string FlagName(absl::string_view name) { return "--" + Spaced(name, '-', false); }

std::string EnvironmentName(absl::string_view name) { return "TIDEMARK_" + Spaced(name, '_', true); }

std::string ParametersMarkdown() {
  std::string text = kMarkdownHead;
  absl::string_view group;
  for (const Parameter& parameter : kTable) {
    if (parameter.group != group) {
      group = parameter.group;
      absl::StrAppend(&text, "\n## ", group, "\n\n");
      if (parameter.support == Support::kLater) {
        absl::StrAppend(&text, "Known by name, and refused (exit code 2) until a later version.\n\n");
      }
      absl::StrAppend(&text, "| key | flag | type | default | what it is |\n|---|---|---|---|---|\n");
    }
    absl::StrAppend(&text, MarkdownRow(parameter));
  }
  return text;
}

}  // namespace tidemark
