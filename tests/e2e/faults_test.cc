// Faults of the server: each request counted in its class, the run completed, the verdict true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

// The first requests, which are the probe's, draw no fault with this seed; so every fault strikes a
// request of the level.
constexpr char kSeed[] = "55";
constexpr uint64_t kRequests = 300;

class FaultsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new SweepRun(RunUndisturbed(Run)); }
  static SweepRun Run() {
    delete simulator_;
    simulator_ = new SimulatorProcess({"--fault", "status:503@0.06", "--fault", "cut@0.06",
                                       "--fault", "reset@0.06", "--fault", "error@0.06", "--seed",
                                       kSeed});
    return RunSweep(simulator_->url(),
                    {"--concurrency", "8", "--request-count", absl::StrCat(kRequests), "--isl", "32", "--osl",
                     "16", "--no-fill", "--error-rate-sla", "0.01"});
  }
  static void TearDownTestSuite() {
    delete run_;
    delete simulator_;
  }
  static v1::LevelResult Level() { return LevelOf(run_->result, 8); }

  static inline SimulatorProcess* simulator_ = nullptr;
  static inline SweepRun* run_ = nullptr;
};

TEST_F(FaultsTest, RunCompletesWithEveryRequestEnded) {
  EXPECT_EQ(Level().measured().sent(), kRequests);
  EXPECT_EQ(Level().measured().ok() + Level().measured().failed(), kRequests);
}

TEST_F(FaultsTest, EveryFaultOfTheServerIsAFailure) {
  const int64_t faults = simulator_->Stat("faults.status") + simulator_->Stat("faults.cut") +
                         simulator_->Stat("faults.reset") + simulator_->Stat("faults.error");
  EXPECT_GT(faults, 30);
  EXPECT_EQ(static_cast<int64_t>(Level().measured().failed() + Level().unmeasured().failed()),
            faults);
}

TEST_F(FaultsTest, EachKindIsCountedInItsOwnClass) {
  const std::vector<std::pair<std::string, std::string>> kinds = {{"status", "http_503"},
                                                                  {"cut", "truncated"},
                                                                  {"reset", "connection_reset"},
                                                                  {"error", "stream_error"}};
  uint64_t all = 0;
  for (const auto& [fault, failure_class] : kinds) {
    const auto counted = static_cast<int64_t>(Failures(Level(), failure_class));
    const int64_t faults = simulator_->Stat("faults." + fault);
    all += static_cast<uint64_t>(counted);
    EXPECT_LE(counted, faults) << failure_class;
    EXPECT_GE(counted, faults - static_cast<int64_t>(Level().unmeasured().failed()))
        << failure_class;
  }
  EXPECT_EQ(all, Level().measured().failed());
}

TEST_F(FaultsTest, ErrorRateIsFailuresOverMeasured) {
  EXPECT_DOUBLE_EQ(Level().error_rate(),
                   static_cast<double>(Level().measured().failed()) / kRequests);
}

TEST_F(FaultsTest, ErrorRateSlaFailsTheLevelWithExitCode3) {
  EXPECT_EQ(Level().verdict(), v1::FAIL);
  EXPECT_EQ(run_->end.code, 3) << run_->all_output();
}

TEST_F(FaultsTest, RetryAfterIsKeptWithAnExample) {
  bool kept = false;
  const v1::LevelResult level = Level();
  for (const v1::FailureExample& example : level.examples()) {
    kept = kept || (example.failure_class() == "http_503" && example.retry_after() == "1");
  }
  EXPECT_TRUE(kept);
}

TEST(FaultsOfAll, EndpointWithoutASuccessIsExitCode1) {
  const SimulatorProcess simulator({"--fault", "status:503@1"});
  const SweepRun run =
      RunSweep(simulator.url(), {"--concurrency", "2", "--request-count", "10", "--model",
                                 "tidemark-sim", "--isl", "16", "--osl", "4"});
  EXPECT_EQ(run.end.code, 1) << run.all_output();
  EXPECT_EQ(Failures(LevelOf(run.result, 2), "http_503"), 10u);
}

