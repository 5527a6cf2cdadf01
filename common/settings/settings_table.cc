#include "common/settings/settings_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/environment/process_environment.h"
#include "common/settings/said_text.h"
#include "common/settings/settings_file.h"

namespace tidemark {
namespace {

std::string FlagOf(const std::string& name) { return "--" + name; }
std::string KeyOf(const std::string& name) { return absl::StrReplaceAll(name, {{"-", "_"}}); }
std::string VariableOf(const std::string& name) { return "TIDEMARK_" + absl::AsciiStrToUpper(KeyOf(name)); }

// --agent_wait=5 -> --agent-wait=5
std::string WithDashes(const std::string& argument) {
  if (!absl::StartsWith(argument, "--")) return argument;
  const size_t end = std::min(argument.find('='), argument.size());
  return absl::StrReplaceAll(argument.substr(0, end), {{"_", "-"}}) + argument.substr(end);
}

absl::Status Bad(const std::string& shown, const std::string& value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat(shown, " is \"", Printable(value), "\": ", right));
}

std::optional<bool> ParseSwitch(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower.empty() || lower == "true" || lower == "1" || lower == "yes" || lower == "on") return true;
  if (lower == "false" || lower == "0" || lower == "no" || lower == "off") return false;
  return std::nullopt;
}

// Characters of UTF-8.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.is_open() && !in.bad()) return text;
  return absl::InvalidArgumentError(strerror(errno));
}

// What CLI11 says, as one line of ours.
absl::Status AsStatus(const CLI::Error& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    return absl::InvalidArgumentError(absl::StrCat(text.substr(0, text.find(':')), " wants a value after it"));
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace

SettingSources ProcessSources(int argc, char** argv) {
  SettingSources sources;
  sources.arguments.assign(argv + std::min(argc, 1), argv + argc);
  sources.environment = ProcessEnvironment();
  sources.file = ReadWhole;
  return sources;
}

SettingsTable::SettingsTable(std::string program, std::string version, std::string summary)
    : program_(std::move(program)), version_(std::move(version)), summary_(std::move(summary)) {
  Text("config", "FILE", "a YAML file of settings", &config_);
}

void SettingsTable::Text(const std::string& name, const std::string& unit, const std::string& help, std::string* value) {
  settings_.push_back({name, unit, help, value});
}

void SettingsTable::List(const std::string& name, const std::string& unit, const std::string& help,
                         std::vector<std::string>* value) {
  settings_.push_back({name, unit, help, value});
}

void SettingsTable::Number(const std::string& name, const std::string& unit, const std::string& help, uint64_t least,
                           uint64_t most, uint64_t* value) {
  settings_.push_back({name, unit, help, Bounded{least, most, value}});
}

void SettingsTable::Switch(const std::string& name, const std::string& help, bool* value) {
  settings_.push_back({name, "", help, value});
}

absl::StatusOr<std::optional<std::string>> SettingsTable::Read(const SettingSources& sources) {
  absl::StatusOr<Flags> flags = ReadFlags(sources.arguments);
  if (!flags.ok()) return flags.status();
  if (flags->help) return Help();
  if (flags->version) return absl::StrCat(program_, " ", version_, "\n");
  std::vector<std::optional<Given>>& given = flags->given;
  for (size_t i = 0; i < settings_.size(); ++i) {
    if (!given[i]) given[i] = FromEnvironment(settings_[i], sources.environment);
  }
  if (given[0]) config_ = given[0]->values.back();
  absl::StatusOr<std::vector<std::optional<Given>>> file = ReadFile(sources);
  if (!file.ok()) return file.status();
  for (size_t i = 0; i < settings_.size(); ++i) {
    const std::optional<Given>& first = given[i] ? given[i] : (*file)[i];
    if (!first) continue;
    if (absl::Status status = Set(settings_[i], *first); !status.ok()) return status;
  }
  return std::nullopt;
}

absl::Status SettingsTable::Set(const Setting& setting, const Given& given) {
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&setting.value)) {
    **list = given.values;
    return absl::OkStatus();
  }
  if (given.values.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(given.shown, ": given more than once: give it once"));
  }
  const std::string& text = given.values[0];
  if (auto* const* value = std::get_if<std::string*>(&setting.value)) **value = text;
  if (auto* const* value = std::get_if<bool*>(&setting.value)) {
    const std::optional<bool> parsed = ParseSwitch(text);
    if (!parsed) return Bad(given.shown, text, "want true or false");
    **value = *parsed;
  }
  if (const auto* number = std::get_if<Bounded>(&setting.value)) {
    uint64_t parsed = 0;
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), IsDigit) && absl::SimpleAtoi(text, &parsed);
    if (!digits || parsed < number->least || parsed > number->most) {
      return Bad(given.shown, text, absl::StrCat("want a whole number from ", number->least, " to ", number->most));
    }
    *number->value = parsed;
  }
  return absl::OkStatus();
}

