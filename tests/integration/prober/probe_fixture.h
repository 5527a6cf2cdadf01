#ifndef TIDEMARK_TESTS_INTEGRATION_PROBER_PROBE_FIXTURE_H_
#define TIDEMARK_TESTS_INTEGRATION_PROBER_PROBE_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/session/prober.h"
#include "simulator/simulator.h"
#include "tests/support/loopback_server.h"

namespace tidemark::testing {

// A probe against a simulator or a server of the test's own. All limits are short.
class ProbeFixture : public ::testing::Test {
 protected:
  ProbeFixture();

  // A simulator without delays; its URL is the task's.
  void StartSimulator(SimulatorOptions options = {});
  void Target(const std::string& base) { task_.endpoint.urls = {base + "/v1/chat/completions"}; }
  void TargetHost(uint16_t port);

  v1::Probed Probe() { return ProbeEndpoint(task_, options_, &RealClock()); }
  // Probes, and expects a refusal; returns it.
  v1::ProbeFailure Refusal();

  ProbeTask task_;
  ProberOptions options_;
  Simulator simulator_;
};

// The last words of a stream that succeeded; `usage` is the usage's JSON, empty for none.
std::string StreamReply(const std::string& usage);

// The words in the prompt of a chat request.
int PromptWords(const LoopbackServer::Request& request);
std::string Prompt(const LoopbackServer::Request& request);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_INTEGRATION_PROBER_PROBE_FIXTURE_H_
