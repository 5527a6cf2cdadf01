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
  job, workload, agents, report, compare, plan, selftest    not supported yet

  --help     this text; tidemark sweep --help lists the flags
  --version  the version

Start here:
  tidemark sweep                                      a built-in simulator, nothing needed
  tidemark sweep --url http://localhost:8000 --model M
  tidemark sweep --url http://localhost:8000 --e2e-sla-ms 5000 \
      --search-recipe max-concurrency-under-sla
)";

constexpr char kSweepHead[] = R"(Usage: tidemark sweep [FLAGS]

Measures an endpoint at each level of concurrency, or searches the highest level that meets the SLAs,
and writes the results into a folder. Without --url it runs against a built-in simulator.

Examples:
  tidemark sweep --url http://localhost:8000 --concurrency 1,8,64
  tidemark sweep -u https://host/v1 -m llama --api-key-env KEY --isl 1024 --osl 256 --request-count 500
  tidemark sweep -u http://localhost:8000 --search-recipe max-concurrency-under-sla --ttft-sla-ms 600
  tidemark sweep -f job.yaml --dry-run

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

std::vector<std::string> LaterCommands() {
  return {"job", "workload", "agents", "report", "compare", "plan", "selftest"};
}

}  // namespace tidemark
