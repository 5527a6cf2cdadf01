#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/job/level_task.h"

namespace tidemark {
namespace {

constexpr uint32_t kMaxConcurrency = 10'000'000;
constexpr double kMaxTokens = 10'000'000;
constexpr uint64_t kMaxMillis = uint64_t{86'400'000} * 365;

absl::Status Bad(absl::string_view field, absl::string_view value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": ", right));
}

v1::LengthDistribution EncodeLength(const LengthDistribution& length) {
  v1::LengthDistribution out;
  out.set_mean(length.mean);
  out.set_stddev(length.stddev);
  return out;
}

absl::Status CheckLength(absl::string_view field, const LengthDistribution& length) {
  if (!std::isfinite(length.mean) || length.mean < 1 || length.mean > kMaxTokens) {
    return Bad(absl::StrCat(field, ".mean"), absl::StrCat(length.mean), "1 to 10,000,000 tokens");
  }
  if (!std::isfinite(length.stddev) || length.stddev < 0 || length.stddev > kMaxTokens) {
    return Bad(absl::StrCat(field, ".stddev"), absl::StrCat(length.stddev), "0 to 10,000,000 tokens");
  }
  return absl::OkStatus();
}

v1::TimeLimits EncodeLimits(const TimeLimits& limits) {
  v1::TimeLimits out;
  out.set_connect_ms(limits.connect_ms);
  out.set_first_token_ms(limits.first_token_ms);
  out.set_idle_ms(limits.idle_ms);
  out.set_total_ms(limits.total_ms);
  return out;
}

absl::StatusOr<TimeLimits> DecodeLimits(const v1::TimeLimits& in) {
  if (in.total_ms() == 0 || in.total_ms() > kMaxMillis) {
    return Bad("limits.total_ms", absl::StrCat(in.total_ms()), "1 ms to a year");
  }
  if (in.connect_ms() == 0 || in.connect_ms() > kMaxMillis) {
    return Bad("limits.connect_ms", absl::StrCat(in.connect_ms()), "1 ms to a year");
  }
  return TimeLimits{in.connect_ms(), std::min(in.first_token_ms(), kMaxMillis),
                    std::min(in.idle_ms(), kMaxMillis), in.total_ms()};
}

absl::StatusOr<EndpointSpec> DecodeEndpoint(const v1::Endpoint& in) {
  if (in.urls().empty()) return Bad("endpoint.urls", "empty", "name at least one URL");
  EndpointSpec out;
  out.urls.assign(in.urls().begin(), in.urls().end());
  out.api = in.api();
  out.model = in.model();
  for (const v1::Header& header : in.headers()) {
    if (header.name().empty()) return Bad("endpoint.headers.name", "empty", "give each header a name");
    out.headers.emplace_back(header.name(), header.value());
  }
  out.api_key_env = in.api_key_env();
  out.insecure_skip_verify = in.insecure_skip_verify();
  out.ca_cert = in.ca_cert();
  return out;
}

absl::StatusOr<WorkloadSpec> DecodeWorkload(const v1::Workload& in) {
  WorkloadSpec out;
  out.input = {in.input().mean(), in.input().stddev()};
  out.output = {in.output().mean(), in.output().stddev()};
  if (absl::Status s = CheckLength("workload.input", out.input); !s.ok()) return s;
  if (absl::Status s = CheckLength("workload.output", out.output); !s.ok()) return s;
  out.streaming = in.streaming();
  out.fixed_output_length = in.fixed_output_length();
  out.extra_inputs_json = in.extra_inputs_json();
  out.seed = in.seed();
  out.nonce = in.nonce();
  if (in.has_calibration()) {
    out.calibration = {in.calibration().intercept(), in.calibration().slope()};
    if (!std::isfinite(out.calibration.slope) || out.calibration.slope <= 0 ||
        !std::isfinite(out.calibration.intercept)) {
      return Bad("workload.calibration", absl::StrCat(out.calibration.slope), "a positive slope");
    }
  }
  return out;
}

