// tidemark-sim: the simulator as a program.

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "simulator/fault_plan.h"
#include "simulator/null_endpoint.h"
#include "simulator/script.h"
#include "simulator/simulator.h"
#include "simulator/version.h"

namespace tidemark {
namespace {

constexpr int kExitCannotRun = 1;
constexpr int kExitUsage = 2;

struct Flags {
  std::string listen = "127.0.0.1:8000";
  std::string script;
  std::vector<std::string> faults;
  std::optional<double> delay_ms, itl_ms;
  bool exit_with_parent = false;
  bool null = false;
  uint64_t event_bytes = NullOptions().event_bytes;
  std::string send_log;
};

// CLI11 alone would say of a bad number neither its value nor what is right.
CLI::Validator Number() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        if (absl::SimpleAtod(text, &value)) return std::string();
        return absl::StrCat("'", text, "' is no number; give one, as in 0.5");
      },
      "NUMBER");
}

CLI::Validator WholeNumber() {
  return CLI::Validator(
      [](std::string& text) {
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && value >= 0) return std::string();
        return absl::StrCat("'", text, "' is no whole number; give one, as in 16");
      },
      "COUNT");
}

void AddLawFlags(CLI::App* app, SimulatorOptions* options) {
  LawConstants* law = &options->law;
  app->add_option("--prefill-us-per-token", law->prefill_us_per_token,
                  "a: time a step takes for each prompt token it admits (us)")
      ->check(Number())
      ->capture_default_str();
  app->add_option("--step-ms", law->step_ms, "b: fixed time of a step")
      ->check(Number())
      ->capture_default_str();
  app->add_option("--sequence-ms", law->sequence_ms, "c: time of a step for each sequence in it")
      ->check(Number())
      ->capture_default_str();
  app->add_option("--max-batch", law->max_batch, "sequences in a step at most")
      ->check(WholeNumber())
      ->capture_default_str();
  app->add_option("--max-prompt-tokens-per-step", law->max_prompt_tokens_per_step,
                  "prompt tokens that a step admits at most; 0: no limit")
      ->check(WholeNumber())
      ->capture_default_str();
  app->add_option("--jitter", law->jitter, "a step's time is multiplied by 1 +- this, at random")
      ->check(Number())
      ->capture_default_str();
}

void AddModelFlags(CLI::App* app, SimulatorOptions* options) {
  app->add_option("--model", options->models, "a model served (may be repeated)")
      ->capture_default_str();
  app->add_option("--base-model", options->base_models,
                  "a model without a chat template: completions only (may be repeated)");
  app->add_option("--require-key", options->required_key, "answer 401 without this bearer key");
  app->add_option("--tls-cert", options->tls_cert, "PEM file: serve HTTPS");
  app->add_option("--tls-key", options->tls_key, "PEM file of the certificate's key");
  app->add_option("--template-tokens", options->template_tokens,
                  "tokens that the chat template adds to a prompt's words")
      ->check(WholeNumber())
      ->capture_default_str();
  app->add_option("--natural-mean", options->natural_mean,
                  "mean output length without ignore_eos (tokens)")
      ->check(Number())
      ->capture_default_str();
  app->add_flag("--role-chunk", options->role_chunk,
                "send the role in an event of its own before the first token's");
  app->add_option("--seed", options->seed, "seed of jitter, lengths and faults")
      ->check(WholeNumber())
      ->capture_default_str();
}

// The null endpoint has no law, no faults and no TLS: a flag of those would be ignored, so it is refused.
void AddNullFlags(CLI::App* app, Flags* flags) {
  const std::vector<std::string> shared = {"--help", "--listen", "--delay-ms", "--itl-ms", "--model",
                                           "--exit-with-parent"};
  const std::vector<CLI::Option*> others = app->get_options([&shared](const CLI::Option* option) {
    return std::find(shared.begin(), shared.end(), option->get_name()) == shared.end();
  });
  CLI::Option* null = app->add_flag("--null", flags->null,
                                    "the null endpoint: as cheap as a server can be, for what is said of a client; "
                                    "with --delay-ms and --itl-ms");
  for (CLI::Option* other : others) null->excludes(other);
  app->add_option("--event-bytes", flags->event_bytes, "size of a token's event, with --null")
      ->check(WholeNumber())
      ->capture_default_str()
      ->needs(null);
  app->add_option("--send-log", flags->send_log,
                  "file for the times of all that was sent (simulator/send_log.h), with --null")
      ->needs(null);
}

