// Every parameter of a job and of the command that runs it, in one table. The keys of job files, the
// flags, the environment variables, the help, docs/parameters.md and the suggestions for misspelt
// names all come from it.
//
// Constant data and pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_PARAMETERS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_PARAMETERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/settings/said_text.h"

namespace tidemark {

enum class ParameterKind {
  kText,
  kTextList,     // repeatable flag; in a file a list or one text
  kInteger,      // whole number in [min, max]
  kIntegerList,  // "1,8,64", a list, or one number; each in [min, max]
  kNumber,       // in [min, max]
  kSwitch,       // true or false; as a flag alone: true
  kPairs,        // a map in a file; repeatable `name<separator>value` as a flag
  kObject,       // a map in a file; "k:v" pairs or a JSON object as a flag
};

// Where a file has it: under `endpoint:`, under `parameters:`, or at the top. Every key may also
// stand at the top, so that a flat --config file works.
enum class ParameterSection { kEndpoint, kParameters, kTop };

enum class ParameterSupport {
  kSupported,
  kIgnored,   // accepted without effect, which is said
  kLater,     // known; refused by name as not supported yet
};

// Where the value may come from.
enum class ParameterSource {
  kAnywhere,
  kCommandLine,  // flag or environment: a file may not choose it (secrets, the files themselves)
};

struct Parameter {
  absl::string_view name;     // canonical, with underscores
  absl::string_view aliases;  // other spellings, with underscores, separated by spaces
  char letter;                // one-letter flag; 0: none
  ParameterKind kind;
  ParameterSection section;
  ParameterSupport support;
  ParameterSource source;
  absl::string_view group;    // heading of help and docs
  double min;                 // kInteger, kIntegerList, kNumber
  double max;
  absl::string_view unit;     // "ms", "s", "tokens"; for text what stands for the value
  absl::string_view default_text;  // as shown; empty: none
  absl::string_view help;     // one sentence without a full stop
};

// In the order of help and docs; a group's parameters are neighbours.
absl::Span<const Parameter> ParameterTable();

// By canonical name or alias; null when there is none.
const Parameter* FindParameter(absl::string_view name);

// All names, canonical first.
std::vector<std::string> NamesOf(const Parameter& parameter);

// "request_count" -> "--request-count" and "TIDEMARK_REQUEST_COUNT".
std::string FlagName(absl::string_view name);
std::string EnvironmentName(absl::string_view name);

// docs/parameters.md, whole.
std::string ParametersMarkdown();

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_PARAMETERS_H_
