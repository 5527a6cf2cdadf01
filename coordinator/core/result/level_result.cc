#include "coordinator/core/result/level_result.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/clock/clock.h"
#include "common/measurement/facts_codec.h"
#include "common/statistics/statistics.h"
#include "coordinator/core/evidence/evidence_plan.h"
#include "coordinator/core/result/level_rates.h"
#include "coordinator/core/result/metric_statistics.h"
#include "coordinator/core/result/sla_facts.h"
#include "coordinator/core/result/validity.h"
#include "coordinator/core/search/search_codec.h"
#include "coordinator/core/search/verdict.h"

namespace tidemark {
namespace {

// Everything merged of one completed attempt.
struct Merged {
  MeasuredFacts facts;
  std::vector<WindowFacts> windows;
};

Merged MergeParts(const LevelMeasurement& measurement) {
  Merged merged;
  for (const AgentPart& part : measurement.parts) {
    merged.facts.Merge(part.facts);
    const std::vector<WindowFacts>& windows = part.snapshot.windows;
    merged.windows.insert(merged.windows.end(), windows.begin(), windows.end());
  }
  return merged;
}

std::string Confidence(const SlaResult& sla) {
  if (!sla.confidence) return "";
  const Verdict sure = sla.confidence->verdict;
  return sure == Verdict::kPass || sure == Verdict::kFail ? "sure at 95 %" : "undecided at 95 %";
}

v1::SlaResult ToProto(const SlaResult& sla) {
  v1::SlaResult out;
  EncodeSla(sla.sla, sla.observed, out);
  out.set_verdict(EncodeVerdict(sla.verdict));
  out.set_n(sla.n);
  out.set_v(sla.v);
  std::vector<std::string> words = {DescribeSla(sla.sla)};
  const bool of_gaps = sla.sla.metric_tag == InfoOf(Metric::kInterChunkLatency).tag;
  if (of_gaps && QuantilePerMille(sla.sla.stat)) words.push_back("over requests, each by its largest gap");
  if (!sla.reason.empty()) words.push_back(sla.reason);
  if (sla.confidence) {
    const EffectiveCounts& effective = sla.confidence->effective;
    out.set_effective_n(effective.n);
    out.set_effective_v(effective.v);
    const std::optional<double> share = RequiredShare(sla.sla);
    if (share) out.set_confidence_pass(IncompleteBeta(effective.n - effective.v, effective.v + 1, *share));
    words.push_back(Confidence(sla));
  }
  out.set_statement(absl::StrJoin(words, "; "));
  return out;
}

class LevelBuilder {
 public:
  LevelBuilder(const JobSpec& spec, const LevelMeasurement& measurement)
      : spec_(spec),
        measurement_(measurement),
        merged_(MergeParts(measurement)),
        plan_(PlanEvidence(spec.slas, spec.workload.streaming)),
        rates_(RatesOf(merged_.windows)) {}

  LevelJudgement Build(const LevelTimes& times) {
    Identity(times);
    Counts();
    Rates();
    Metrics();
    Parts();
    Validity();
    Verdicts();
    Notes();
    return {std::move(out_), Outcome()};
  }

 private:
  void Identity(const LevelTimes& times) {
    out_.set_level(measurement_.key.level);
    out_.set_attempt(measurement_.key.attempt);
    out_.set_concurrency(measurement_.plan.concurrency);
    out_.set_request_count(measurement_.plan.request_count);
    *out_.mutable_plan() = EncodePlan(measurement_.plan);
    out_.set_slice_ns(measurement_.plan.slice_ns);
    out_.set_record_one_in(measurement_.plan.record_one_in);
    out_.set_started_at(times.started_at);
    out_.set_ended_at(times.ended_at);
    out_.set_warmup_deadline_passed(measurement_.warmup_deadline_passed);
    out_.set_stopped_early(measurement_.stopped_early);
  }

