#include "simulator/fault_plan.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr uint64_t kFaultStream = 2;

struct KindRow {
  const char* name;
  FaultKind kind;
  int low, high;  // of the argument; 0, 0: takes none
};
constexpr KindRow kKinds[] = {
    {"status", FaultKind::kStatus, 400, 599}, {"stall", FaultKind::kStall, 0, 0},
    {"cut", FaultKind::kCut, 0, 0},           {"reset", FaultKind::kReset, 0, 0},
    {"error", FaultKind::kError, 0, 0},       {"slow_first", FaultKind::kSlowFirst, 1, 3600000},
};

absl::Status Refuse(absl::string_view text, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat("fault '", text, "': ", right));
}

absl::Status ReadArgument(absl::string_view text, const KindRow& row, absl::string_view argument,
                          bool given, int* out) {
  if (row.high == 0) {
    return given ? Refuse(text, absl::StrCat("'", row.name, "' takes no argument"))
                 : absl::OkStatus();
  }
  if (!absl::SimpleAtoi(argument, out) || *out < row.low || *out > row.high) {
    return Refuse(text, absl::StrCat("'", row.name, "' needs an argument from ", row.low, " to ",
                                     row.high, ", as in ", row.name, ":", row.low, "@0.05"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view FaultName(FaultKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row.name;
  }
  return "unknown";
}

absl::StatusOr<Fault> ParseFault(absl::string_view text) {
  const size_t at = text.find('@');
  Fault fault;
  if (at == absl::string_view::npos || !absl::SimpleAtod(text.substr(at + 1), &fault.probability) ||
      !(fault.probability >= 0 && fault.probability <= 1)) {
    return Refuse(text, "needs a probability from 0 to 1 after '@', as in stall@0.01");
  }
  const absl::string_view head = text.substr(0, at);
  const size_t colon = head.find(':');
  const bool given = colon != absl::string_view::npos;
  const absl::string_view name = head.substr(0, colon);
  for (const KindRow& row : kKinds) {
    if (name != row.name) continue;
    fault.kind = row.kind;
    const absl::string_view argument = given ? head.substr(colon + 1) : absl::string_view();
    absl::Status read = ReadArgument(text, row, argument, given, &fault.argument);
    if (!read.ok()) return read;
    return fault;
  }
  return Refuse(text, "the kind is one of status:CODE, stall, cut, reset, error, slow_first:MS");
}

absl::Status CheckFaults(const std::vector<Fault>& faults) {
  double sum = 0;
  for (const Fault& fault : faults) sum += fault.probability;
  if (sum <= 1 + 1e-9) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("fault: the probabilities add up to ", sum,
                                                 "; a request has one fault at most, so 1 is the "
                                                 "largest sum"));
}

FaultPlan::FaultPlan(std::vector<Fault> faults, uint64_t seed)
    : faults_(std::move(faults)), random_(seed, kFaultStream) {}

std::optional<Fault> FaultPlan::Draw() {
  if (faults_.empty()) return std::nullopt;
  double draw = random_.Unit();
  for (const Fault& fault : faults_) {
    if (draw < fault.probability) return fault;
    draw -= fault.probability;
  }
  return std::nullopt;
}

int64_t FaultPlan::DrawToken(int64_t output_tokens) {
  return random_.Between(1, std::max<int64_t>(1, output_tokens - 1));
}

}  // namespace tidemark
