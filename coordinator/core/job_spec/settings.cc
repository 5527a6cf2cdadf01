#include "coordinator/core/job_spec/settings.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/settings/said_text.h"

namespace tidemark {
namespace {

bool MayHoldSecret(const Parameter& parameter) {
  return parameter.name == "header" || parameter.name == "api_key";
}

std::string Prefix(const RawSetting& setting) {
  return setting.place.empty() ? "" : absl::StrCat(setting.place, ": ");
}

// "Name: value" of a header, "k=v" of a label.
absl::Status AddPair(absl::string_view text, RawSetting& setting) {
  const bool header = setting.parameter->name == "header";
  const std::pair<std::string, std::string> pair =
      absl::StrSplit(text, absl::MaxSplits(header ? ':' : '=', 1));
  const bool separated = text.find(header ? ':' : '=') != absl::string_view::npos;
  const std::string name(absl::StripAsciiWhitespace(pair.first));
  if (!separated || name.empty()) {
    return header ? RefuseSetting(setting, "want 'Name: value'")
                  : RefuseValue(setting, text, "want key=value");
  }
  setting.pairs.emplace_back(name, std::string(absl::StripAsciiWhitespace(pair.second)));
  return absl::OkStatus();
}

std::vector<std::string> SplitVariable(const Parameter& parameter, const std::string& value) {
  const bool list =
      parameter.kind == ParameterKind::kTextList || parameter.kind == ParameterKind::kPairs;
  if (!list) return {value};
  const char separator = parameter.name == "header" ? '\n' : ',';
  return absl::StrSplit(value, separator, absl::SkipWhitespace());
}

}  // namespace

absl::Status RefuseValue(const RawSetting& setting, absl::string_view value,
                         absl::string_view what_is_right) {
  if (MayHoldSecret(*setting.parameter)) return RefuseSetting(setting, what_is_right);
  const std::string shown = value.empty() ? "empty" : Printable(value);
  return absl::InvalidArgumentError(
      absl::StrCat(Prefix(setting), setting.shown_name, " is ", shown, ": ", what_is_right));
}

absl::Status RefuseSetting(const RawSetting& setting, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat(Prefix(setting), setting.shown_name, ": ", problem));
}

absl::Status AddSetting(RawSetting setting, Settings& layer) {
  const std::string name(setting.parameter->name);
  const auto found = layer.find(name);
  if (found == layer.end()) {
    layer.emplace(name, std::move(setting));
    return absl::OkStatus();
  }
  const RawSetting& first = found->second;
  if (first.shown_name == setting.shown_name) {
    return RefuseSetting(setting, "given twice: give it once");
  }
  return RefuseSetting(setting, absl::StrCat("is the same as ", first.shown_name,
                                             ", which is given too: give one of them"));
}

absl::Status AddTexts(absl::string_view name, absl::string_view shown_name,
                      std::vector<std::string> texts, Settings& layer) {
  RawSetting setting;
  setting.parameter = FindParameter(name);
  setting.shown_name = std::string(shown_name);
  const ParameterKind kind = setting.parameter->kind;
  if (kind == ParameterKind::kPairs) {
    for (const std::string& text : texts) {
      absl::Status status = AddPair(text, setting);
      if (!status.ok()) return status;
    }
    return AddSetting(std::move(setting), layer);
  }
  const bool repeatable = kind == ParameterKind::kTextList || kind == ParameterKind::kIntegerList ||
                          kind == ParameterKind::kObject;
  if (!repeatable && texts.size() > 1) {
    return RefuseSetting(setting, "given more than once: give it once");
  }
  setting.values = std::move(texts);
  return AddSetting(std::move(setting), layer);
}

absl::StatusOr<Settings> SettingsFromEnvironment(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  Settings layer;
  for (const Parameter& parameter : ParameterTable()) {
    for (const std::string& name : NamesOf(parameter)) {
      const std::string variable = EnvironmentName(name);
      const auto found = variables.find(variable);
      if (found == variables.end() || found->second.empty()) continue;
      const absl::Status status =
          AddTexts(name, variable, SplitVariable(parameter, found->second), layer);
      if (!status.ok()) return status;
    }
  }
  return layer;
}

Settings Overlay(const std::vector<Settings>& layers) {
  Settings merged;
  for (const Settings& layer : layers) merged.insert(layer.begin(), layer.end());
  return merged;
}

}  // namespace tidemark
