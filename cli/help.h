// Help texts, from the parameter table.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_CLI_HELP_H_
#define TIDEMARK_CLI_HELP_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

// `tidemark --help`: the subcommands.
std::string MainHelp();

// `tidemark sweep --help`: examples, then the flags by group.
std::string SweepHelp();

// `tidemark job --help`, and of one of its commands ("" for all). REQUIRES: one of JobCommands() or "".
std::string JobHelp(const std::string& command);

// `tidemark agents --help`.
std::string AgentsHelp();

// Subcommands of later versions: known, refused by name.
std::vector<std::string> LaterCommands();

}  // namespace tidemark

#endif  // TIDEMARK_CLI_HELP_H_
