#include "coordinator/core/job_spec/job_file.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/yaml_text.h"

namespace tidemark {
namespace {

constexpr absl::string_view kEndpointSection = "endpoint";
constexpr absl::string_view kParametersSection = "parameters";

// Reads the maps of one file into a layer.
class JobFileReader {
 public:
  explicit JobFileReader(absl::string_view file_name) : file_name_(file_name) {}

  absl::Status ReadTop(const YAML::Node& top) {
    for (const auto& entry : top) {
      const std::string section = entry.first.IsScalar() ? entry.first.Scalar() : "";
      absl::Status status;
      if (section == kEndpointSection) {
        status = ReadSection(entry, ParameterSection::kEndpoint, seen_endpoint_);
      } else if (section == kParametersSection) {
        status = ReadSection(entry, ParameterSection::kParameters, seen_parameters_);
      } else {
        status = ReadKey(entry.first, entry.second, std::nullopt);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  Settings TakeLayer() { return std::move(layer_); }

 private:
  using Entry = YAML::const_iterator::value_type;

  absl::Status Refuse(const YAML::Node& node, absl::string_view problem) const {
    return absl::InvalidArgumentError(absl::StrCat(PlaceOf(file_name_, node.Mark()), ": ", problem));
  }

  absl::Status ReadSection(const Entry& entry, ParameterSection section, bool& seen) {
    const std::string& name = entry.first.Scalar();
    if (seen) return Refuse(entry.first, absl::StrCat("key \"", name, "\" twice"));
    seen = true;
    if (!entry.second.IsMap()) {
      return Refuse(entry.first, absl::StrCat(name, ": want a map of keys and values"));
    }
    for (const auto& inner : entry.second) {
      absl::Status status = ReadKey(inner.first, inner.second, section);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static bool BelongsIn(const Parameter& parameter, std::optional<ParameterSection> section) {
    if (!section || parameter.section == *section) return true;
    return parameter.name == "model";  // SageMaker's parameters have it too
  }

  absl::Status UnknownKey(const YAML::Node& key, std::optional<ParameterSection> section) const {
    std::vector<std::string> candidates;
    for (const Parameter& parameter : ParameterTable()) {
      if (!BelongsIn(parameter, section) || parameter.source != ParameterSource::kAnywhere) continue;
      for (std::string& name : NamesOf(parameter)) candidates.push_back(std::move(name));
    }
    if (!section) {
      candidates.emplace_back(kEndpointSection);
      candidates.emplace_back(kParametersSection);
    }
    return Refuse(key, absl::StrCat("unknown key \"", Printable(key.Scalar()), "\"",
                                    DidYouMean(key.Scalar(), candidates)));
  }

  absl::Status Misplaced(const YAML::Node& key, const Parameter& parameter) const {
    const absl::string_view home =
        parameter.section == ParameterSection::kEndpoint     ? "under endpoint:"
        : parameter.section == ParameterSection::kParameters ? "under parameters:"
                                                             : "at the top of the file";
    return Refuse(key, absl::StrCat("key \"", key.Scalar(), "\" belongs ", home));
  }

  absl::Status NotInFiles(const YAML::Node& key, const Parameter& parameter) const {
    const std::string cure = parameter.name == "api_key"
                                 ? "name the variable that holds it with api_key_env"
                                 : absl::StrCat("use the flag ", FlagName(parameter.name));
    return Refuse(key, absl::StrCat(key.Scalar(), " may not stand in a file: ", cure));
  }

  absl::Status ReadKey(const YAML::Node& key, const YAML::Node& value,
                       std::optional<ParameterSection> section) {
    if (!key.IsScalar()) return Refuse(key, "a key that is no text");
    const Parameter* parameter = FindParameter(key.Scalar());
    if (parameter == nullptr) return UnknownKey(key, section);
    if (!BelongsIn(*parameter, section)) return Misplaced(key, *parameter);
    if (parameter->source == ParameterSource::kCommandLine) return NotInFiles(key, *parameter);
    RawSetting setting;
    setting.parameter = parameter;
    setting.shown_name = key.Scalar();
    setting.place = PlaceOf(file_name_, value.IsNull() ? key.Mark() : value.Mark());
    const absl::Status status = ReadValue(value, setting);
    return status.ok() ? AddSetting(std::move(setting), layer_) : status;
  }

  absl::Status ReadValue(const YAML::Node& value, RawSetting& setting) const {
    const ParameterKind kind = setting.parameter->kind;
    if (setting.parameter->support == ParameterSupport::kLater) return absl::OkStatus();
    if (value.IsNull()) return RefuseSetting(setting, "has no value");
    if (value.IsMap()) return ReadMap(value, setting);
    if (value.IsSequence()) return ReadList(value, setting);
    if (kind == ParameterKind::kPairs) return RefuseSetting(setting, "want a map of names and values");
    setting.values.push_back(value.Scalar());
    return absl::OkStatus();
  }

  absl::Status ReadMap(const YAML::Node& value, RawSetting& setting) const {
    if (setting.parameter->kind == ParameterKind::kObject) {
      absl::StatusOr<std::string> json = NodeToJson(value, file_name_);
      if (!json.ok()) return json.status();
      setting.object_json = *std::move(json);
      return absl::OkStatus();
    }
    if (setting.parameter->kind != ParameterKind::kPairs) {
      return RefuseSetting(setting, "is a map: want a single value");
    }
    for (const auto& entry : value) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        return Refuse(entry.first, absl::StrCat(setting.shown_name, ": want a name and a text"));
      }
      setting.pairs.emplace_back(entry.first.Scalar(), entry.second.Scalar());
    }
    return absl::OkStatus();
  }

  absl::Status ReadList(const YAML::Node& value, RawSetting& setting) const {
    const ParameterKind kind = setting.parameter->kind;
    if (kind != ParameterKind::kTextList && kind != ParameterKind::kIntegerList) {
      return RefuseSetting(setting, "is a list: want a single value");
    }
    for (const YAML::Node& item : value) {
      if (!item.IsScalar()) {
        return Refuse(item, absl::StrCat(setting.shown_name, ": want plain values in the list"));
      }
      setting.values.push_back(item.Scalar());
    }
    return setting.values.empty() ? RefuseSetting(setting, "is an empty list: want at least one")
                                  : absl::OkStatus();
  }

  const std::string file_name_;
  Settings layer_;
  bool seen_endpoint_ = false;
  bool seen_parameters_ = false;
};

}  // namespace

absl::StatusOr<Settings> ParseJobFile(absl::string_view text, absl::string_view file_name) {
  const absl::StatusOr<YAML::Node> top = LoadBoundedMap(text, file_name);
  if (!top.ok()) return top.status();
  JobFileReader reader{std::string(file_name)};
  const absl::Status status = reader.ReadTop(*top);
  if (!status.ok()) return status;
  return reader.TakeLayer();
}

absl::StatusOr<std::string> YamlMapToJson(absl::string_view text) {
  const absl::StatusOr<YAML::Node> top = LoadBoundedMap(text, "");
  return top.ok() ? NodeToJson(*top, "") : top.status();
}

}  // namespace tidemark
