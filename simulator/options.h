// What a simulator is told at its start.
#ifndef TIDEMARK_SIMULATOR_OPTIONS_H_
#define TIDEMARK_SIMULATOR_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "simulator/batch_law.h"
#include "simulator/fault_plan.h"
#include "simulator/script.h"

namespace tidemark {

// The fixed-delay mode, in milliseconds.
struct FixedDelays {
  double first_token_ms = 0;
  double inter_token_ms = 0;
};

struct SimulatorOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0 picks a free one
  std::vector<std::string> models = {"tidemark-sim"};
  std::vector<std::string> base_models;  // without a chat template: completions only
  std::string required_key;              // empty: none asked for
  std::string tls_cert, tls_key;         // PEM files; both or none
  int64_t template_tokens = 7;           // added to a chat prompt's words
  bool role_chunk = false;               // the role in an event of its own, before the first token
  double natural_mean = 128;             // mean length without ignore_eos, tokens
  uint64_t seed = 1;
  LawConstants law;
  std::optional<FixedDelays> fixed_delays;  // instead of the law
  std::vector<Fault> faults;
  std::optional<Script> script;  // played for every POST
};

// InvalidArgument names the field, its value, and what would be right.
absl::Status CheckOptions(const SimulatorOptions& options);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_OPTIONS_H_
