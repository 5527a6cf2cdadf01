#include "coordinator/core/job_spec/resolve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/measurement/metric_table.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/endpoint_settings.h"
#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/search_settings.h"
#include "coordinator/core/job_spec/setting_reader.h"

namespace tidemark {
namespace {

constexpr uint32_t kDefaultLevels[] = {1, 2, 4, 8, 16, 32, 64};

// Known parameters of later versions are refused before anything else: nothing is run without what
// was asked for.
void RefuseLater(const Settings& settings, SettingReader& reader) {
  for (const auto& [name, setting] : settings) {
    if (setting.parameter->support == ParameterSupport::kLater) {
      reader.Note(RefuseSetting(setting, "not supported yet"));
    }
  }
}

void NoteIgnored(const Settings& settings, JobSpec& spec) {
  for (const auto& [name, setting] : settings) {
    if (setting.parameter->support == ParameterSupport::kIgnored) {
      spec.notes.push_back(absl::StrCat(setting.shown_name, ": ", setting.parameter->help));
    }
  }
}

// "k:v k2:v2" as a JSON object; values that read as JSON literals are these.
absl::StatusOr<std::string> PairsToJson(absl::string_view text) {
  std::string yaml = "{";
  for (absl::string_view pair : absl::StrSplit(text, absl::ByAnyChar(" ,\n"), absl::SkipEmpty())) {
    const size_t colon = pair.find(':');
    if (colon == absl::string_view::npos || colon == 0) {
      return absl::InvalidArgumentError(absl::StrCat("\"", Printable(pair), "\" is no k:v pair"));
    }
    absl::StrAppend(&yaml, yaml.size() > 1 ? ", " : "", pair.substr(0, colon), ": ",
                    pair.substr(colon + 1));
  }
  return YamlMapToJson(yaml + "}");
}

absl::StatusOr<std::string> ObjectText(const std::vector<std::string>& texts) {
  const std::string text(absl::StripAsciiWhitespace(absl::StrJoin(texts, " ")));
  return !text.empty() && text[0] == '{' ? YamlMapToJson(text) : PairsToJson(text);
}

void ReadExtraInputs(SettingReader& reader, WorkloadSpec& workload) {
  const RawSetting* setting = reader.Find("extra_inputs");
  if (setting == nullptr) return;
  absl::StatusOr<std::string> json = setting->object_json.empty()
                                         ? ObjectText(setting->values)
                                         : absl::StatusOr<std::string>(setting->object_json);
  if (json.ok()) {
    if (*json != "{}") workload.extra_inputs_json = *std::move(json);
  } else {
    reader.Note(RefuseSetting(*setting, absl::StrCat(json.status().message(),
                                                     ": want k:v pairs or a JSON object")));
  }
}

void ReadWorkload(SettingReader& reader, WorkloadSpec& workload) {
  workload.input.mean = reader.Number("prompt_input_tokens_mean").value_or(512);
  workload.input.stddev = reader.Number("prompt_input_tokens_stddev").value_or(0);
  workload.output.mean = reader.Number("output_tokens_mean").value_or(128);
  workload.output.stddev = reader.Number("output_tokens_stddev").value_or(0);
  workload.streaming = reader.Switch("streaming").value_or(true);
  workload.fixed_output_length = !reader.Switch("natural_stop").value_or(false);
  workload.seed = reader.Integer("random_seed").value_or(42);
  ReadExtraInputs(reader, workload);
}

uint64_t Millis(double seconds) { return static_cast<uint64_t>(std::llround(seconds * 1000)); }

void RefuseLimitsBeyondTotal(SettingReader& reader, double total_seconds) {
  for (absl::string_view name :
       {"connect_timeout_seconds", "first_token_timeout_seconds", "idle_timeout_seconds"}) {
    const std::optional<double> limit = reader.Number(name);
    if (limit && *limit > total_seconds) {
      reader.Refuse(name, absl::StrCat(*limit),
                    absl::StrCat("want at most request_timeout_seconds, ", total_seconds));
    }
  }
}

void ReadLimits(SettingReader& reader, TimeLimits& limits) {
  const double total = reader.Number("request_timeout_seconds").value_or(600);
  limits.total_ms = Millis(total);
  limits.connect_ms = Millis(reader.Number("connect_timeout_seconds").value_or(std::min(30.0, total)));
  limits.first_token_ms = Millis(reader.Number("first_token_timeout_seconds").value_or(0));
  limits.idle_ms = Millis(reader.Number("idle_timeout_seconds").value_or(0));
  RefuseLimitsBeyondTotal(reader, total);
  if (reader.Has("first_token_timeout_seconds") && !reader.Switch("streaming").value_or(true)) {
    reader.Note(RefuseSetting(*reader.Find("first_token_timeout_seconds"),
                              "has no meaning with streaming: false"));
  }
}

void ReadLoad(SettingReader& reader, JobSpec& spec) {
  spec.request_count = reader.Integer("request_count");
  spec.level_cap_seconds = reader.Number("level_cap_seconds").value_or(60);
  if (spec.request_count && reader.Has("level_cap_seconds")) {
    reader.Note(RefuseSetting(*reader.Find("level_cap_seconds"),
                              "a request_count has no time cap: give one of them"));
  }
  spec.fill = !reader.Switch("no_fill").value_or(false);
  spec.level_cooldown_seconds = reader.Number("level_cooldown").value_or(0.2);
  spec.grace_period_seconds = reader.Number("benchmark_grace_period");
  spec.wait_ready_seconds = reader.Number("wait_ready").value_or(0);
  spec.agent_wait_seconds = reader.Number("agent_wait");
  if (spec.search) return;
  for (const uint64_t level : reader.IntegerList("concurrency")) {
    spec.concurrency.push_back(static_cast<uint32_t>(level));
  }
  if (spec.concurrency.empty()) {
    spec.concurrency.assign(std::begin(kDefaultLevels), std::end(kDefaultLevels));
  }
}

void ReadRecords(SettingReader& reader, JobSpec& spec) {
  const std::string text = reader.Text("export_records").value_or("auto");
  if (text == "auto") {
    spec.records = RecordExport::kAuto;
  } else if (text == "all") {
    spec.records = RecordExport::kAll;
  } else if (text == "none") {
    spec.records = RecordExport::kNone;
  } else if (text.rfind("sample:", 0) == 0 && absl::SimpleAtoi(text.substr(7), &spec.record_one_in) &&
             spec.record_one_in > 0) {
    spec.records = RecordExport::kSample;
  } else {
    reader.Refuse("export_records", text, "want auto, all, none, or sample:N to keep one in N");
  }
}

void ReadTimestamps(SettingReader& reader, JobSpec& spec) {
  const std::string text = reader.Text("timestamps").value_or("kernel");
  spec.user_timestamps = text == "user";
  if (text != "kernel" && text != "user") reader.Refuse("timestamps", text, "want kernel or user");
}

bool IsJobName(absl::string_view name) {
  constexpr size_t kLongest = 63;
  if (name.empty() || name.size() > kLongest || !absl::ascii_isalnum(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  });
}

void ReadLabels(SettingReader& reader, JobSpec& spec) {
  const RawSetting* setting = reader.Find("label");
  if (setting == nullptr) return;
  for (const auto& [key, value] : setting->pairs) {
    if (key.size() > 63 || value.size() > 256 || Printable(key) != key) {
      reader.Note(RefuseValue(*setting, absl::StrCat(key, "=", value),
                              "want a key of at most 63 bytes and a value of at most 256"));
    } else if (!spec.labels.emplace(key, value).second) {
      reader.Note(RefuseValue(*setting, key, "want each label once"));
    }
  }
}

void ReadJob(SettingReader& reader, JobSpec& spec) {
  const std::optional<std::string> name = reader.Text("name");
  spec.name = name.value_or(spec.search ? "search" : "sweep");
  if (name && !IsJobName(*name)) {
    reader.Refuse("name", *name,
                  "want 1 to 63 letters, digits, - _ . with a letter or digit first");
  }
  ReadLabels(reader, spec);
  ReadRecords(reader, spec);
  ReadTimestamps(reader, spec);
  spec.accept_undecided = reader.Switch("accept_undecided").value_or(false);
}

void ReadCluster(SettingReader& reader, ClusterSettings& cluster) {
  const std::pair<const char*, std::string*> texts[] = {
      {"coordinator", &cluster.coordinator}, {"context", &cluster.context}, {"tls_cert", &cluster.tls_cert},
      {"tls_key", &cluster.tls_key},         {"tls_ca", &cluster.tls_ca},   {"token_file", &cluster.token_file}};
  for (const auto& [name, text] : texts) *text = reader.Text(name).value_or("");
  cluster.plaintext = reader.Switch("plaintext");
  if (cluster.wanted()) return;
  // In the environment they may be there for other commands.
  for (absl::string_view name : {"plaintext", "tls_cert", "tls_key", "tls_ca", "token_file", "agent_wait"}) {
    const RawSetting* setting = reader.Find(name);
    if (setting == nullptr || !absl::StartsWith(setting->shown_name, "--")) continue;
    reader.Note(RefuseSetting(*setting, "is about a cluster: give --coordinator or --context too"));
  }
}

void ReadCommand(SettingReader& reader, CommandSettings& command) {
  command.output_dir = reader.Text("output_dir").value_or("");
  command.overwrite = reader.Switch("overwrite").value_or(false);
  command.dry_run = reader.Switch("dry_run").value_or(false);
  command.json = reader.Switch("json").value_or(false);
  command.log_json = reader.Switch("log_json").value_or(false);
  command.log_level = reader.Text("log_level").value_or("warning");
  const std::vector<std::string> levels = {"debug", "info", "warning", "error", "off"};
  if (std::find(levels.begin(), levels.end(), command.log_level) == levels.end()) {
    reader.Refuse("log_level", command.log_level, "want debug, info, warning, error or off");
  }
  if (const std::optional<uint64_t> capacity = reader.Integer("capacity")) {
    command.capacity = static_cast<uint32_t>(*capacity);
  }
  command.loops = static_cast<uint32_t>(reader.Integer("loops").value_or(0));
  if (const RawSetting* sources = reader.Find("source_address")) command.source_addresses = sources->values;
  command.http = reader.Text("http").value_or("");
  ReadCluster(reader, command.cluster);
  // A key that just lies in the environment gives way to a variable that was named.
  if (!reader.Has("api_key_env")) command.api_key = reader.Text("api_key").value_or("");
  const auto is_control = [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); };
  if (std::any_of(command.api_key.begin(), command.api_key.end(), is_control)) {
    reader.Refuse("api_key", "", "has a line end or another control character");
  }
}

}  // namespace

