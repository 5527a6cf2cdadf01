#ifndef TIDEMARK_COMMON_JOB_LEVEL_TASK_H_
#define TIDEMARK_COMMON_JOB_LEVEL_TASK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measurement/metric_table.h"
#include "proto/tidemark/v1/agent_session.pb.h"
#include "proto/tidemark/v1/workload.pb.h"

// What an agent is told to do, as validated values (workload.proto has the field comments).
namespace tidemark {

struct EndpointSpec {
  std::vector<std::string> urls;  // resolved, full
  std::string api = "openai-chat";
  std::string model;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string api_key_env;
  bool insecure_skip_verify = false;
  std::string ca_cert;
  friend bool operator==(const EndpointSpec&, const EndpointSpec&) = default;
};

struct LengthDistribution {
  double mean = 0;    // tokens
  double stddev = 0;  // tokens
  friend bool operator==(const LengthDistribution&, const LengthDistribution&) = default;
};

// tokens = intercept + slope * words.
struct PromptCalibration {
  double intercept = 0;
  double slope = 1;
  friend bool operator==(const PromptCalibration&, const PromptCalibration&) = default;
};

struct WorkloadSpec {
  LengthDistribution input{512, 0};
  LengthDistribution output{128, 0};
  bool streaming = true;
  bool fixed_output_length = true;
  std::string extra_inputs_json;
  uint64_t seed = 42;
  std::string nonce;
  PromptCalibration calibration;
  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

struct TimeLimits {  // milliseconds; 0: none beyond total
  uint64_t connect_ms = 30'000;
  uint64_t first_token_ms = 0;
  uint64_t idle_ms = 0;
  uint64_t total_ms = 600'000;
  friend bool operator==(const TimeLimits&, const TimeLimits&) = default;
};

// A per-request objective in the metric's fixed-point unit.
struct SlaThreshold {
  Metric metric = Metric::kTimeToFirstToken;
  bool upper = true;       // violated above (else below) the threshold
  bool inclusive = false;  // meeting it exactly is good
  uint64_t threshold = 0;
  friend bool operator==(const SlaThreshold&, const SlaThreshold&) = default;
};

struct LevelPlan {
  uint32_t concurrency = 1;
  uint64_t request_count = 1;
  uint64_t window_cap_ns = 0;
  uint64_t ramp_ns = 0;
  uint64_t warmup_deadline_ns = 0;
  uint64_t slice_ns = 1'000'000;
  bool fill = true;
  TimeLimits limits;
  std::vector<SlaThreshold> slas;
  uint64_t record_one_in = 1;
  bool user_timestamps = false;
  friend bool operator==(const LevelPlan&, const LevelPlan&) = default;
};

struct Share {
  uint32_t slots = 0;
  uint32_t first_slot = 0;
  uint64_t requests = 0;
  uint64_t first_request = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

struct LevelKey {
  std::string job_id;
  uint32_t level = 0;
  uint32_t attempt = 1;
  friend bool operator==(const LevelKey&, const LevelKey&) = default;
};

struct LevelTask {
  LevelKey key;
  EndpointSpec endpoint;
  WorkloadSpec workload;
  LevelPlan plan;
  Share share;
  friend bool operator==(const LevelTask&, const LevelTask&) = default;
};

struct ProbeTask {
  std::string job_id;
  EndpointSpec endpoint;
  WorkloadSpec workload;
  TimeLimits limits;
  uint64_t wait_ready_ms = 0;
};

// Wire forms. Decoders validate ranges and refuse with InvalidArgument naming field, value and what would
// be right.
v1::LevelKey EncodeKey(const LevelKey& key);
absl::StatusOr<LevelKey> DecodeKey(const v1::LevelKey& key);
v1::Endpoint EncodeEndpoint(const EndpointSpec& endpoint);
v1::Workload EncodeWorkload(const WorkloadSpec& workload);
v1::LevelPlan EncodePlan(const LevelPlan& plan);
v1::Prepare EncodeTask(const LevelTask& task);
absl::StatusOr<LevelTask> DecodeTask(const v1::Prepare& prepare);
v1::Probe EncodeProbeTask(const ProbeTask& task);
absl::StatusOr<ProbeTask> DecodeProbeTask(const v1::Probe& probe);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_JOB_LEVEL_TASK_H_