  void Counts() {
    const MeasuredFacts& facts = merged_.facts;
    *out_.mutable_measured() = EncodeCounts(facts.measured);
    *out_.mutable_unmeasured() = EncodeCounts(facts.unmeasured);
    const uint64_t ended = facts.measured.ok + facts.measured.failed;
    out_.set_error_rate(ended == 0 ? 0 : static_cast<double>(facts.measured.failed) / ended);
    out_.set_total_output_tokens(facts.output_tokens);
    out_.set_total_input_tokens(facts.input_tokens);
    out_.set_failed_tokens(facts.failed_tokens);
    out_.set_done_but_open(facts.done_but_open);
    out_.set_data_after_done(facts.data_after_done);
    out_.set_connection_reused_stale(facts.connection_reused_stale);
    out_.set_reads(facts.reads);
    out_.set_multi_event_reads(facts.multi_event_reads);
    out_.set_sent_output_tokens(facts.sent_output_tokens);
    out_.set_sent_input_tokens(facts.sent_input_tokens);
    (*out_.mutable_token_count_sources())["usage"] = facts.usage_from_server;
    (*out_.mutable_token_count_sources())["chunk_usage"] = facts.usage_from_chunks;
    (*out_.mutable_token_count_sources())["tokenizer"] = facts.usage_from_tokenizer;
    (*out_.mutable_token_count_sources())["events"] = facts.usage_from_events;
    const uint64_t ok = facts.measured.ok;
    out_.set_length_missed_share(ok == 0 ? 0 : static_cast<double>(facts.length_missed) / ok);
    out_.set_short_window(ended < uint64_t{5} * measurement_.plan.concurrency);
    out_.set_ended_by_cap(!measurement_.stopped_early && facts.measured.sent < measurement_.plan.request_count);
  }

  void Rates() {
    if (!rates_) return;
    out_.set_request_throughput(rates_->request_throughput);
    out_.set_output_token_throughput(rates_->output_token_throughput);
    out_.set_total_token_throughput(rates_->total_token_throughput);
    out_.set_effective_concurrency(rates_->effective_concurrency);
    out_.set_little_residual(rates_->little_residual);
    out_.set_benchmark_duration_s(rates_->benchmark_duration_s);
    if (HasObjectives()) Goodput();
  }

  bool HasObjectives() const {
    return std::any_of(spec_.slas.begin(), spec_.slas.end(), [](const Sla& sla) {
      return QuantilePerMille(sla.stat) && MetricByTag(sla.metric_tag);
    });
  }

  void Goodput() {
    uint64_t good = 0;
    for (const WindowFacts& window : merged_.windows) good += window.good_requests;
    const uint64_t ended = merged_.facts.measured.ok + merged_.facts.measured.failed;
    out_.set_goodput(rates_->goodput);
    if (ended > 0) out_.set_good_request_fraction(static_cast<double>(good) / ended);
  }

  void Metrics() {
    const MeasuredFacts& facts = merged_.facts;
    for (const MetricInfo& info : MetricTable()) {
      if (facts.histogram(info.metric).empty()) continue;
      *out_.add_metrics() =
          StatisticsOf(info.metric, facts, plan_.Find(info.metric), measurement_.plan.concurrency);
    }
    for (const auto& [name, count] : facts.failures) {
      v1::FailureCount* failure = out_.add_failures();
      failure->set_failure_class(name);
      failure->set_count(count);
    }
    const v1::Delta encoded = EncodeDelta(facts);
    *out_.mutable_examples() = encoded.examples();
    *out_.mutable_addresses() = encoded.addresses();
    for (const auto& [slice, row] : facts.slices) *out_.add_slices() = EncodeSlice(slice, row);
  }

  void Parts() {
    uint64_t written = 0, lost = 0;
    std::vector<double> skews;
    for (const AgentPart& part : measurement_.parts) {
      v1::AgentShare* share = out_.add_agents();
      share->set_agent(part.agent);
      share->set_slots(part.share.slots);
      share->set_requests(part.share.requests);
      *share->mutable_measured() = EncodeCounts(part.snapshot.measured);
      *share->mutable_unmeasured() = EncodeCounts(part.snapshot.unmeasured);
      for (const WindowFacts& window : part.snapshot.windows) *share->add_windows() = EncodeWindow(window);
      *share->mutable_self_check() = EncodeSelfCheck(part.snapshot.self_check);
      share->set_start_skew_ms(static_cast<double>(part.start_skew_ns) / kNanosPerMilli);
      skews.push_back(std::abs(share->start_skew_ms()));
      written += part.snapshot.records_written;
      lost += part.snapshot.records_lost;
    }
    std::sort(skews.begin(), skews.end());
    if (!skews.empty()) out_.set_start_skew_p99_ms(skews[(skews.size() * 99 + 99) / 100 - 1]);  // the nearest rank
    out_.set_records_written(written);
    out_.set_records_lost(lost);
    for (const VoidedAttempt& voided : measurement_.voided) {
      v1::VoidAttempt* attempt = out_.add_void_attempts();
      attempt->set_attempt(voided.attempt);
      attempt->set_agent(voided.agent);
      attempt->set_reason(voided.reason);
      attempt->set_sent(voided.sent.requests);
    }
  }

