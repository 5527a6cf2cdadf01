#include "cli/job_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/job_spec/parameters.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {
namespace {

constexpr double kLongestWait = 1e7;  // seconds
constexpr uint32_t kLongestList = 10'000;

// What CLI11 fills, and the flags that this command has.
class Parser {
 public:
  explicit Parser(const std::string& command) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras();
    Switch("-h,--help", &flags_.help);
    Switch("--json", &flags_.json);
    AddCluster();
    if (command == "stop") Switch("--now", &flags_.now);
    if (command == "wait") Text("--timeout", &timeout_);
    if (command == "list") Text("--limit", &limit_);
    if (command == "list") app_.add_option("--state", flags_.states)->allow_extra_args(false);
    if (command == "results") AddResults();
  }

  absl::StatusOr<JobFlags> Parse(const std::vector<std::string>& arguments) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    try {
      app_.parse(reversed);
    } catch (const CLI::Error& error) {
      std::string text = error.what();
      std::replace(text.begin(), text.end(), '\n', ' ');
      return absl::InvalidArgumentError(text);
    }
    if (flags_.help) return flags_;
    absl::Status status = TakeJobId(app_.remaining());
    if (status.ok()) status = ReadNumbers();
    if (!status.ok()) return status;
    if (plaintext_) flags_.cluster.plaintext = true;
    return flags_;
  }

 private:
  void Switch(const std::string& name, bool* value) { Known(name, app_.add_flag(name, *value)); }
  void Text(const std::string& name, std::string* value) {
    Known(name, app_.add_option(name, *value)->allow_extra_args(false));
  }
  void Known(const std::string& name, CLI::Option*) { known_.push_back(name.substr(name.find("--"))); }

  void AddCluster() {
    ClusterSettings& cluster = flags_.cluster;
    Text("--coordinator", &cluster.coordinator);
    Text("--context", &cluster.context);
    Switch("--plaintext", &plaintext_);
    Text("--tls-cert", &cluster.tls_cert);
    Text("--tls-key", &cluster.tls_key);
    Text("--tls-ca", &cluster.tls_ca);
    Text("--token-file", &cluster.token_file);
  }

  void AddResults() {
    Text("--output-dir", &flags_.output_dir);
    Switch("--overwrite", &flags_.overwrite);
    Switch("--without-records", &flags_.without_records);
  }

  bool NamesAJob() const { return command_ != "list" && command_ != "agents"; }

  absl::Status TakeJobId(const std::vector<std::string>& rest) {
    for (const std::string& argument : rest) {
      if (absl::StartsWith(argument, "-")) return Unknown(argument.substr(0, argument.find('=')));
    }
    const size_t wanted = NamesAJob() ? 1 : 0;
    if (rest.size() > wanted) {
      return absl::InvalidArgumentError(absl::StrCat("unexpected argument \"", Printable(rest[wanted]), "\""));
    }
    if (rest.size() < wanted) {
      return absl::InvalidArgumentError(
          absl::StrCat("which job? tidemark job ", command_, " ID; tidemark job list shows them"));
    }
    if (wanted == 1) flags_.job_id = rest[0];
    return absl::OkStatus();
  }

  absl::Status Unknown(const std::string& flag) const {
    return absl::InvalidArgumentError(absl::StrCat("unknown flag ", Printable(flag), DidYouMean(flag, known_)));
  }

  absl::Status ReadNumbers() {
    double timeout = 0;
    if (!timeout_.empty()) {
      if (!absl::SimpleAtod(timeout_, &timeout) || !(timeout >= 0 && timeout <= kLongestWait)) {
        return absl::InvalidArgumentError(absl::StrCat("--timeout is ", Printable(timeout_), ": want seconds"));
      }
      flags_.timeout_s = timeout;
    }
    if (limit_.empty()) return absl::OkStatus();
    if (absl::SimpleAtoi(limit_, &flags_.limit) && flags_.limit >= 1 && flags_.limit <= kLongestList) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("--limit is ", Printable(limit_), ": want 1 to ", kLongestList));
  }

  const std::string command_;
  CLI::App app_;
  JobFlags flags_;
  bool plaintext_ = false;
  std::string timeout_, limit_;
  std::vector<std::string> known_;
};

void Fill(const Settings& settings, absl::string_view name, std::string* value) {
  const auto found = settings.find(std::string(name));
  if (value->empty() && found != settings.end()) *value = found->second.values.front();
}

// A variable stands for the flag that was not given.
absl::Status AddEnvironment(const std::vector<std::string>& environment, ClusterSettings* cluster) {
  const absl::StatusOr<Settings> settings = SettingsFromEnvironment(environment);
  if (!settings.ok()) return settings.status();
  if (!cluster->wanted()) {
    Fill(*settings, "coordinator", &cluster->coordinator);
    Fill(*settings, "context", &cluster->context);
  }
  Fill(*settings, "tls_cert", &cluster->tls_cert);
  Fill(*settings, "tls_key", &cluster->tls_key);
  Fill(*settings, "tls_ca", &cluster->tls_ca);
  Fill(*settings, "token_file", &cluster->token_file);
  std::string plaintext;
  Fill(*settings, "plaintext", &plaintext);
  if (!cluster->plaintext && plaintext == "true") cluster->plaintext = true;
  return absl::OkStatus();
}

absl::Status CheckStates(const std::vector<std::string>& states) {
  const std::vector<std::string> known = {"queued", "running", "stopping", "completed", "failed", "stopped"};
  for (const std::string& state : states) {
    if (std::find(known.begin(), known.end(), state) != known.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--state is ", Printable(state), ": want ", absl::StrJoin(known, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobFlags> ParseJobFlags(const std::string& command, const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& environment) {
  absl::StatusOr<JobFlags> flags = Parser(command).Parse(arguments);
  if (!flags.ok() || flags->help) return flags;
  absl::Status status = CheckStates(flags->states);
  if (status.ok()) status = AddEnvironment(environment, &flags->cluster);
  if (!status.ok()) return status;
  return flags;
}

const std::vector<std::string>& JobCommands() {
  static const auto* const kCommands =
      new std::vector<std::string>{"create", "list", "describe", "watch", "wait", "stop", "delete", "results"};
  return *kCommands;
}

}  // namespace tidemark
