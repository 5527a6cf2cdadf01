#include "tests/bench/engine_records.h"

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/endpoint/endpoint_adapter.h"
#include "agent/workload/prompts.h"
#include "tests/bench/client_cost.h"

namespace tidemark::bench {
namespace {

// Makes the bodies that the engine made.
class Bodies {
 public:
  explicit Bodies(const LevelTask& task)
      : prompts_(task.workload, task.key.level, task.key.attempt), adapter_(*NewEndpointAdapter(task.endpoint.api, Template(task))) {}

  uint32_t KeyOf(uint64_t index) {
    const PromptPlan plan = prompts_.Plan(index);
    prompts_.WriteText(index, plan.words, &prompt_);
    adapter_->BuildBody({prompt_, plan.output_tokens}, &body_);
    return BodyKey(body_);
  }

 private:
  static RequestTemplate Template(const LevelTask& task) {
    return {task.endpoint.model, task.workload.streaming, task.workload.fixed_output_length,
            task.workload.extra_inputs_json};
  }

  const PromptSource prompts_;
  const std::unique_ptr<EndpointAdapter> adapter_;
  std::string prompt_, body_;
};

int64_t NsOfMs(double ms) { return std::llround(ms * 1e6); }

}  // namespace

EngineRecords ReadSpool(const std::string& path, const LevelTask& task) {
  EngineRecords records;
  Bodies bodies(task);
  const int64_t offset = MonotonicMinusRealNs();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    const nlohmann::json& metrics = record["metrics"];
    if (!record["error"].is_null() || !metrics.contains("inter_chunk_latency")) continue;
    ClientRequest request;
    for (const nlohmann::json& gap : metrics["inter_chunk_latency"]["value"]) request.gaps_ns.push_back(NsOfMs(gap));
    if (request.gaps_ns.size() + 1 != static_cast<size_t>(task.workload.output.mean)) {
      ++records.left_out;
      continue;
    }
    request.key = bodies.KeyOf(record["metadata"]["session_num"]);
    request.sent_ns = record["metadata"]["request_start_ns"].get<int64_t>() + offset;
    request.ttft_ns = NsOfMs(metrics["time_to_first_token"]["value"]);
    records.requests.push_back(std::move(request));
  }
  return records;
}

}  // namespace tidemark::bench
