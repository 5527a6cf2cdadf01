#include "agent/session/selftest_record.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/session/host_facts.h"
#include "common/environment/environment.h"
#include "common/json/json.h"

namespace tidemark {
namespace {

constexpr char kAgain[] = "run tidemark selftest again";

std::string ValueOf(const std::vector<std::string>& environment, absl::string_view name) {
  const std::string prefix = absl::StrCat(name, "=");
  for (const std::string& entry : environment) {
    if (absl::StartsWith(entry, prefix)) return entry.substr(prefix.size());
  }
  return "";
}

absl::Status Bad(absl::string_view field, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat("selftest: ", field, ": ", right));
}

std::string TextOf(const Json& json, absl::string_view name) {
  const Json* member = json.Find(name);
  const std::string* text = member == nullptr ? nullptr : member->AsString();
  return text == nullptr ? "" : *text;
}

double NumberOf(const Json& json, absl::string_view name) {
  const Json* member = json.Find(name);
  return member == nullptr ? std::nan("") : member->AsDouble().value_or(std::nan(""));
}

bool IsCount(double value) { return value >= 1 && value <= std::numeric_limits<uint32_t>::max(); }

std::string Describe(const SelftestKey& key) {
  return absl::StrCat(key.build, ", ", key.cores, key.cores == 1 ? " core" : " cores",
                      key.cpu_limit > 0 ? absl::StrCat(", CPU limit ", key.cpu_limit) : "");
}

}  // namespace

SelftestKey KeyOfThisHost() {
  const HostLimits limits = ReadHostLimits();
  return {BuildString(), limits.cores, limits.cgroup.cpu};
}

std::string EncodeSelftest(const SelftestRecord& record) {
  Json json = Json::Object();
  json.Set("build", record.key.build).Set("cores", record.key.cores).Set("cpu_limit", record.key.cpu_limit);
  json.Set("streams", record.streams).Set("events_per_second", record.events_per_second);
  json.Set("measured_at", record.measured_at);
  return json.Dump(2) + "\n";
}

absl::StatusOr<SelftestRecord> DecodeSelftest(absl::string_view text) {
  const absl::StatusOr<Json> json = ParseJson(text, "selftest");
  if (!json.ok()) return json.status();
  SelftestRecord record;
  record.key.build = TextOf(*json, "build");
  record.measured_at = TextOf(*json, "measured_at");
  const double cores = NumberOf(*json, "cores"), streams = NumberOf(*json, "streams");
  record.key.cpu_limit = NumberOf(*json, "cpu_limit");
  record.events_per_second = NumberOf(*json, "events_per_second");
  if (record.key.build.empty()) return Bad("build", "want the program's");
  if (!IsCount(cores)) return Bad("cores", "want 1 at least");
  if (!IsCount(streams)) return Bad("streams", "want 1 at least");
  if (!(record.key.cpu_limit >= 0)) return Bad("cpu_limit", "want cores, or 0 for none");
  if (!(record.events_per_second > 0 && record.events_per_second < 1e12)) return Bad("events_per_second", "want a number over 0");
  record.key.cores = static_cast<uint32_t>(cores);
  record.streams = static_cast<uint32_t>(streams);
  return record;
}

std::string SelftestPath(const std::vector<std::string>& environment) {
  std::string file = ValueOf(environment, "TIDEMARK_SELFTEST_FILE");
  if (!file.empty()) return file;
  const std::string state = ValueOf(environment, "XDG_STATE_HOME"), home = ValueOf(environment, "HOME");
  if (!state.empty() && state[0] == '/') return state + "/tidemark/selftest.json";
  return home.empty() ? "" : home + "/.local/state/tidemark/selftest.json";
}

KeptSelftest LoadSelftest(const std::string& path, const SelftestKey& key) {
  std::ifstream in(path);
  if (path.empty() || !in) return {};
  const std::string text(std::istreambuf_iterator<char>(in), {});
  absl::StatusOr<SelftestRecord> record = DecodeSelftest(text);
  if (!record.ok()) {
    return {std::nullopt, absl::StrCat(path, " is not used: ", std::string(record.status().message()), "; ", kAgain)};
  }
  if (record->key == key) return {*std::move(record), ""};
  return {std::nullopt, absl::StrCat("the selftest of ", record->measured_at, " is not used: it was of ",
                                     Describe(record->key), ", and this is ", Describe(key), "; ", kAgain)};
}

}  // namespace tidemark