absl::StatusOr<SlaThreshold> DecodeSla(const v1::SlaThreshold& in) {
  const std::optional<Metric> metric = MetricByTag(in.metric_tag());
  if (!metric) return Bad("plan.slas.metric_tag", in.metric_tag(), "a request metric's tag");
  return SlaThreshold{*metric, in.upper(), in.inclusive(), in.threshold()};
}

absl::StatusOr<LevelPlan> DecodePlan(const v1::LevelPlan& in) {
  if (in.concurrency() == 0 || in.concurrency() > kMaxConcurrency) {
    return Bad("plan.concurrency", absl::StrCat(in.concurrency()), "1 to 10,000,000");
  }
  if (in.request_count() == 0) return Bad("plan.request_count", "0", "at least 1");
  if (in.slice_ns() == 0) return Bad("plan.slice_ns", "0", "at least 1 ms");
  LevelPlan out;
  out.concurrency = in.concurrency();
  out.request_count = in.request_count();
  out.window_cap_ns = in.window_cap_ns();
  out.ramp_ns = in.ramp_ns();
  out.warmup_deadline_ns = in.warmup_deadline_ns();
  out.slice_ns = in.slice_ns();
  out.fill = in.fill();
  absl::StatusOr<TimeLimits> limits = DecodeLimits(in.limits());
  if (!limits.ok()) return limits.status();
  out.limits = *limits;
  for (const v1::SlaThreshold& sla : in.slas()) {
    absl::StatusOr<SlaThreshold> decoded = DecodeSla(sla);
    if (!decoded.ok()) return decoded.status();
    out.slas.push_back(*decoded);
  }
  out.record_one_in = in.record_one_in();
  out.user_timestamps = in.user_timestamps();
  return out;
}

absl::StatusOr<Share> DecodeShare(const v1::Share& in, const LevelPlan& plan) {
  if (in.slots() > plan.concurrency || in.first_slot() > plan.concurrency - in.slots()) {
    return Bad("share.slots", absl::StrCat(in.first_slot(), "+", in.slots()),
               absl::StrCat("within the level's ", plan.concurrency));
  }
  if (in.requests() > plan.request_count || in.first_request() > plan.request_count - in.requests()) {
    return Bad("share.requests", absl::StrCat(in.first_request(), "+", in.requests()),
               absl::StrCat("within the level's ", plan.request_count));
  }
  if (in.slots() == 0 && in.requests() > 0) {
    return Bad("share.requests", absl::StrCat(in.requests()), "0 for a share without slots");
  }
  return Share{in.slots(), in.first_slot(), in.requests(), in.first_request()};
}

}  // namespace

v1::LevelKey EncodeKey(const LevelKey& key) {
  v1::LevelKey out;
  out.set_job_id(key.job_id);
  out.set_level(key.level);
  out.set_attempt(key.attempt);
  return out;
}

absl::StatusOr<LevelKey> DecodeKey(const v1::LevelKey& key) {
  if (key.job_id().empty()) return Bad("key.job_id", "empty", "name the job");
  if (key.attempt() == 0) return Bad("key.attempt", "0", "attempts count from 1");
  return LevelKey{key.job_id(), key.level(), key.attempt()};
}

v1::Endpoint EncodeEndpoint(const EndpointSpec& endpoint) {
  v1::Endpoint out;
  for (const std::string& url : endpoint.urls) out.add_urls(url);
  out.set_api(endpoint.api);
  out.set_model(endpoint.model);
  for (const auto& [name, value] : endpoint.headers) {
    v1::Header* header = out.add_headers();
    header->set_name(name);
    header->set_value(value);
  }
  out.set_api_key_env(endpoint.api_key_env);
  out.set_insecure_skip_verify(endpoint.insecure_skip_verify);
  out.set_ca_cert(endpoint.ca_cert);
  return out;
}

v1::Workload EncodeWorkload(const WorkloadSpec& workload) {
  v1::Workload out;
  *out.mutable_input() = EncodeLength(workload.input);
  *out.mutable_output() = EncodeLength(workload.output);
  out.set_streaming(workload.streaming);
  out.set_fixed_output_length(workload.fixed_output_length);
  out.set_extra_inputs_json(workload.extra_inputs_json);
  out.set_seed(workload.seed);
  out.set_nonce(workload.nonce);
  out.mutable_calibration()->set_intercept(workload.calibration.intercept);
  out.mutable_calibration()->set_slope(workload.calibration.slope);
  return out;
}

