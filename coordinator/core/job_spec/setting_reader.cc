#include "coordinator/core/job_spec/setting_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

std::string WholeNumber(double value) { return absl::StrCat(static_cast<uint64_t>(value)); }

std::string RangeText(const Parameter& parameter) {
  return absl::StrCat("want a whole number from ", WholeNumber(parameter.min), " to ",
                      WholeNumber(parameter.max));
}

std::string NumberText(const Parameter& parameter) {
  const bool over_zero = parameter.min > 0 && parameter.min <= 1e-6;
  const std::string least = over_zero ? "want a number over 0, at most "
                                      : absl::StrFormat("want a number from %.15g to ", parameter.min);
  return absl::StrCat(least, absl::StrFormat("%.15g", parameter.max));
}

bool AllDigits(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

const RawSetting* SettingReader::Find(absl::string_view name) const {
  const auto found = settings_.find(std::string(name));
  return found == settings_.end() ? nullptr : &found->second;
}

void SettingReader::Note(absl::Status problem) {
  if (status_.ok()) status_ = std::move(problem);
}

void SettingReader::Refuse(absl::string_view name, absl::string_view value,
                           absl::string_view what_is_right) {
  Note(RefuseValue(*Find(name), value, what_is_right));
}

std::optional<std::string> SettingReader::Text(absl::string_view name) {
  const RawSetting* setting = Find(name);
  if (setting == nullptr) return std::nullopt;
  std::string value = setting->values.empty() ? "" : setting->values[0];
  if (value.empty()) {
    Note(RefuseValue(*setting, value, absl::StrCat("want ", setting->parameter->unit)));
    return std::nullopt;
  }
  return value;
}

std::optional<uint64_t> SettingReader::ParseInteger(const RawSetting& setting,
                                                    absl::string_view text) {
  const Parameter& parameter = *setting.parameter;
  const absl::string_view digits = absl::StripAsciiWhitespace(text);
  uint64_t value = 0;
  const bool read = AllDigits(digits) && absl::SimpleAtoi(digits, &value);
  if (!read || value < static_cast<uint64_t>(parameter.min) ||
      value > static_cast<uint64_t>(parameter.max)) {
    Note(RefuseValue(setting, text, RangeText(parameter)));
    return std::nullopt;
  }
  return value;
}

std::optional<uint64_t> SettingReader::Integer(absl::string_view name) {
  const RawSetting* setting = Find(name);
  if (setting == nullptr) return std::nullopt;
  return ParseInteger(*setting, setting->values.empty() ? "" : setting->values[0]);
}

std::vector<uint64_t> SettingReader::IntegerList(absl::string_view name) {
  std::vector<uint64_t> list;
  const RawSetting* setting = Find(name);
  if (setting == nullptr) return list;
  for (const std::string& text : setting->values) {
    for (absl::string_view item : absl::StrSplit(text, ',')) {
      const std::optional<uint64_t> value = ParseInteger(*setting, item);
      if (!value) return {};
      if (std::find(list.begin(), list.end(), *value) != list.end()) {
        Note(RefuseSetting(*setting, absl::StrCat("has ", *value, " twice: give each level once")));
        return {};
      }
      list.push_back(*value);
    }
  }
  return list;
}

std::optional<double> SettingReader::Number(absl::string_view name) {
  const RawSetting* setting = Find(name);
  if (setting == nullptr) return std::nullopt;
  const Parameter& parameter = *setting->parameter;
  const std::string text = setting->values.empty() ? "" : setting->values[0];
  double value = 0;
  const bool read = absl::SimpleAtod(text, &value) && std::isfinite(value);
  if (!read || value < parameter.min || value > parameter.max) {
    Note(RefuseValue(*setting, text, NumberText(parameter)));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> SettingReader::Switch(absl::string_view name) {
  const RawSetting* setting = Find(name);
  if (setting == nullptr) return std::nullopt;
  const std::string text = setting->values.empty() ? "" : absl::AsciiStrToLower(setting->values[0]);
  for (absl::string_view yes : {"true", "1", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (absl::string_view no : {"false", "0", "no", "off"}) {
    if (text == no) return false;
  }
  Note(RefuseValue(*setting, text, "want true or false"));
  return std::nullopt;
}

std::vector<std::string> SettingReader::TextList(absl::string_view name) const {
  const RawSetting* setting = Find(name);
  return setting == nullptr ? std::vector<std::string>() : setting->values;
}

}  // namespace tidemark
