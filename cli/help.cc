#include "cli/help.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "coordinator/core/job_spec/parameters.h"

namespace tidemark {
namespace {

constexpr size_t kIndent = 6;
constexpr size_t kWidth = 96;

constexpr char kMainHelp[] = R"(Tidemark finds the high-water mark of a generative-AI endpoint: how many concurrent streaming
requests it carries before latency is unacceptable, and what throughput it gives there.

Usage: tidemark COMMAND [FLAGS]

Commands:
  sweep      measure an endpoint level by level, or search its highest level within an SLA
  job        jobs of a cluster: create, list, describe, watch, wait, stop, delete, results
  agents     agents of a cluster
  selftest   what this host can drive, for sweeps and agents to plan by
  workload, report, compare, plan    not supported yet

  --help     this text; tidemark sweep --help lists the flags
  --version  the version

Start here:
  tidemark sweep                                      a built-in simulator, nothing needed
  tidemark sweep --url http://localhost:8000 --model M
  tidemark sweep --url http://localhost:8000 --e2e-sla-ms 5000 \
      --search-recipe max-concurrency-under-sla
  tidemark sweep --coordinator HOST:7070 --plaintext --url http://server:8000    on a cluster
)";

constexpr char kSweepHead[] = R"(Usage: tidemark sweep [FLAGS]

Measures an endpoint at each level of concurrency, or searches the highest level that meets the SLAs,
and writes the results into a folder. Without --url it runs against a built-in simulator.

Examples:
  tidemark sweep --url http://localhost:8000 --concurrency 1,8,64
  tidemark sweep -u https://host/v1 -m llama --api-key-env KEY --isl 1024 --osl 256 --request-count 500
  tidemark sweep -u http://localhost:8000 --search-recipe max-concurrency-under-sla --ttft-sla-ms 600
  tidemark sweep -f job.yaml --dry-run
  tidemark sweep --context prod -f job.yaml

On a cluster (--coordinator or --context) the coordinator carries the job out: this command watches, Ctrl-C
stops the job there, and at the end its files are fetched.

)";

constexpr char kClusterFlags[] = R"(
Which cluster (each also as TIDEMARK_…, as in TIDEMARK_COORDINATOR):
  --coordinator HOST:PORT     the coordinator's gRPC port, 7070 by default
  --context NAME              one of ~/.config/tidemark/contexts.yaml; without either its `current` one
  --plaintext                 without TLS, as the coordinator runs with --plaintext too
  --tls-cert, --tls-key, --tls-ca FILE    certificate, its key, and who signed the coordinator's
  --token-file FILE           bearer token, where the coordinator wants one; or TIDEMARK_TOKEN itself

Exit codes: 0 done; 1 could not do it; 2 usage. watch and wait end with the job's own: 3 SLA met nowhere;
4 invalid, inconclusive or undecided; 130 stopped, partial results kept.
)";

constexpr char kJobHelp[] = R"(Usage: tidemark job COMMAND [FLAGS]

Jobs of a cluster. Every command has --json, which prints one JSON document.

Commands:
  create [FLAGS]    make a job, with the flags of tidemark sweep; prints its id
  list              the latest jobs
  describe ID       one job
  watch ID          its progress until it has ended; Ctrl-C leaves it alone
  wait ID           until it has ended, without progress
  stop ID           let the level in flight end, keep partial results; --now cancels it
  delete ID         a job that has ended, its result and its files
  results ID        fetch the result files

Examples:
  id=$(tidemark job create -f job.yaml)
  tidemark job wait $id --timeout 3600 && tidemark job results $id --output-dir out
)";

struct CommandHelp {
  const char* command;
  const char* text;
};

