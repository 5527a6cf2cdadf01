#include "cli/sweep_flags.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/job/secret_header.h"
#include "common/settings/said_text.h"
#include "coordinator/core/job_spec/parameters.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

// --request_count=5 -> --request-count=5: both spellings are at home with our peers.
std::string WithDashes(const std::string& argument) {
  if (!absl::StartsWith(argument, "--")) return argument;
  std::string dashed = argument;
  const size_t end = std::min(argument.find('='), argument.size());
  std::replace(dashed.begin(), dashed.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
  return dashed;
}

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

// "authorization: x" -> "authorization: <not shown>".
std::string WithoutSecretValue(const std::string& header) {
  const size_t colon = header.find(':');
  const bool secret = colon == std::string::npos || IsSecretHeader(header.substr(0, colon));
  return secret ? absl::StrCat(header.substr(0, std::min(colon, header.size())), ": ", kNotShown)
                : header;
}

// A flag whose value may hold a secret, and what may be shown of that.
struct Shower {
  const char* flag;
  std::string (*show)(const std::string& value);
};

const Shower* ShowerOf(absl::string_view flag) {
  static constexpr Shower kShowers[] = {
      {"-H", WithoutSecretValue}, {"--header", WithoutSecretValue}, {"--headers", WithoutSecretValue},
      {"-u", RedactUrl},          {"--url", RedactUrl},             {"--urls", RedactUrl}};
  for (const Shower& shower : kShowers) {
    if (flag == shower.flag) return &shower;
  }
  return nullptr;
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

std::vector<std::string> WithoutSecretArguments(const std::vector<std::string>& arguments,
                                                const std::string& key_variable) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& written = arguments[i];
    const std::string argument = WithDashes(written);
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const bool has_value = equals != std::string::npos;
    if (flag == "--api-key") {
      shown.push_back("--api-key-env");
      shown.push_back(key_variable);
      if (!has_value) ++i;
    } else if (const Shower* shower = ShowerOf(flag); shower && (has_value || i + 1 < arguments.size())) {
      shown.push_back(flag);
      shown.push_back(shower->show(has_value ? argument.substr(equals + 1) : arguments[++i]));
    } else if (const Shower* glued = ShowerOf(written.substr(0, 2)); glued && written.size() > 2) {
      shown.push_back(glued->flag);
      shown.push_back(glued->show(written.substr(2)));
    } else {
      shown.push_back(written);
    }
  }
  return shown;
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