absl::StatusOr<SettingsTable::Flags> SettingsTable::ReadFlags(const std::vector<std::string>& arguments) const {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Flags flags;
  app.add_flag("-h,--help", flags.help);
  app.add_flag("-V,--version", flags.version);
  std::vector<std::vector<std::string>> texts(settings_.size());
  std::vector<CLI::Option*> options;
  for (size_t i = 0; i < settings_.size(); ++i) {
    options.push_back(app.add_option(FlagOf(settings_[i].name), texts[i]));
    options.back()->allow_extra_args(false);
    if (std::holds_alternative<bool*>(settings_[i].value)) options.back()->expected(0, 1);
  }
  std::vector<std::string> reversed;  // as CLI11 wants it
  for (const std::string& argument : arguments) reversed.insert(reversed.begin(), WithDashes(argument));
  try {
    app.parse(reversed);
  } catch (const CLI::Error& error) {
    return AsStatus(error);
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty() && !flags.help && !flags.version) return RefuseExtras(extras);
  for (size_t i = 0; i < settings_.size(); ++i) {
    flags.given.emplace_back();
    if (options[i]->count() == 0) continue;
    std::vector<std::string> values = options[i]->results();
    if (values.empty()) values = {""};  // a switch alone
    flags.given.back() = Given{FlagOf(settings_[i].name), std::move(values)};
  }
  return flags;
}

absl::Status SettingsTable::RefuseExtras(const std::vector<std::string>& extras) const {
  const auto unknown = std::find_if(extras.begin(), extras.end(), [](const std::string& s) { return absl::StartsWith(s, "-"); });
  if (unknown == extras.end()) {
    return absl::InvalidArgumentError(absl::StrCat("unexpected argument \"", Printable(extras.front()), "\": ", program_,
                                                   " takes flags only; see --help"));
  }
  std::vector<std::string> known = {"--help", "--version"};
  for (const Setting& setting : settings_) known.push_back(FlagOf(setting.name));
  const std::string flag = unknown->substr(0, unknown->find('='));
  const std::string nearest = DidYouMean(flag, known);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag ", Printable(flag), nearest.empty() ? ": see --help" : nearest));
}

// The last one counts, as in a shell; an empty one is as none.
std::optional<SettingsTable::Given> SettingsTable::FromEnvironment(const Setting& setting,
                                                                   const std::vector<std::string>& environment) const {
  const std::string variable = VariableOf(setting.name);
  std::optional<Given> found;
  for (const std::string& entry : environment) {
    absl::string_view value = entry;
    if (!absl::ConsumePrefix(&value, absl::StrCat(variable, "="))) continue;
    found = Given{variable, {std::string(value)}};
    if (std::holds_alternative<std::vector<std::string>*>(setting.value)) {
      found->values = absl::StrSplit(value, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
    }
    if (absl::StripAsciiWhitespace(value).empty()) found.reset();
  }
  return found;
}

absl::StatusOr<std::vector<std::optional<SettingsTable::Given>>> SettingsTable::ReadFile(
    const SettingSources& sources) const {
  std::vector<std::optional<Given>> given(settings_.size());
  if (config_.empty()) return given;
  const absl::StatusOr<std::string> text = sources.file(config_);
  if (!text.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--config ", config_, " cannot be read: ", text.status().message()));
  }
  const absl::StatusOr<std::vector<FileSetting>> entries = ParseSettingsFile(*text, config_);
  if (!entries.ok()) return entries.status();
  std::vector<std::string> known;
  for (size_t i = 1; i < settings_.size(); ++i) known.push_back(KeyOf(settings_[i].name));
  for (const FileSetting& entry : *entries) {
    const auto key = std::find(known.begin(), known.end(), entry.key);
    if (key == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(entry.place, ": unknown key \"", Printable(entry.key), "\"", DidYouMean(entry.key, known)));
    }
    given[static_cast<size_t>(key - known.begin()) + 1] = Given{absl::StrCat(entry.place, ": ", entry.key), entry.values};
  }
  return given;
}

std::string SettingsTable::DefaultOf(const Setting& setting) {
  if (auto* const* text = std::get_if<std::string*>(&setting.value)) return **text;
  if (const auto* number = std::get_if<Bounded>(&setting.value)) return absl::StrCat(*number->value);
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&setting.value)) return absl::StrJoin(**list, " ");
  return "";
}

std::string SettingsTable::Help() const {
  std::string help = absl::StrCat(program_, ": ", summary_, "\n\n");
  const auto add = [&help](std::string flag, absl::string_view text) {
    constexpr size_t kColumn = 34;
    flag = "  " + flag;
    const size_t width = WidthOf(flag);
    const bool fits = width + 2 <= kColumn;
    absl::StrAppend(&help, flag, fits ? "" : "\n", std::string(fits ? kColumn - width : kColumn, ' '), text, "\n");
  };
  for (const Setting& setting : settings_) {
    const std::string otherwise = DefaultOf(setting);
    const std::string many = std::holds_alternative<std::vector<std::string>*>(setting.value) ? "…" : "";
    add(absl::StrCat(FlagOf(setting.name), setting.unit.empty() ? "" : " ", setting.unit, many),
        absl::StrCat(setting.help, otherwise.empty() ? "" : absl::StrCat(" (", otherwise, ")")));
  }
  add("-h, --help", "this text");
  add("-V, --version", "the version");
  absl::StrAppend(&help, "\nEvery flag is also a variable (--log-level: TIDEMARK_LOG_LEVEL) and a key of the --config file (log_level).\n",
                  "A flag goes before a variable, and that before a key.\n");
  return help;
}

}  // namespace tidemark