// A scripted response for every request, from the probe on.
struct Wire {
  const char* name;
  const char* content_type;
  const char* steps;
  const char* failure_class;  // empty: a success
};

void PrintTo(const Wire& wire, std::ostream* out) { *out << wire.name; }

#define TIDEMARK_TOKEN                                                                       \
  "data: {\\\"object\\\":\\\"chat.completion.chunk\\\",\\\"choices\\\":[{\\\"index\\\":0,"   \
  "\\\"delta\\\":{\\\"content\\\":\\\"a\\\"},\\\"finish_reason\\\":null}]}\\n\\n"
#define TIDEMARK_END                                                                         \
  "data: {\\\"choices\\\":[{\\\"index\\\":0,\\\"delta\\\":{},\\\"finish_reason\\\":\\\"stop\\\"}]}" \
  "\\n\\ndata: {\\\"choices\\\":[],\\\"usage\\\":{\\\"prompt_tokens\\\":12,"                 \
  "\\\"completion_tokens\\\":1,\\\"total_tokens\\\":13}}\\n\\ndata: [DONE]\\n\\n"

class WireTest : public ::testing::TestWithParam<Wire> {};

TEST_P(WireTest, EveryRequestOfTheLevelHasTheOutcome) {
  const TemporaryFolder home;
  const std::string script = home.Write(
      "case.json",
      absl::StrCat("{\"response\":{\"status\":200,\"headers\":{\"content-type\":\"",
                   GetParam().content_type, "\"},\"script\":[", GetParam().steps, "]}}"));
  const SimulatorProcess simulator({"--script", script});
  const SweepRun run =
      RunSweep(simulator.url(), {"--concurrency", "2", "--request-count", "6", "--model",
                                 "tidemark-sim", "--isl", "16", "--osl", "4"});
  const std::string failure_class = GetParam().failure_class;
  EXPECT_TRUE(failure_class.empty() ? Ran(run.end.code) : run.end.code == 1)
      << run.all_output();
  const v1::LevelResult level = LevelOf(run.result, 2);
  if (failure_class.empty()) {
    EXPECT_EQ(level.measured().ok(), 6u);
  } else {
    EXPECT_EQ(Failures(level, failure_class), 6u) << level.ShortDebugString();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WireTest,
    ::testing::Values(
        Wire{"ResetMidStream", "text/event-stream",
             "{\"at_ms\":5,\"send\":\"" TIDEMARK_TOKEN "\"},{\"at_ms\":20,\"reset\":true}",
             "connection_reset"},
        Wire{"InBandError", "text/event-stream",
             "{\"at_ms\":5,\"send\":\"" TIDEMARK_TOKEN "\"},{\"at_ms\":10,\"send\":"
             "\"data: {\\\"error\\\":{\\\"message\\\":\\\"engine died\\\",\\\"code\\\":500}}\\n\\n"
             "data: [DONE]\\n\\n\"}",
             "stream_error"},
        Wire{"DoneButSocketOpen", "text/event-stream",
             "{\"at_ms\":5,\"send\":\"" TIDEMARK_TOKEN "\"},{\"at_ms\":10,\"send\":\"" TIDEMARK_END
             "\"},{\"at_ms\":30000,\"close\":true}",
             ""},
        Wire{"HtmlFromAProxy", "text/html",
             "{\"at_ms\":2,\"send\":\"<html><body>gateway</body></html>\"}", "protocol_error"},
        Wire{"EmptyStream", "text/event-stream", "{\"at_ms\":2,\"send\":\"data: [DONE]\\n\\n\"}",
             "empty_response"},
        Wire{"EndWithoutEnd", "text/event-stream",
             "{\"at_ms\":2,\"send\":\"" TIDEMARK_TOKEN "\"}",
             "truncated"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tidemark::testing