absl::StatusOr<ResolvedJob> Resolve(const std::vector<Settings>& layers) {
  const Settings settings = Overlay(layers);
  SettingReader reader(settings);
  RefuseLater(settings, reader);
  ResolvedJob job;
  job.spec.endpoint = ReadEndpoint(reader);
  ReadWorkload(reader, job.spec.workload);
  ReadLimits(reader, job.spec.limits);
  job.spec.search = ReadSearch(reader);
  ReadLoad(reader, job.spec);
  job.spec.slas = ReadSlas(reader, job.spec.search.has_value(), job.spec.workload.streaming);
  ReadJob(reader, job.spec);
  ReadCommand(reader, job.command);
  if (!reader.status().ok()) return reader.status();
  NoteIgnored(settings, job.spec);
  return job;
}

absl::Status ApplyCapacity(uint64_t capacity, absl::string_view because, absl::string_view cure,
                           JobSpec& spec) {
  const auto refuse = [&](absl::string_view name, uint64_t value) {
    const uint64_t hosts = capacity == 0 ? 0 : (value + capacity - 1) / capacity;
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is ", value, ": at most ", capacity, " here, for ", because, "; ", cure,
        hosts == 0 ? "" : absl::StrCat("; ", hosts, " agents like this host would carry it (--coordinator)")));
  };
  for (const uint32_t level : spec.concurrency) {
    if (level > capacity) return refuse("concurrency", level);
  }
  if (!spec.search || spec.search->spec.max <= capacity) return absl::OkStatus();
  SearchSpec& search = spec.search->spec;
  if (spec.search->max_given) return refuse("concurrency_max", search.max);
  if (search.min > capacity) return refuse("concurrency_min", search.min);
  if (search.start && *search.start > capacity) return refuse("search_start", *search.start);
  search.max = capacity;
  spec.notes.push_back(
      absl::StrCat("concurrency_max is lowered to ", capacity, ", for ", because, "; ", cure));
  return absl::OkStatus();
}

}  // namespace tidemark