  void Validity() {
    checks_ = CheckValidity(measurement_, spec_.endpoint.urls.size());
    for (const v1::ValidityCheck& check : checks_) *out_.add_validity_checks() = check;
    out_.set_validity(WorstOf(checks_));
  }

  void Verdicts() {
    LevelFacts facts;
    facts.concurrency = measurement_.plan.concurrency;
    facts.successes = merged_.facts.measured.ok;
    facts.failures = merged_.facts.measured.failed;
    facts.invalid_reasons = InvalidReasons(checks_);
    if (measurement_.stopped_early) facts.invalid_reasons.push_back("the level was stopped before its end");
    facts.slas = SlaFactsOf(spec_.slas, plan_, merged_.facts, rates_);
    verdict_ = JudgeLevel(facts);
    for (const SlaResult& sla : verdict_.slas) *out_.add_slas() = ToProto(sla);
    out_.set_verdict_reason(absl::StrJoin(verdict_.reasons, "; "));
    const bool asked = !spec_.slas.empty() || verdict_.verdict != Verdict::kPass;
    out_.set_verdict(asked ? EncodeVerdict(verdict_.verdict) : v1::VERDICT_UNSPECIFIED);
  }

  void Note(std::string text) { out_.add_notes(std::move(text)); }

  void Notes() {
    if (out_.short_window()) Note(absl::StrFormat("short window: fewer than 5 requests a slot"));
    if (measurement_.drain_deadline_passed) {
      Note("requests still open when the grace period was over were cut: they count as failed (timeout_drain)");
    }
    if (!rates_ && measurement_.drain_deadline_passed) {
      Note("no throughput: the grace period was over before every window had closed");
    } else if (!rates_) {
      const size_t windows = std::count_if(merged_.windows.begin(), merged_.windows.end(),
                                           [](const WindowFacts& w) { return w.slots > 0; });
      Note(absl::StrCat("no throughput: too few requests for ", measurement_.parts.size(), " agents and ",
                        windows, " windows"));
    }
    if (out_.ended_by_cap()) Note("ended by the time cap, before its number of requests");
    if (out_.warmup_deadline_passed()) Note("the warm-up deadline passed before every slot had ended a request");
    if (Throttling()) {
      Note("over half of the failures are HTTP 429: a quota or a gateway was the limit, not the model");
    }
    if (!measurement_.records_error.empty()) Note(measurement_.records_error);
  }

  bool Throttling() const {
    const auto found = merged_.facts.failures.find("http_429");
    return found != merged_.facts.failures.end() && 2 * found->second > merged_.facts.measured.failed;
  }

  LevelOutcome Outcome() const {
    LevelOutcome outcome;
    outcome.level = measurement_.plan.concurrency;
    outcome.verdict = verdict_.verdict;
    outcome.point_holds = verdict_.verdict == Verdict::kPass;
    if (verdict_.first_breach) {
      const SlaResult& breach = verdict_.slas[*verdict_.first_breach];
      outcome.first_breach = FirstBreach{breach.sla, breach.observed};
    }
    if (rates_) outcome.objective = rates_->output_token_throughput;
    outcome.invalid_reason = absl::StrJoin(verdict_.reasons, "; ");
    outcome.loads = LoadsOf(measurement_, checks_);
    outcome.seconds = static_cast<double>(measurement_.ended_at - measurement_.begun_at) / kNanosPerSecond;
    outcome.requests = merged_.facts.measured.sent + merged_.facts.unmeasured.sent;
    outcome.tokens = merged_.facts.sent_output_tokens + merged_.facts.sent_input_tokens;
    for (const VoidedAttempt& voided : measurement_.voided) {
      outcome.requests += voided.sent.requests;
      outcome.tokens += voided.sent.output_tokens + voided.sent.input_tokens;
    }
    return outcome;
  }

  const JobSpec& spec_;
  const LevelMeasurement& measurement_;
  const Merged merged_;
  const EvidencePlan plan_;
  const std::optional<LevelRates> rates_;
  std::vector<v1::ValidityCheck> checks_;
  LevelVerdict verdict_;
  v1::LevelResult out_;
};

}  // namespace

LevelJudgement JudgeMeasurement(const JobSpec& spec, const LevelMeasurement& measurement,
                                const LevelTimes& times) {
  return LevelBuilder(spec, measurement).Build(times);
}

}  // namespace tidemark
