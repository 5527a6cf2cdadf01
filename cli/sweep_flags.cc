#include "cli/sweep_flags.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/parameters.h"

namespace tidemark {
namespace {

struct FlagTexts {
  std::string name;   // of the table: canonical or alias
  std::string shown;  // "--isl"
  std::vector<std::string> texts;
  CLI::Option* option = nullptr;
};

void AddFlag(CLI::App& app, const Parameter& parameter, const std::string& name, FlagTexts& flag) {
  flag.name = name;
  flag.shown = FlagName(name);
  const bool with_letter = parameter.letter != 0 && name == std::string(parameter.name);
  const std::string spelled =
      with_letter ? absl::StrCat("-", absl::string_view(&parameter.letter, 1), ",", flag.shown)
                  : flag.shown;
  flag.option = app.add_option(spelled, flag.texts);
  flag.option->allow_extra_args(false);
  if (parameter.kind == ParameterKind::kSwitch) flag.option->expected(0, 1);
}

std::vector<std::unique_ptr<FlagTexts>> AddFlags(CLI::App& app) {
  std::vector<std::unique_ptr<FlagTexts>> flags;
  for (const Parameter& parameter : ParameterTable()) {
    for (const std::string& name : NamesOf(parameter)) {
      flags.push_back(std::make_unique<FlagTexts>());
      AddFlag(app, parameter, name, *flags.back());
    }
  }
  return flags;
}

absl::Status RefuseUnknown(const std::vector<std::string>& extras) {
  std::vector<std::string> known = {"--help"};
  for (const Parameter& parameter : ParameterTable()) {
    for (const std::string& name : NamesOf(parameter)) known.push_back(FlagName(name));
  }
  const auto unknown = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
    return absl::StartsWith(extra, "-");
  });
  if (unknown == extras.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unexpected argument \"", Printable(extras.front()), "\": sweep takes flags only"));
  }
  const std::string flag = unknown->substr(0, unknown->find('='));
  return absl::InvalidArgumentError(absl::StrCat("unknown flag ", Printable(flag),
                                                 DidYouMean(flag, known)));
}

// What CLI11 says, as one line. "--url: 1 required TEXT missing" is said in our words.
absl::Status AsStatus(const CLI::Error& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.substr(0, text.find(':')), " wants a value after it"));
  }
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<Settings> Collect(const std::vector<std::unique_ptr<FlagTexts>>& flags) {
  Settings settings;
  for (const auto& flag : flags) {
    if (flag->option->count() == 0) continue;
    std::vector<std::string> texts = flag->option->results();
    const bool is_switch = FindParameter(flag->name)->kind == ParameterKind::kSwitch;
    if (is_switch && (texts.empty() || texts[0].empty())) texts = {"true"};
    const absl::Status status = AddTexts(flag->name, flag->shown, std::move(texts), settings);
    if (!status.ok()) return status;
  }
  return settings;
}

}  // namespace

absl::StatusOr<SweepFlags> ParseSweepFlags(const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();  // ours is grouped by the table
  app.allow_extras();
  bool help = false;
  app.add_flag("-h,--help", help);
  const std::vector<std::unique_ptr<FlagTexts>> flags = AddFlags(app);
  std::vector<std::string> reversed;
  for (const std::string& argument : arguments) reversed.push_back(WithDashes(argument));
  std::reverse(reversed.begin(), reversed.end());  // as CLI11 wants it
  try {
    app.parse(reversed);
  } catch (const CLI::Error& error) {
    return AsStatus(error);
  }
  const std::vector<std::string> extras = app.remaining();
  if (help) return SweepFlags{Settings(), true};
  if (!extras.empty()) return RefuseUnknown(extras);
  absl::StatusOr<Settings> settings = Collect(flags);
  if (!settings.ok()) return settings.status();
  return SweepFlags{*std::move(settings), false};
}

void ScrubArguments(int argc, char** argv) {
  const auto scrub = [](char* text) { std::memset(text, 'x', std::strlen(text)); };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = WithDashes(argv[i]);
    if (argument == "--api-key" && i + 1 < argc) scrub(argv[++i]);
    if (absl::StartsWith(argument, "--api-key=")) scrub(argv[i] + std::strlen("--api-key="));
  }
}

}  // namespace tidemark
