#include "common/settings/settings_file.h"

#include <yaml-cpp/yaml.h>

#include <exception>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/settings/said_text.h"

namespace tidemark {
namespace {

constexpr size_t kLargest = 64 * 1024;

std::string PlaceOf(absl::string_view file_name, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(file_name);
  return absl::StrCat(file_name, ":", mark.line + 1, ":", mark.column + 1);
}

absl::Status Bad(absl::string_view file_name, const YAML::Mark& mark, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(PlaceOf(file_name, mark), ": ", problem));
}

absl::StatusOr<std::vector<std::string>> ValuesOf(const YAML::Node& value, absl::string_view file_name,
                                                  const std::string& key) {
  if (value.IsScalar()) return std::vector<std::string>{value.Scalar()};
  std::vector<std::string> values;
  for (const YAML::Node& item : value) {
    if (!value.IsSequence() || !item.IsScalar()) return Bad(file_name, value.Mark(), absl::StrCat(key, ": want plain values"));
    values.push_back(item.Scalar());
  }
  if (!values.empty()) return values;
  return Bad(file_name, value.Mark(), absl::StrCat(key, " has no value: give it one, or leave the key out"));
}

absl::StatusOr<std::vector<FileSetting>> Read(const YAML::Node& top, absl::string_view file_name) {
  std::vector<FileSetting> settings;
  if (!top.IsDefined() || top.IsNull()) return settings;
  if (!top.IsMap()) return Bad(file_name, top.Mark(), "want keys and values, as \"log_level: debug\"");
  std::set<std::string> seen;
  for (const auto& entry : top) {
    if (!entry.first.IsScalar()) return Bad(file_name, entry.first.Mark(), "a key that is no text");
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second) return Bad(file_name, entry.first.Mark(), absl::StrCat("key \"", Printable(key), "\" twice"));
    absl::StatusOr<std::vector<std::string>> values = ValuesOf(entry.second, file_name, Printable(key));
    if (!values.ok()) return values.status();
    settings.push_back({key, PlaceOf(file_name, entry.first.Mark()), *std::move(values)});
  }
  return settings;
}

}  // namespace

absl::StatusOr<std::vector<FileSetting>> ParseSettingsFile(absl::string_view text, absl::string_view file_name) {
  if (text.size() > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": ", text.size(), " bytes: at most ", kLargest, " are read"));
  }
  try {
    return Read(YAML::Load(std::string(text)), file_name);
  } catch (const YAML::Exception& error) {
    return Bad(file_name, error.mark, absl::StrCat("no valid YAML: ", error.msg));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": no valid YAML: ", error.what()));
  }
}

}  // namespace tidemark
