#include "tests/integration/prober/probe_fixture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tidemark::testing {

ProbeFixture::ProbeFixture() {
  task_.job_id = "job";
  task_.limits.connect_ms = 2'000;
  task_.limits.total_ms = 10'000;
  task_.workload.input = {200, 0};
  task_.workload.output = {8, 0};
  task_.workload.nonce = "nonce";
}

void ProbeFixture::StartSimulator(SimulatorOptions options) {
  if (!options.fixed_delays) options.fixed_delays = FixedDelays{1, 0.1};
  ASSERT_TRUE(simulator_.Start(std::move(options)).ok());
  Target(simulator_.url());
}

void ProbeFixture::TargetHost(uint16_t port) { Target(absl::StrCat("http://127.0.0.1:", port)); }

v1::ProbeFailure ProbeFixture::Refusal() {
  const v1::Probed probed = Probe();
  EXPECT_TRUE(probed.failure().refusal()) << probed.ShortDebugString();
  return probed.failure();
}

std::string StreamReply(const std::string& usage) {
  std::string body =
      "data: "
      "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"length\"}]}"
      "\n\n";
  if (!usage.empty()) absl::StrAppend(&body, "data: {\"choices\":[],\"usage\":", usage, "}\n\n");
  body += "data: [DONE]\n\n";
  return HttpReply(200, body, "Content-Type: text/event-stream\r\n");
}

std::string Prompt(const LoopbackServer::Request& request) {
  const std::string key = "\"content\":\"";
  const size_t at = request.body.find(key);
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size();
  return request.body.substr(begin, request.body.find('"', begin) - begin);
}

int PromptWords(const LoopbackServer::Request& request) {
  const std::string prompt = Prompt(request);
  return 1 + static_cast<int>(std::count(prompt.begin(), prompt.end(), ' '));
}

}  // namespace tidemark::testing