constexpr CommandHelp kJobCommands[] = {
    {"create", R"(Usage: tidemark job create [FLAGS of tidemark sweep]

Makes a job on a cluster and prints its id; it runs when those before it have ended. --json prints the job.

Examples:
  tidemark job create -f job.yaml --context prod
  tidemark job create --url http://vllm:8000 --concurrency 64,256 --request-count 5000
)"},
    {"list", R"(Usage: tidemark job list [--state STATE]… [--limit N] [--json]

The latest jobs first.
  --state STATE     queued, running, stopping, completed, failed or stopped; repeatable
  --limit N         at most so many [50]

Example:
  tidemark job list --state queued --state running
)"},
    {"describe", R"(Usage: tidemark job describe ID [--json]

State, times, answer and notes of a job. --json has its resolved job file too.

Example:
  tidemark job describe $id --json
)"},
    {"watch", R"(Usage: tidemark job watch ID [--json]

Shows a job's progress until it has ended, then the job, and ends with the job's own exit code. Ctrl-C ends
the watching only. A connection that is lost is made again.

Example:
  tidemark job watch $id
)"},
    {"wait", R"(Usage: tidemark job wait ID [--timeout S] [--json]

Waits until a job has ended, and ends with the job's own exit code; with 1 after S seconds.

Example:
  tidemark job wait $id --timeout 3600
)"},
    {"stop", R"(Usage: tidemark job stop ID [--now] [--json]

Lets the level in flight end and keeps partial results. --now cancels it.

Example:
  tidemark job stop $id --now
)"},
    {"delete", R"(Usage: tidemark job delete ID [--json]

Removes a job that has ended, its result and its files.

Example:
  tidemark job delete $id
)"},
    {"results", R"(Usage: tidemark job results ID [--output-dir DIR] [--overwrite] [--without-records] [--json]

Fetches the files of a job that has ended, and shows its answer.
  --output-dir DIR     [./tidemark-results/<UTC>-<name>/]
  --overwrite          DIR may have files of an older run
  --without-records    all but profile_export.jsonl, which is large
  --json               print result.json; files are fetched only with --output-dir

Example:
  tidemark job results $id --output-dir out
)"},
};

constexpr char kAgentsHelp[] = R"(Usage: tidemark agents [--json]

The agents of a cluster: state, capacity (concurrent requests), where they run, and how well their clocks
are known.

Examples:
  tidemark agents --coordinator localhost:7070 --plaintext
  tidemark agents --context prod --json
)";

constexpr char kSweepTail[] = R"(
Every flag is also a key of the job file (underscores for dashes) and an environment variable
(TIDEMARK_REQUEST_COUNT=500). A flag wins over the environment, that over --config, that over -f.

Exit codes: 0 done, every asked SLA met; 1 could not run, or no level had a success; 2 usage;
3 SLA met nowhere; 4 invalid, inconclusive or undecided; 130/143 interrupted, partial results kept.
)";

std::string Wrapped(absl::string_view text, size_t indent) {
  std::string wrapped(indent, ' ');
  size_t column = indent;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      absl::StrAppend(&wrapped, "\n", std::string(indent, ' '));
      column = indent;
    }
    if (column > indent) {
      wrapped += ' ';
      ++column;
    }
    absl::StrAppend(&wrapped, word);
    column += word.size();
  }
  return wrapped + "\n";
}

std::string FlagLine(const Parameter& parameter) {
  std::string line = "  ";
  if (parameter.letter != 0) absl::StrAppend(&line, "-", absl::string_view(&parameter.letter, 1), ", ");
  line += FlagName(parameter.name);
  for (const std::string& alias : NamesOf(parameter)) {
    if (alias != std::string(parameter.name)) absl::StrAppend(&line, ", ", FlagName(alias));
  }
  if (!parameter.unit.empty()) absl::StrAppend(&line, " ", parameter.unit);
  return line + "\n";
}

std::string FlagHelp(const Parameter& parameter) {
  std::string help(parameter.help);
  const bool off = parameter.default_text == "false";
  if (!parameter.default_text.empty() && !off) absl::StrAppend(&help, " [", parameter.default_text, "]");
  return FlagLine(parameter) + Wrapped(help, kIndent);
}

std::string LaterFlags() {
  std::string names;
  for (const Parameter& parameter : ParameterTable()) {
    if (parameter.support != ParameterSupport::kLater) continue;
    absl::StrAppend(&names, names.empty() ? "" : " ", FlagName(parameter.name));
  }
  return absl::StrCat("\nNot supported yet:\n", Wrapped(names, 2));
}

}  // namespace

std::string MainHelp() { return kMainHelp; }

std::string SweepHelp() {
  std::string help = kSweepHead;
  absl::string_view group;
  for (const Parameter& parameter : ParameterTable()) {
    if (parameter.support == ParameterSupport::kLater) continue;
    if (parameter.group != group) {
      absl::StrAppend(&help, group.empty() ? "" : "\n", parameter.group, ":\n");
      group = parameter.group;
    }
    help += FlagHelp(parameter);
  }
  return help + LaterFlags() + kSweepTail;
}

std::string JobHelp(const std::string& command) {
  for (const CommandHelp& help : kJobCommands) {
    if (command == help.command) return absl::StrCat(help.text, kClusterFlags);
  }
  return absl::StrCat(kJobHelp, kClusterFlags);
}

std::string AgentsHelp() { return absl::StrCat(kAgentsHelp, kClusterFlags); }

std::vector<std::string> LaterCommands() {
  return {"workload", "report", "compare", "plan"};
}

}  // namespace tidemark