void AddFlags(CLI::App* app, Flags* flags, SimulatorOptions* options) {
  app->add_option("--listen", flags->listen, "HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  AddLawFlags(app, options);
  AddModelFlags(app, options);
  app->add_option("--delay-ms", flags->delay_ms,
                  "no queue: every stream's first token after this time, with --itl-ms")
      ->check(Number());
  app->add_option("--itl-ms", flags->itl_ms, "then one token each this time")->check(Number());
  app->add_option("--fault", flags->faults,
                  "KIND@PROBABILITY (may be repeated): status:CODE, stall, cut, reset, error, "
                  "slow_first:MS");
  app->add_option("--script", flags->script, "play this case file for every POST");
  app->add_flag("--exit-with-parent", flags->exit_with_parent,
                "end when the process that started this one does");
  AddNullFlags(app, flags);
  app->set_version_flag("--version", kSimulatorServer);
}

absl::Status SplitListen(const std::string& listen, SimulatorOptions* options) {
  const size_t colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(listen.substr(colon + 1), &options->port) || options->port < 0 ||
      options->port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat(
        "listen '", listen, "': give HOST:PORT with a port from 0 to 65535, as in 127.0.0.1:0"));
  }
  options->host = listen.substr(0, colon);
  if (options->host.size() > 2 && options->host.front() == '[' && options->host.back() == ']') {
    options->host = options->host.substr(1, options->host.size() - 2);
  }
  return absl::OkStatus();
}

absl::Status Complete(const Flags& flags, SimulatorOptions* options) {
  absl::Status split = SplitListen(flags.listen, options);
  if (!split.ok()) return split;
  if (flags.delay_ms.has_value() != flags.itl_ms.has_value()) {
    return absl::InvalidArgumentError(
        "delay-ms, --itl-ms: only one is given; the fixed-delay mode needs both");
  }
  if (flags.delay_ms.has_value()) options->fixed_delays = {*flags.delay_ms, *flags.itl_ms};
  for (const std::string& text : flags.faults) {
    absl::StatusOr<Fault> fault = ParseFault(text);
    if (!fault.ok()) return fault.status();
    options->faults.push_back(*fault);
  }
  if (!flags.script.empty()) {
    absl::StatusOr<Script> script = ReadScriptFile(flags.script);
    if (!script.ok()) return script.status();
    options->script = *std::move(script);
  }
  return CheckOptions(*options);
}

absl::StatusOr<NullOptions> NullOptionsOf(const Flags& flags, const SimulatorOptions& options) {
  if (!flags.delay_ms.has_value()) return absl::InvalidArgumentError("null needs --delay-ms and --itl-ms");
  NullOptions null;
  null.host = options.host;
  null.port = options.port;
  null.first_token_ms = *flags.delay_ms;
  null.inter_token_ms = *flags.itl_ms;
  null.event_bytes = flags.event_bytes;
  if (!options.models.empty()) null.model = options.models.front();
  null.send_log = flags.send_log;
  return null;
}

int Refuse(int code, const std::string& text) {
  std::cerr << "tidemark-sim: " << text << "\n";
  return code;
}

// The library's errors begin with the name of a field, which is also the flag's.
std::string AsFlag(const absl::Status& status) {
  return absl::StrCat("--", std::string(status.message()));
}

// They are blocked before any thread starts, so that none takes them.
sigset_t BlockEndSignals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return ends;
}

// Serves until SIGTERM or SIGINT.
template <typename Server, typename Options>
int Serve(Server* server, const Options& options) {
  const sigset_t ends = BlockEndSignals();
  const absl::StatusOr<int> port = server->Start(options);
  if (!port.ok()) {
    const bool usage = absl::IsInvalidArgument(port.status());
    return Refuse(usage ? kExitUsage : kExitCannotRun, AsFlag(port.status()));
  }
  std::cout << "tidemark-sim listening on " << server->url() << std::endl;
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}

int ServeNull(const Flags& flags, const SimulatorOptions& options) {
  const absl::StatusOr<NullOptions> null = NullOptionsOf(flags, options);
  if (!null.ok()) return Refuse(kExitUsage, AsFlag(null.status()));
  NullEndpoint server;
  return Serve(&server, *null);
}

int ServeLaw(const SimulatorOptions& options) {
  Simulator simulator;
  const int code = Serve(&simulator, options);
  // At once: what is unfinished is cut by the end of the process.
  if (code == 0) std::_Exit(0);
  return code;
}

int Main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  CLI::App app("An inference endpoint with a known capacity law (docs/simulator.md).",
               "tidemark-sim");
  Flags flags;
  SimulatorOptions options;
  AddFlags(&app, &flags, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return Refuse(kExitUsage, absl::StrCat(error.what(), " (tidemark-sim --help lists the flags)"));
  }
  const absl::Status complete = Complete(flags, &options);
  if (!complete.ok()) return Refuse(kExitUsage, AsFlag(complete));
  if (flags.exit_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) return 0;  // it died before we asked
  }
  return flags.null ? ServeNull(flags, options) : ServeLaw(options);
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) { return tidemark::Main(argc, argv); }