v1::LevelPlan EncodePlan(const LevelPlan& plan) {
  v1::LevelPlan out;
  out.set_concurrency(plan.concurrency);
  out.set_request_count(plan.request_count);
  out.set_window_cap_ns(plan.window_cap_ns);
  out.set_ramp_ns(plan.ramp_ns);
  out.set_warmup_deadline_ns(plan.warmup_deadline_ns);
  out.set_slice_ns(plan.slice_ns);
  out.set_fill(plan.fill);
  *out.mutable_limits() = EncodeLimits(plan.limits);
  for (const SlaThreshold& sla : plan.slas) {
    v1::SlaThreshold* encoded = out.add_slas();
    encoded->set_metric_tag(std::string(InfoOf(sla.metric).tag));
    encoded->set_upper(sla.upper);
    encoded->set_inclusive(sla.inclusive);
    encoded->set_threshold(sla.threshold);
  }
  out.set_record_one_in(plan.record_one_in);
  out.set_user_timestamps(plan.user_timestamps);
  return out;
}

v1::Prepare EncodeTask(const LevelTask& task) {
  v1::Prepare out;
  *out.mutable_key() = EncodeKey(task.key);
  *out.mutable_endpoint() = EncodeEndpoint(task.endpoint);
  *out.mutable_workload() = EncodeWorkload(task.workload);
  *out.mutable_plan() = EncodePlan(task.plan);
  out.mutable_share()->set_slots(task.share.slots);
  out.mutable_share()->set_first_slot(task.share.first_slot);
  out.mutable_share()->set_requests(task.share.requests);
  out.mutable_share()->set_first_request(task.share.first_request);
  return out;
}

absl::StatusOr<LevelTask> DecodeTask(const v1::Prepare& prepare) {
  absl::StatusOr<LevelKey> key = DecodeKey(prepare.key());
  if (!key.ok()) return key.status();
  absl::StatusOr<EndpointSpec> endpoint = DecodeEndpoint(prepare.endpoint());
  if (!endpoint.ok()) return endpoint.status();
  absl::StatusOr<WorkloadSpec> workload = DecodeWorkload(prepare.workload());
  if (!workload.ok()) return workload.status();
  absl::StatusOr<LevelPlan> plan = DecodePlan(prepare.plan());
  if (!plan.ok()) return plan.status();
  absl::StatusOr<Share> share = DecodeShare(prepare.share(), *plan);
  if (!share.ok()) return share.status();
  return LevelTask{*std::move(key), *std::move(endpoint), *std::move(workload), *std::move(plan), *share};
}

v1::Probe EncodeProbeTask(const ProbeTask& task) {
  v1::Probe out;
  out.set_job_id(task.job_id);
  *out.mutable_endpoint() = EncodeEndpoint(task.endpoint);
  *out.mutable_workload() = EncodeWorkload(task.workload);
  *out.mutable_limits() = EncodeLimits(task.limits);
  out.set_wait_ready_ms(task.wait_ready_ms);
  return out;
}

absl::StatusOr<ProbeTask> DecodeProbeTask(const v1::Probe& probe) {
  if (probe.job_id().empty()) return Bad("probe.job_id", "empty", "name the job");
  absl::StatusOr<EndpointSpec> endpoint = DecodeEndpoint(probe.endpoint());
  if (!endpoint.ok()) return endpoint.status();
  absl::StatusOr<WorkloadSpec> workload = DecodeWorkload(probe.workload());
  if (!workload.ok()) return workload.status();
  absl::StatusOr<TimeLimits> limits = DecodeLimits(probe.limits());
  if (!limits.ok()) return limits.status();
  return ProbeTask{probe.job_id(), *std::move(endpoint), *std::move(workload), *limits,
                   std::min(probe.wait_ready_ms(), kMaxMillis)};
}

}  // namespace tidemark
