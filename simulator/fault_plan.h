// Faults on request: each completion request draws at most one, with the given probabilities.
#ifndef TIDEMARK_SIMULATOR_FAULT_PLAN_H_
#define TIDEMARK_SIMULATOR_FAULT_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "simulator/seeded_random.h"

namespace tidemark {

enum class FaultKind {
  kStatus,     // answers with an HTTP status (argument) and no tokens
  kStall,      // goes silent in mid-stream and keeps the connection open
  kCut,        // closes the connection in mid-stream, the body unfinished
  kReset,      // resets the connection in mid-stream
  kError,      // sends an error event in mid-stream; not streaming: status 500
  kSlowFirst,  // joins the queue late by argument milliseconds
};

struct Fault {
  FaultKind kind = FaultKind::kStatus;
  int argument = 0;
  double probability = 0;
};

// The name of the kind as ParseFault takes it.
absl::string_view FaultName(FaultKind kind);

// Reads "status:503@0.05", "stall@0.01", "slow_first:200@0.1"; InvalidArgument says what is wrong.
absl::StatusOr<Fault> ParseFault(absl::string_view text);

// InvalidArgument when the probabilities add up to more than 1.
absl::Status CheckFaults(const std::vector<Fault>& faults);

// Thread-compatible.
class FaultPlan {
 public:
  // REQUIRES: CheckFaults(faults) is ok.
  FaultPlan(std::vector<Fault> faults, uint64_t seed);

  // The fault of the next request, if it has one.
  std::optional<Fault> Draw();

  // After how many tokens a fault in mid-stream strikes: 1 to output_tokens - 1 (1 at least).
  int64_t DrawToken(int64_t output_tokens);

 private:
  std::vector<Fault> faults_;
  SeededRandom random_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_FAULT_PLAN_H_
