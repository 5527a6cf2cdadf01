#include "coordinator/core/job/journal_codec.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/core/search/search_codec.h"
#include "coordinator/core/search/sla.h"

namespace tidemark {
namespace {

absl::StatusOr<Verdict> Decode(v1::Verdict verdict) {
  switch (verdict) {
    case v1::PASS: return Verdict::kPass;
    case v1::FAIL: return Verdict::kFail;
    case v1::INCONCLUSIVE: return Verdict::kInconclusive;
    case v1::INVALID: return Verdict::kInvalid;
    default: return absl::DataLossError(absl::StrCat("journal: outcome.verdict is ", verdict));
  }
}

absl::StatusOr<SlaOp> DecodeOp(const std::string& name) {
  for (const SlaOp op : {SlaOp::kLt, SlaOp::kLe, SlaOp::kGt, SlaOp::kGe}) {
    if (SlaOpName(op) == name) return op;
  }
  return absl::DataLossError(absl::StrCat("journal: outcome.first_breach.op is '", name, "'"));
}

absl::StatusOr<FirstBreach> DecodeBreach(const v1::SlaResult& entry) {
  const absl::StatusOr<SlaStat> stat = ParseSlaStat(entry.stat());
  if (!stat.ok()) {
    return absl::DataLossError(absl::StrCat("journal: outcome.first_breach.stat: ", stat.status().message()));
  }
  const absl::StatusOr<SlaOp> op = DecodeOp(entry.op());
  if (!op.ok()) return op.status();
  FirstBreach breach;
  breach.sla = {entry.metric_tag(), *stat, *op, entry.threshold(), entry.implied()};
  if (entry.observed_known()) breach.observed = entry.observed();
  return breach;
}

}  // namespace

v1::JournalAttempt EncodeAttempt(const LevelKey& key, uint32_t concurrency) {
  v1::JournalAttempt out;
  out.set_level(key.level);
  out.set_attempt(key.attempt);
  out.set_concurrency(concurrency);
  return out;
}

v1::JournalVoid EncodeVoid(const AttemptVoided& voided) {
  v1::JournalVoid out;
  *out.mutable_attempt() = EncodeAttempt(voided.key, voided.concurrency);
  out.set_agent(voided.attempt.agent);
  out.set_reason(voided.attempt.reason);
  out.set_requests(voided.attempt.sent.requests);
  out.set_output_tokens(voided.attempt.sent.output_tokens);
  out.set_input_tokens(voided.attempt.sent.input_tokens);
  return out;
}

VoidedAttempt DecodeVoid(const v1::JournalVoid& entry) {
  VoidedAttempt out;
  out.attempt = entry.attempt().attempt();
  out.agent = entry.agent();
  out.reason = entry.reason();
  out.sent = {entry.requests(), entry.output_tokens(), entry.input_tokens()};
  return out;
}

v1::JournalOutcome EncodeOutcome(const LevelOutcome& outcome) {
  v1::JournalOutcome out;
  out.set_level(outcome.level);
  out.set_verdict(EncodeVerdict(outcome.verdict));
  out.set_point_holds(outcome.point_holds);
  if (outcome.first_breach) {
    EncodeSla(outcome.first_breach->sla, outcome.first_breach->observed, *out.mutable_first_breach());
  }
  if (outcome.objective) out.set_objective(*outcome.objective);
  out.set_invalid_reason(outcome.invalid_reason);
  out.set_seconds(outcome.seconds);
  out.set_requests(outcome.requests);
  out.set_tokens(outcome.tokens);
  for (const AgentLoad& load : outcome.loads) {
    v1::JournalLoad* encoded = out.add_loads();
    encoded->set_agent(load.agent);
    encoded->set_slots(load.slots);
    encoded->set_carried(load.carried);
  }
  out.set_spread(outcome.spread);
  return out;
}

absl::StatusOr<LevelOutcome> DecodeOutcome(const v1::JournalOutcome& entry) {
  const absl::StatusOr<Verdict> verdict = Decode(entry.verdict());
  if (!verdict.ok()) return verdict.status();
  LevelOutcome out;
  out.level = entry.level();
  out.verdict = *verdict;
  out.point_holds = entry.point_holds();
  if (entry.has_first_breach()) {
    absl::StatusOr<FirstBreach> breach = DecodeBreach(entry.first_breach());
    if (!breach.ok()) return breach.status();
    out.first_breach = *std::move(breach);
  }
  if (entry.has_objective()) out.objective = entry.objective();
  out.invalid_reason = entry.invalid_reason();
  out.seconds = entry.seconds();
  out.requests = entry.requests();
  out.tokens = entry.tokens();
  for (const v1::JournalLoad& load : entry.loads()) out.loads.push_back({load.agent(), load.slots(), load.carried()});
  out.spread = entry.spread();
  return out;
}

}  // namespace tidemark
